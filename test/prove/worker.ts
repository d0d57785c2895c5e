// The inside of the proof, in a network of loopback only: runs every story of every agent, a few at a time.
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { Checks } from './checks.ts'
import { insideTask } from './inside.ts'
import type { StoryResults } from './proof.ts'
import { Scene, type Subject } from './scene.ts'
import { applies, type Story, stories } from './stories/index.ts'

export interface ProofTask {
  subjects: Subject[]
  ion: string
  /** Names of stories; all when empty. */
  only: string[]
  keep: boolean
  /** No story starts after this time. */
  until?: number
}

interface Job {
  name: string
  story: Story
  subject: Subject
}

const { task, finish } = insideTask<ProofTask>()
const base = mkdtempSync(join(tmpdir(), 'ion-proof-'))
const jobs: Job[] = Object.entries(stories)
  .filter(([name]) => task.only.length === 0 || task.only.includes(name))
  .flatMap(([name, story]) =>
    task.subjects.filter((subject) => applies(name, subject)).map((subject) => ({ name, story, subject })),
  )
const waiting = [...jobs]
const finished = new Map<Job, StoryResults>()
await Promise.all(Array.from({ length: availableParallelism() + 1 }, work))
finish(resultsBySubject())
if (task.keep) console.log(`kept ${base}`)
else rmSync(base, { recursive: true, force: true })

async function work(): Promise<void> {
  for (let job = waiting.shift(); job; job = waiting.shift()) {
    const key = keyOf(job.subject)
    if (task.until !== undefined && Date.now() > task.until) {
      console.log(`skipped, out of time: ${key}: ${job.name}`)
      continue
    }
    const first = await play(job)
    const missed = Object.entries(first.results).filter(([, { ok }]) => !ok)
    // A terminal on a busy machine is sometimes too slow for a deadline. Failing twice is a failure.
    if (missed.length) {
      const why = missed.map(([scenario, { why }]) => `${scenario} (${why?.split('\n')[0]})`).join('; ')
      console.log(`trying ${key}: ${job.name} again, because of: ${why}`)
    }
    const last = missed.length ? await play(job, '-again') : first
    finished.set(job, last)
    for (const [scenario, { ok, why, note, seconds }] of Object.entries(last.results)) {
      const reason = ok ? '' : `\n     ${why?.replaceAll('\n', '\n     ')}`
      const noted = note === undefined ? '' : `${note}, `
      console.log(`${ok ? 'ok  ' : 'FAIL'} ${key}: ${scenario} (${noted}${seconds} s)${reason}`)
    }
  }
}

/** In the order of the stories, whichever finished first. */
function resultsBySubject(): Record<string, StoryResults> {
  const all: Record<string, StoryResults> = {}
  for (const job of jobs) {
    const [key, one] = [keyOf(job.subject), finished.get(job)]
    if (one) all[key] = { storage: one.storage ?? all[key]?.storage, results: { ...all[key]?.results, ...one.results } }
  }
  return all
}

function keyOf({ name, version }: Subject): string {
  return `${name} ${version}`
}

async function play({ name, story, subject }: Job, suffix = ''): Promise<StoryResults> {
  const root = join(base, `${subject.name}-${subject.version}`, `${name.replaceAll(' ', '-')}${suffix}`)
  mkdirSync(root, { recursive: true })
  const checks = new Checks()
  const path = subject.agentapi && dirname(subject.agentapi)
  const scene = await Scene.make({
    root,
    subject,
    ion: task.ion,
    checks,
    ...(path ? { path } : {}),
    ...(story.folder ? { folder: story.folder } : {}),
    ...(story.keepRequests ? { keepRequests: true } : {}),
  })
  try {
    await story.run(scene, checks)
  } catch (error) {
    checks.results[name] = { ok: false, why: String((error as Error).stack), seconds: 0 }
  } finally {
    const left = await scene.close()
    if (left.length) {
      const commands = left.map((command) => command.slice(0, 80)).join(' | ')
      console.log(`     ${subject.name}: killed what "${name}" left running: ${commands}`)
    }
    if (!task.keep) scene.remove()
  }
  const unreported = checks.unreported()
  if (unreported.length) checks.results[name] = { ok: false, why: unreported.join('\n'), seconds: 0 }
  return { results: checks.results, storage: scene.storage }
}
