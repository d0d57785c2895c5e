import { loaders } from './_loaders.ts'
import type { Agent } from './agent.ts'

/** As `findAgent`, but by its id an agent comes without all the others: before it starts every millisecond counts. */
export async function loadAgent(name: string): Promise<Agent> {
  const load = loaders.get(name)
  if (load) return (await load()).default
  const { findAgent } = await import('./find.ts')
  return findAgent(name)
}
