import { IonError } from '../platform/error.ts'
import { nearest } from '../platform/nearest.ts'
import { agents } from './_registry.ts'
import type { Agent } from './agent.ts'

/** The agent with that id or alias; otherwise an error that lists them all. */
export function findAgent(name: string): Agent {
  const wanted = name.toLowerCase()
  const found = agents.find((agent) => agent.id === wanted || agent.aliases.includes(wanted))
  if (found) return found
  const meant = nearestAgent(name)
  throw new IonError('not-found', `unknown agent "${name}"`, {
    hint: `${meant ? `did you mean ${meant}? ` : ''}known: ${agents.flatMap(({ id, isArchive }) => (isArchive ? [] : [id])).join(', ')}`,
  })
}

/** The agent that was probably meant by a misspelt name. */
export function nearestAgent(name: string): string | undefined {
  const names = agents.flatMap(({ id, aliases, isArchive }) => (isArchive ? [] : [id, ...aliases]))
  return nearest(name.toLowerCase(), names)
}
