import type { Term } from '../catalog/search/term.ts'
import type { TextMatcher } from '../catalog/search/text-query.ts'

const SEQUENCE = /(\x1b\[[0-9;]*m)/

/** Marks what matches in a line that may have colours. */
export function markLine(line: string, matcher: TextMatcher, paint: (text: string) => string): string {
  const parts = line.split(SEQUENCE)
  const ranges = matcher.ranges(parts.filter((_, index) => index % 2 === 0).join(''))
  if (ranges.length === 0) return line
  let at = 0
  return parts
    .map((part, index) => {
      if (index % 2 === 1) return part
      const start = at
      at += part.length
      return markPart(part, start)
    })
    .join('')

  function markPart(part: string, start: number): string {
    let marked = ''
    let done = 0
    for (const [from, to] of ranges) {
      const [first, last] = [Math.max(0, from - start), Math.min(part.length, to - start)]
      if (first >= last) continue
      marked += part.slice(done, first) + paint(part.slice(first, last))
      done = last
    }
    return marked + part.slice(done)
  }
}

/** An extended regular expression for `less`, which finds every term. */
export function lessPattern(wanted: readonly (readonly Term[])[]): string {
  return wanted
    .flat()
    .map((term) => {
      if ('regex' in term) return term.regex
      return term.text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&').replace(/\s+/g, '[[:space:]]+')
    })
    .join('|')
}
