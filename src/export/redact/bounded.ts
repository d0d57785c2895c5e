/** Searches that look at no more than `limit` characters, so that a scan stays linear on any text. */

/** The last place of `mark` before `index`, or -1. */
export function lastBefore(text: string, mark: string, index: number, limit: number): number {
  const from = Math.max(0, index - limit)
  const at = text.slice(from, index).lastIndexOf(mark)
  return at < 0 ? -1 : from + at
}

/** The first place of `mark` at or after `index`, or -1. */
export function firstAfter(text: string, mark: string, index: number, limit: number): number {
  const at = text.slice(index, index + limit).indexOf(mark)
  return at < 0 ? -1 : index + at
}
