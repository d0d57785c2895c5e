import displayWidth from 'fast-string-width'
import { plain } from '../platform/plain-text.ts'

const PLAIN = /^[ -~\u00a1-\u00ac\u00ae-\u00ff\u2026]*$/

/**
 * Only printable ASCII, Latin-1 and the … of a text that was cut, as in most lists: one column per character. Measuring any other
 * text compiles tables that take as long as a twentieth of a short run.
 */
function isPlain(text: string): boolean {
  return PLAIN.test(text)
}

/** Columns a text occupies in a terminal. */
export function width(text: string): number {
  return isPlain(text) ? text.length : displayWidth(text)
}

/** Plain text on one line. */
export function oneLine(text: string): string {
  return plain(text).replace(/\s+/g, ' ').trim()
}

let segmenter: Intl.Segmenter | undefined

/**
 * One character each if no combining mark follows: Latin, Greek, Cyrillic, dashes, quotes, bullets, arrows, signs, boxes, kana,
 * Han and Hangul.
 */
const SIMPLE =
  /[ -~\u00a1-\u00ac\u00ae-\u02ff\u0391-\u03ff\u0400-\u0482\u048a-\u052f\u2010-\u2027\u2030-\u205e\u2190-\u27bf\u3041-\u3096\u30a1-\u30fa\u4e00-\u9fff\uac00-\ud7a3]+/y

/** The segmenter needs quadratic time, so it gets short pieces. */
const SEGMENTER_LENGTH = 256

/** The characters (grapheme clusters) of a text. The segmenter is created on demand: its tables are slow to load. */
export function* characters(text: string): Generator<string> {
  for (let from = 0; from < text.length; ) {
    SIMPLE.lastIndex = from
    const end = from + (SIMPLE.exec(text)?.[0].length ?? 0)
    // The next character may belong to the last letter.
    const sure = end === text.length ? end : end - 1
    while (from < sure) yield text[from++]!
    if (from === text.length) return
    segmenter ??= new Intl.Segmenter(undefined, { granularity: 'grapheme' })
    const [first] = segmenter.segment(text.slice(from, from + SEGMENTER_LENGTH))
    yield first!.segment
    from += first!.segment.length
  }
}

/** Cut to `columns` of display width, with … at the end if it was too long. */
export function fit(text: string, columns: number): string {
  if (columns <= 0) return ''
  if (width(text) <= columns) return text
  if (isPlain(text)) return `${text.slice(0, columns - 1)}…`
  let taken = ''
  let used = 0
  for (const segment of characters(text)) {
    const size = width(segment)
    if (used + size > columns - 1) break
    taken += segment
    used += size
  }
  return `${taken}…`
}

/** Cut or padded to exactly `columns`. */
export function pad(text: string, columns: number, align: 'left' | 'right' = 'left'): string {
  const fitted = fit(text, columns)
  const blanks = ' '.repeat(Math.max(0, columns - width(fitted)))
  return align === 'left' ? fitted + blanks : blanks + fitted
}

/** Lines of up to `columns` of display width, broken between words if possible. Keeps indentation. */
export function wrap(text: string, columns: number): string[] {
  return text.split('\n').flatMap((line) => wrapLine(line.replaceAll('\t', '    '), Math.max(8, columns)))
}

function wrapLine(line: string, columns: number): string[] {
  // Most lines are ASCII: one column per character.
  const measure = /^[ -~]*$/.test(line) ? (text: string): number => text.length : width
  if (measure(line) <= columns) return [line]
  const indent = /^ */.exec(line)![0].slice(0, columns >> 1)
  const lines: string[] = []
  let current = ''
  let used = 0
  for (const word of line.split(/(?<= )/)) {
    const size = measure(word)
    if (used + measure(word.trimEnd()) > columns && current.trim() !== '') {
      lines.push(current.trimEnd())
      current = indent
      used = indent.length
    }
    if (used + size <= columns || size <= columns - indent.length) {
      current += word
      used += size
      continue
    }
    // A word that is wider than the line is broken between characters.
    for (const segment of characters(word)) {
      const one = measure(segment)
      if (used + one > columns) {
        lines.push(current)
        current = indent
        used = indent.length
      }
      current += segment
      used += one
    }
  }
  if (current.trim() !== '') lines.push(current.trimEnd())
  return lines
}

/** How long ago, short: `now`, `5m`, `3h`, `2d`, `7w`, `2y`. */
export function ago(iso: string | null, now: Date): string {
  if (!iso) return '?'
  const minutes = Math.round((now.getTime() - new Date(iso).getTime()) / 60_000)
  if (minutes < 1) return 'now'
  if (minutes < 60) return `${minutes}m`
  if (minutes < 48 * 60) return `${Math.round(minutes / 60)}h`
  const days = Math.round(minutes / 1440)
  if (days < 21) return `${days}d`
  return days < 700 ? `${Math.round(days / 7)}w` : `${Math.round(days / 365)}y`
}
