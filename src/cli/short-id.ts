import type { Terminal } from './terminal.ts'

const MIN_LENGTH = 8

/** For each id its shortest unique prefix of at least eight characters. */
export function shortIds(ids: readonly string[]): ReadonlyMap<string, string> {
  const sorted = [...new Set(ids)].sort()
  const short = new Map<string, string>()
  for (const [index, id] of sorted.entries()) {
    const shared = Math.max(commonLength(id, sorted[index - 1]), commonLength(id, sorted[index + 1]))
    short.set(id, id.slice(0, Math.max(MIN_LENGTH, shared + 1)))
  }
  return short
}

/** How the id of a row is shown: shortened in a terminal, in full in a pipe. */
export function shownIds<R extends { readonly id: string }>(
  rows: readonly R[],
  { isTTY }: Terminal,
): (row: R) => string {
  const short = isTTY ? shortIds(rows.map(({ id }) => id)) : undefined
  return ({ id }) => short?.get(id) ?? id
}

function commonLength(id: string, other: string | undefined): number {
  let length = 0
  while (other !== undefined && length < id.length && id[length] === other[length]) length++
  return length
}
