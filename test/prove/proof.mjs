import { readFileSync, writeFileSync } from 'node:fs'
import { format } from '../../scripts/format.mjs'
import { compatibilityPage } from './compatibility-page.mjs'
import { AGENTAPI } from './stories/under-agentapi.mjs'

/**
 * @typedef {{ ok: boolean, why?: string }} Outcome
 * @typedef {{ results: Record<string, import('./checks.mjs').Result>, storage?: { paths: string[], bytes: number } | undefined }} Told
 * @typedef {'full' | 'partial' | 'read-only'} Level
 * @typedef {object} ProvenAgent
 * @property {string} agent @property {string} version @property {Level} level
 * @property {{ paths: string[], bytes: number }} [storage]  where its sessions are, and what one of four turns takes there
 * @property {string} date
 * @property {Record<string, Outcome>} scenarios
 * @typedef {object} Proof
 * @property {ProvenAgent[]} agents
 * @property {{ agent: string, why: string }[]} unavailable
 * @property {boolean} isolated
 */

const JSON_FILE = new URL('../../docs/proof.json', import.meta.url)
const PAGE = new URL('../../docs/compatibility.md', import.meta.url)

/** Without these it does not count as resumed. */
const CORE = [
  'cold, headless, with a tool call',
  'five starts send the prompt once',
  'warm, headless, with a next prompt',
]

/**
 * @param {{ subjects: import('./scene.mjs').Subject[], unavailable: Record<string, string>, isolated: boolean,
 *   told: Record<string, Told> }} run
 * @returns {Proof}
 */
export function proofOf({ subjects, unavailable, told, isolated }) {
  const date = new Date().toISOString().slice(0, 10)
  return {
    isolated,
    agents: subjects.map(({ agent, name, version }) => {
      const { results, storage } = told[`${name} ${version}`] ?? { results: {} }
      const scenarios = Object.fromEntries(
        Object.entries(results).map(([scenario, { ok, why }]) => [scenario, ok ? { ok } : { ok, why: firstLine(why) }]),
      )
      return { agent, version, level: levelOf(scenarios), ...(storage ? { storage } : {}), date, scenarios }
    }),
    unavailable: Object.entries(unavailable).map(([agent, why]) => ({ agent, why })),
  }
}

/** Computed, never written by hand. @param {Record<string, Outcome>} scenarios @returns {Level} */
export function levelOf(scenarios) {
  if (!CORE.every((scenario) => scenarios[scenario]?.ok)) return 'read-only'
  const own = Object.entries(scenarios).filter(([scenario]) => scenario !== AGENTAPI)
  return own.every(([, { ok }]) => ok) ? 'full' : 'partial'
}

/**
 * Of two proofs the newer word on each agent and version. `partial`: only some stories were told, and what the others said
 * before still holds.
 * @param {Proof | undefined} old @param {Proof} now @param {boolean} [partial] @returns {Proof}
 */
export function mergeProof(old, now, partial = false) {
  const before = (/** @type {ProvenAgent} */ one) => (old?.agents ?? []).find((other) => isSame(one, other))
  const newer = now.agents.map((one) => (partial ? added(before(one), one) : one))
  const names = new Set([...now.agents, ...now.unavailable].map(({ agent }) => agent))
  const agents = [...newer, ...(old?.agents ?? []).filter((one) => !newer.some((other) => isSame(one, other)))]
  return {
    isolated: now.isolated,
    agents: agents.sort(
      (a, b) => a.agent.localeCompare(b.agent) || b.version.localeCompare(a.version, 'en', { numeric: true }),
    ),
    unavailable: [...now.unavailable, ...(old?.unavailable ?? []).filter(({ agent }) => !names.has(agent))],
  }
}

/** @param {ProvenAgent} one @param {ProvenAgent} other */
function isSame(one, other) {
  return one.agent === other.agent && one.version === other.version
}

/** @param {ProvenAgent | undefined} before @param {ProvenAgent} now @returns {ProvenAgent} */
function added(before, now) {
  const scenarios = { ...before?.scenarios, ...now.scenarios }
  const storage = now.storage ?? before?.storage
  return { ...now, ...(storage ? { storage } : {}), scenarios, level: levelOf(scenarios) }
}

/**
 * What does not agree, one line each; dates and sizes may differ, and so may what depends on how agentapi reads the
 * agent's screen, which is another time another.
 * @param {Proof | undefined} kept @param {Proof} now @returns {string[]} */
export function compareProof(kept, now) {
  return now.agents.flatMap(({ agent, version, scenarios }) => {
    const before = kept?.agents.find((one) => one.agent === agent && one.version === version)
    if (!before) return [`${agent} ${version} is not in it`]
    return Object.entries(scenarios).flatMap(([scenario, { ok, why }]) =>
      scenario === AGENTAPI || before.scenarios[scenario]?.ok === ok
        ? []
        : [`${agent} ${version}: ${scenario}: ${ok ? 'holds now' : why}`],
    )
  })
}

/** @returns {Proof | undefined} */
export function readProof() {
  try {
    return JSON.parse(readFileSync(JSON_FILE, 'utf8'))
  } catch {
    return undefined
  }
}

/** @param {Proof} proof */
export function writeProof(proof) {
  writeFileSync(JSON_FILE, `${JSON.stringify(proof, null, 2)}\n`)
  writeFileSync(PAGE, format('docs/compatibility.md', compatibilityPage(proof)))
}

/** No path of this machine. @param {string} [why] */
function firstLine(why = '') {
  return (why.split('\n')[0] ?? '').replace(/\/\S*ion-proof-\w+/g, '…').slice(0, 300)
}
