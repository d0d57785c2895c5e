// The inside of the proof, in a network of loopback only: tells every story of every agent, a few at a time.
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { Checks } from './checks.mjs'
import { Scene } from './scene.mjs'
import { stories } from './stories/index.mjs'

/** @typedef {{ subjects: import('./scene.mjs').Subject[], ion: string, only: string[], keep: boolean, until?: number, results: string }} Order */

const order = /** @type {Order} */ (JSON.parse(readFileSync(process.argv[2] ?? '', 'utf8')))
const base = mkdtempSync(join(tmpdir(), 'ion-proof-'))
const jobs = Object.entries(stories).flatMap(([name, story]) =>
  order.only.length && !order.only.includes(name)
    ? []
    : order.subjects.filter(story.fits ?? (() => true)).map((subject) => ({ name, story, subject })),
)
const waiting = [...jobs]
/** @type {Map<typeof jobs[number], import('./proof.mjs').Told>} */
const told = new Map()
await Promise.all(Array.from({ length: availableParallelism() + 1 }, work))
writeFileSync(order.results, JSON.stringify(bySubject()))
if (order.keep) console.log(`kept ${base}`)
else rmSync(base, { recursive: true, force: true })

async function work() {
  for (let job = waiting.shift(); job; job = waiting.shift()) {
    const key = keyOf(job.subject)
    if (order.until !== undefined && Date.now() > order.until) {
      console.log(`skipped, out of time: ${key}: ${job.name}`)
      continue
    }
    const first = await tell(job)
    const missed = Object.entries(first.results).filter(([, { ok }]) => !ok)
    // A terminal on a busy machine is sometimes too slow for a deadline. What fails twice fails.
    if (missed.length)
      console.log(
        `again ${key}: ${job.name}, because of: ${missed.map(([scenario, { why }]) => `${scenario} (${why?.split('\n')[0]})`).join('; ')}`,
      )
    const { results, storage } = missed.length ? await tell(job, '-again') : first
    told.set(job, { results, storage })
    for (const [scenario, { ok, why, seconds }] of Object.entries(results)) {
      console.log(
        `${ok ? 'ok  ' : 'FAIL'} ${key}: ${scenario} (${seconds} s)${ok ? '' : `\n     ${why?.replaceAll('\n', '\n     ')}`}`,
      )
    }
  }
}

/** In the order of the stories, whichever was over first. */
function bySubject() {
  /** @type {Record<string, import('./proof.mjs').Told>} */
  const all = {}
  for (const job of jobs) {
    const [key, one] = [keyOf(job.subject), told.get(job)]
    if (one) all[key] = { storage: one.storage ?? all[key]?.storage, results: { ...all[key]?.results, ...one.results } }
  }
  return all
}

/** @param {import('./scene.mjs').Subject} subject */
function keyOf({ name, version }) {
  return `${name} ${version}`
}

/** @param {{ name: string, story: import('./stories/index.mjs').Story, subject: import('./scene.mjs').Subject }} job @param {string} [suffix] of its folder */
async function tell({ name, story, subject }, suffix = '') {
  const root = join(base, `${subject.name}-${subject.version}`, `${name.replaceAll(' ', '-')}${suffix}`)
  mkdirSync(root, { recursive: true })
  const checks = new Checks()
  const path = subject.agentapi && dirname(subject.agentapi)
  const scene = await Scene.make({
    root,
    subject,
    ion: order.ion,
    ...(path ? { path } : {}),
    ...(story.folder ? { folder: story.folder } : {}),
  })
  try {
    await story.tell(scene, checks)
  } catch (error) {
    checks.results[name] = { ok: false, why: String(/** @type {Error} */ (error).stack), seconds: 0 }
  } finally {
    const left = await scene.close()
    if (left.length)
      console.log(
        `     ${subject.name}: ended what was left of "${name}": ${left.map((command) => command.slice(0, 80)).join(' | ')}`,
      )
    if (!order.keep) scene.remove()
  }
  return { results: checks.results, storage: scene.storage }
}
