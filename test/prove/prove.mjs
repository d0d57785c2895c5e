// npm run prove [agent…] [--latest] [--json] [--check] [--until time] [--story name] [--keep] [--install]
// Runs the real agents under Ion against the stub model, and writes docs/proof.json and docs/compatibility.md.
import { spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { installAgent } from './install.mjs'
import { agentNames, pinOf, versionsToProve } from './pins.mjs'
import { compareProof, mergeProof, proofOf, readProof, writeProof } from './proof.mjs'
import { sandboxed } from './sandbox.mjs'
import { subjectOf } from './subjects.mjs'

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    latest: { type: 'boolean', default: false },
    json: { type: 'boolean', default: false },
    // Compares with what is in docs/ and writes nothing: for CI.
    check: { type: 'boolean', default: false },
    // No story is begun after that many seconds since 1970; those that are left out are named.
    until: { type: 'string' },
    // Fills the cache, and does nothing more.
    install: { type: 'boolean', default: false },
    story: { type: 'string', multiple: true, default: [] },
    keep: { type: 'boolean', default: false },
  },
})
const say = (/** @type {string} */ line) => console[options.json ? 'error' : 'log'](line)
const ion = fileURLToPath(new URL('../../dist/ion.cjs', import.meta.url))

const { subjects, unavailable } = await install()
if (!options.install) {
  const proof = proofOf({ subjects, unavailable, ...(await runInside(subjects)) })
  if (options.json) console.log(JSON.stringify(proof))
  process.exitCode = finish(proof)
}

/** Installs what is asked for, with the machine's own network settings. */
async function install() {
  const names = positionals.length ? positionals : agentNames().filter((name) => name !== 'agentapi')
  const agentapi = await installAgent('agentapi', { log: say })
  if ('unavailable' in agentapi) say(`agentapi: ${agentapi.unavailable}; its scenario is skipped`)
  /** @type {import('./scene.mjs').Subject[]} */
  const subjects = []
  /** @type {Record<string, string>} */
  const unavailable = {}
  for (const name of names) {
    const pin = pinOf(name)
    if ('unavailable' in pin) unavailable[name] = pin.unavailable
    for (const version of options.latest ? [undefined] : versionsToProve(name)) {
      const installed = await installAgent(name, { ...(version ? { version } : {}), latest: options.latest, log: say })
      if ('unavailable' in installed) {
        unavailable[name] = installed.unavailable
        say(`${name}: ${installed.unavailable}`)
        continue
      }
      if (options.latest && 'versions' in pin && installed.version !== pin.versions[0]) {
        say(`${name}: newest is ${installed.version}, pinned is ${pin.versions[0]}`)
      }
      subjects.push(subjectOf(name, installed, 'unavailable' in agentapi ? undefined : agentapi.program))
    }
  }
  return { subjects, unavailable }
}

/** @param {import('./scene.mjs').Subject[]} subjects */
async function runInside(subjects) {
  const until = options.until === undefined ? undefined : Number(options.until) * 1000
  const folder = mkdtempSync(join(tmpdir(), 'ion-proof-order-'))
  const [order, results] = [join(folder, 'order.json'), join(folder, 'results.json')]
  writeFileSync(order, JSON.stringify({ subjects, ion, only: options.story, keep: options.keep, until, results }))
  const worker = fileURLToPath(new URL('worker.mjs', import.meta.url))
  const { argv, isolated, why } = sandboxed([process.execPath, worker, order])
  if (!isolated) say(`the agents are NOT cut off from the network: ${why}`)
  const [program = '', ...args] = argv
  const child = spawn(program, args, { stdio: ['ignore', options.json ? 2 : 1, 2] })
  const code = await new Promise((resolve) => child.once('exit', resolve))
  if (code !== 0) throw new Error(`the proof itself failed with exit code ${code}`)
  const told = JSON.parse(readFileSync(results, 'utf8'))
  rmSync(folder, { recursive: true, force: true })
  return { told, isolated }
}

/** @param {import('./proof.mjs').Proof} proof @returns {number} */
function finish(proof) {
  const all = proof.agents.flatMap(({ scenarios }) => Object.values(scenarios))
  const failed = all.filter(({ ok }) => !ok).length
  if (options.check) {
    const differences = compareProof(readProof(), proof)
    for (const line of differences) say(`differs from docs/proof.json: ${line}`)
    const forgiven = Math.max(0, failed - differences.length)
    if (forgiven) say(`${forgiven} under agentapi did not hold this time, and are not counted`)
    say(`prove: ${all.length - differences.length - forgiven} passed, ${differences.length} failed`)
    return differences.length ? 1 : 0
  }
  if (!options.latest) writeProof(mergeProof(readProof(), proof, options.story.length > 0))
  say(`prove: ${all.length - failed} passed, ${failed} failed`)
  return failed ? 1 : 0
}
