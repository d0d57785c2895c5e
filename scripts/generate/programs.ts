import type { Agent } from '../../src/agents/agent.ts'
import { format } from '../format.ts'

/** src/agents/_programs.ts: what a list of agents shows, without loading them. */
export function programsSource(agents: readonly Agent[]): string {
  const rows = agents.map(({ id, title, binaries, isArchive = false }) => ({ id, title, binaries, isArchive }))
  return format(
    '_programs.ts',
    `// Written by npm run generate from the agents' own index.ts.
import type { AgentProgram } from './agent.ts'

export const agentPrograms: readonly AgentProgram[] = ${JSON.stringify(rows)}
`,
  )
}
