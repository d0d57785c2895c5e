import type { Message } from '../api/contract.ts'

/** Both sorted by id; a message of `updates` replaces the one with its id. The common cases, at either end, need no sorting. */
export function merged(known: readonly Message[], updates: readonly Message[]): readonly Message[] {
  const newest = known.at(-1)?.id ?? -1
  if (updates.every(({ id }, index) => id > (updates[index - 1]?.id ?? newest))) return [...known, ...updates]
  const byId = new Map(known.map((message) => [message.id, message]))
  for (const message of updates) byId.set(message.id, message)
  return [...byId.values()].sort((a, b) => a.id - b.id)
}

/** The messages of `known` that the server still has; its messages from the id `from` on are `there`. */
export function stillThere(known: readonly Message[], there: readonly Message[], from: number): readonly Message[] {
  const ids = new Set(there.map(({ id }) => id))
  return known.filter(({ id }) => id < from || ids.has(id))
}
