import { expect, test } from 'vitest'
import { agents } from './_registry.ts'
import { loadAgent } from './load.ts'

test('loads each agent by its id and aliases; an unknown name lists them all', async () => {
  for (const agent of agents) {
    for (const name of [agent.id, ...agent.aliases]) expect(await loadAgent(name)).toBe(agent)
  }
  await expect(loadAgent('nobody')).rejects.toThrow('unknown agent "nobody"')
})
