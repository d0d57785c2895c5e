import type { Terminal } from './terminal.ts'

const SHORT = 8

/** For each id the shortest beginning, of eight characters or more, that no other of them has. */
export function shortIds(ids: readonly string[]): ReadonlyMap<string, string> {
  const sorted = [...new Set(ids)].sort()
  const short = new Map<string, string>()
  for (const [index, id] of sorted.entries()) {
    const shared = Math.max(common(id, sorted[index - 1]), common(id, sorted[index + 1]))
    short.set(id, id.slice(0, Math.max(SHORT, shared + 1)))
  }
  return short
}

/** How an id is shown: short in a terminal, whole in a pipe, for whatever reads it there. */
export function shownIds(ids: readonly string[], { isTTY }: Terminal): (id: string) => string {
  if (!isTTY) return (id) => id
  const short = shortIds(ids)
  return (id) => short.get(id) ?? id
}

function common(id: string, other: string | undefined): number {
  let length = 0
  while (other !== undefined && length < id.length && id[length] === other[length]) length++
  return length
}
