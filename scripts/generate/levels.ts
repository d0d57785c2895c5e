import type { Proof } from '../../test/prove/proof.ts'
import { format } from '../format.ts'

/** src/agents/_levels.ts: the level of each agent's newest version in the proof. */
export function levelsSource({ agents }: Pick<Proof, 'agents'>): string {
  const newest = new Map<string, { version: string; level: string }>()
  for (const { agent, version, level } of agents) {
    const other = newest.get(agent)
    if (!other || compare(version, other.version) > 0) newest.set(agent, { version, level })
  }
  const lines = [...newest].map(
    ([agent, { version, level }]) => `  '${agent}': { level: '${level}', version: '${version}' },`,
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

function compare(a: string, b: string): number {
  return a.localeCompare(b, 'en', { numeric: true })
}
