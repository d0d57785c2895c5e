import { readFileSync, writeFileSync } from 'node:fs'
import { format } from '../../scripts/format.ts'
import type { Result } from './checks.ts'
import { compatibilityPage } from './compatibility-page.ts'
import type { Storage, Subject } from './scene.ts'
import { AGENTAPI } from './stories/under-agentapi.ts'

export type Outcome = Pick<Result, 'ok' | 'why' | 'note'>

/** What came out of a story, or of all stories of one subject. */
export interface StoryResults {
  results: Record<string, Result>
  storage: Storage | undefined
}

export type Level = 'full' | 'partial' | 'unproven'

export interface ProvenAgent {
  agent: string
  version: string
  level: Level
  /** Where its sessions are, and how much one of four turns takes there. */
  storage?: Storage | undefined
  date: string
  /** Its program was given (`--with`), because no registry has it. */
  given?: true
  scenarios: Record<string, Outcome>
}

export interface Proof {
  agents: ProvenAgent[]
  unavailable: { agent: string; why: string }[]
  isolated: boolean
}

const JSON_FILE = new URL('../../docs/proof.json', import.meta.url)
const PAGE = new URL('../../docs/compatibility.md', import.meta.url)

/** Without these the agent counts as unproven. */
const CORE = [
  'cold, headless, with a tool call',
  'five starts send the prompt once',
  'warm, headless, with a next prompt',
]

export function proofOf({
  subjects,
  unavailable,
  results,
  isolated,
}: {
  subjects: Subject[]
  unavailable: Record<string, string>
  isolated: boolean
  /** By build and version. */
  results: Record<string, StoryResults>
}): Proof {
  const date = new Date().toISOString().slice(0, 10)
  return {
    isolated,
    agents: subjects.map(({ agent, name, version, given }) => {
      const own = results[`${name} ${version}`]
      const storage = own?.storage
      const scenarios = Object.fromEntries(
        Object.entries(own?.results ?? {}).map(([scenario, { ok, why, note }]) => [
          scenario,
          { ok, ...(ok ? {} : { why: firstLine(why) }), ...(note === undefined ? {} : { note }) },
        ]),
      )
      return {
        agent,
        version,
        level: levelOf(scenarios),
        ...(storage ? { storage } : {}),
        date,
        ...(given ? { given } : {}),
        scenarios,
      }
    }),
    unavailable: Object.entries(unavailable).map(([agent, why]) => ({ agent, why })),
  }
}

/** Computed, never written by hand. */
export function levelOf(scenarios: Record<string, Outcome>): Level {
  if (!CORE.every((scenario) => scenarios[scenario]?.ok)) return 'unproven'
  const own = Object.entries(scenarios).filter(([scenario]) => scenario !== AGENTAPI)
  return own.every(([, { ok }]) => ok) ? 'full' : 'partial'
}

/**
 * The newer results of two proofs, by agent and version. `partial`: only some stories ran, and earlier results of the
 * others are kept. An agent that was proven with a given program stays so when nobody gives one.
 */
export function mergeProof(old: Proof | undefined, now: Proof, partial = false): Proof {
  const before = (one: ProvenAgent): ProvenAgent | undefined => (old?.agents ?? []).find((other) => isSame(one, other))
  const newer = now.agents.map((one) => (partial ? added(before(one), one) : one))
  const names = new Set([...now.agents, ...now.unavailable].map(({ agent }) => agent))
  const agents = [...newer, ...(old?.agents ?? []).filter((one) => !newer.some((other) => isSame(one, other)))]
  return {
    isolated: now.isolated,
    agents: agents.sort(
      (a, b) => a.agent.localeCompare(b.agent) || b.version.localeCompare(a.version, 'en', { numeric: true }),
    ),
    unavailable: [...now.unavailable, ...(old?.unavailable ?? []).filter(({ agent }) => !names.has(agent))].filter(
      ({ agent }) => !agents.some((one) => one.agent === agent && one.given),
    ),
  }
}

function isSame(one: ProvenAgent, other: ProvenAgent): boolean {
  return one.agent === other.agent && one.version === other.version
}

function added(before: ProvenAgent | undefined, now: ProvenAgent): ProvenAgent {
  const scenarios = { ...before?.scenarios, ...now.scenarios }
  const storage = now.storage ?? before?.storage
  return { ...now, ...(storage ? { storage } : {}), scenarios, level: levelOf(scenarios) }
}

/**
 * The differences, one line each. Dates and sizes may differ, and so may the scenario under agentapi, which depends on
 * timing: agentapi reads the agent's screen.
 */
export function compareProof(recorded: Proof | undefined, now: Proof): string[] {
  return now.agents.flatMap(({ agent, version, scenarios }) => {
    const before = recorded?.agents.find((one) => one.agent === agent && one.version === version)
    if (!before) return [`${agent} ${version} is not in it`]
    return Object.entries(scenarios).flatMap(([scenario, { ok, why }]) =>
      scenario === AGENTAPI || before.scenarios[scenario]?.ok === ok
        ? []
        : [`${agent} ${version}: ${scenario}: ${ok ? 'holds now' : why}`],
    )
  })
}

export function readProof(): Proof | undefined {
  try {
    return JSON.parse(readFileSync(JSON_FILE, 'utf8')) as Proof
  } catch {
    return undefined
  }
}

export function writeProof(proof: Proof): void {
  writeFileSync(JSON_FILE, `${JSON.stringify(proof, null, 2)}\n`)
  writeFileSync(PAGE, format('docs/compatibility.md', compatibilityPage(proof)))
}

/** Without paths of this machine. */
function firstLine(why = ''): string {
  return (why.split('\n')[0] ?? '').replace(/\/\S*ion-proof-\w+/g, '…').slice(0, 300)
}
