import { plain } from '../platform/plain-text.ts'
import type { Palette } from './colour.ts'

/** A diff for a terminal, with what was added and removed in colour. */
export function diffLines(diff: string, { good, bad, faint }: Palette): string[] {
  return plain(diff)
    .split('\n')
    .map((line) => {
      if (line.startsWith('+')) return good(line)
      if (line.startsWith('-')) return bad(line)
      return line.startsWith('@@') ? faint(line) : line
    })
}

/** `+3 -1` */
export function lineCounts({ added, removed }: { added: number; removed: number }, { good, bad }: Palette): string {
  return [added > 0 ? good(`+${added}`) : '', removed > 0 ? bad(`-${removed}`) : ''].filter(Boolean).join(' ') || '±0'
}
