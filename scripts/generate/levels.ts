import type { Proof, ProvenAgent } from '../../test/prove/proof.ts'
import { NO_VOLUME } from '../../test/prove/scenario-names.ts'
import { format } from '../format.ts'

type Proven = Pick<Proof, 'agents'>

/** src/agents/_levels.ts: the level of each agent's newest version in the proof. */
export function levelsSource(proof: Proven): string {
  const lines = [...newestVersions(proof).values()].map(
    ({ agent, version, level }) => `  '${agent}': { level: '${level}', version: '${version}' },`,
  )
  return format(
    '_levels.ts',
    `// Written by npm run generate from docs/proof.json.
import type { MeasuredLevel } from './level.ts'

export const levels: Readonly<Record<string, MeasuredLevel>> = {
${lines.sort().join('\n')}
}
`,
  )
}

/** Whether the newest version of each agent was resumed in an empty home from a store; undefined where that was not measured. */
export function resumedWithoutVolume(proof: Proven): (agent: string) => boolean | undefined {
  const newest = newestVersions(proof)
  return (agent) => newest.get(agent)?.scenarios[NO_VOLUME]?.ok
}

function newestVersions({ agents }: Proven): Map<string, ProvenAgent> {
  const newest = new Map<string, ProvenAgent>()
  for (const one of agents) {
    const other = newest.get(one.agent)
    if (!other || compare(one.version, other.version) > 0) newest.set(one.agent, one)
  }
  return newest
}

function compare(a: string, b: string): number {
  return a.localeCompare(b, 'en', { numeric: true })
}
