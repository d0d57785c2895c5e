import { formatCount } from '../platform/format-count.ts'

const LINES = 120
const LENGTH = 12_000

/** Replaces the middle of a long text by the number of lines left out. */
export function cutMiddle(text: string): string {
  if (text.length <= LENGTH && countLines(text, LINES) <= LINES) return text
  const head = text
    .slice(0, (LENGTH * 3) / 4)
    .split('\n')
    .slice(0, (LINES * 3) / 4)
    .join('\n')
  const tail = text
    .slice(-LENGTH / 4)
    .split('\n')
    .slice(-LINES / 4)
    .join('\n')
  const left = text.slice(head.length, text.length - tail.length)
  // A newline at each cut is not a line of its own.
  const lines = countLines(left, Number.POSITIVE_INFINITY) - 2
  const what = lines > 2 ? `${formatCount(lines)} lines` : `${formatCount(left.length)} characters`
  return `${head}\n\n… ${what} left out; --full shows them …\n\n${tail}`
}

function countLines(text: string, most: number): number {
  let lines = 1
  for (let at = text.indexOf('\n'); at >= 0 && lines <= most; at = text.indexOf('\n', at + 1)) lines++
  return lines
}
