import { IonError } from '../platform/error.ts'
import { agents } from './_registry.ts'
import type { Agent } from './agent.ts'

/** The agent of that id or alias; an error that names them all when there is none. */
export function findAgent(name: string): Agent {
  const wanted = name.toLowerCase()
  const found = agents.find((agent) => agent.id === wanted || agent.aliases.includes(wanted))
  if (found) return found
  throw new IonError('not-found', `there is no agent called "${name}"`, {
    hint: `known: ${agents.flatMap(({ id, isArchive }) => (isArchive ? [] : [id])).join(', ')}`,
  })
}
