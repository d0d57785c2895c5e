import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { agents } from '../../src/agents/_registry.ts'
import type { Agent } from '../../src/agents/agent.ts'

/** Every fixture of every agent whose sessions can be restored: id, version, agent and folder, for `describe.each`. */
export const keptFixtures: readonly (readonly [string, string, Agent, string])[] = agents
  .filter(({ backup: keep }) => keep)
  .flatMap((agent) => {
    const fixtures = fileURLToPath(new URL(`../../src/agents/${agent.id}/fixtures/`, import.meta.url))
    return readdirSync(fixtures).map((version) => [agent.id, version, agent, join(fixtures, version)] as const)
  })
