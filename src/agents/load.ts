import { loaders } from './_loaders.ts'
import type { Agent } from './agent.ts'

/** Like `findAgent`, but an id loads only that agent: before a start every millisecond counts. */
export async function loadAgent(name: string): Promise<Agent> {
  const load = loaders.get(name)
  if (load) return (await load()).default
  const { findAgent } = await import('./find.ts')
  return findAgent(name)
}
