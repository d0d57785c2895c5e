import { structuredPatch } from 'diff'

/** Longer texts are shown as all out, all in: comparing them takes more time than it tells. */
const LONGEST = 200_000

/** What changed between two texts, as the lines of a unified diff without its file header. */
export function diffText(before: string, after: string): string {
  if (before.length + after.length <= LONGEST) {
    const patch = structuredPatch('', '', ended(before), ended(after), '', '', { context: 3, timeout: 200 })
    if (patch) return patch.hunks.flatMap((hunk, index) => hunkLines(hunk, index, patch.hunks.length)).join('\n')
  }
  return [...marked('-', before), ...marked('+', after)].join('\n')
}

interface Hunk {
  readonly oldStart: number
  readonly oldLines: number
  readonly newStart: number
  readonly newLines: number
  readonly lines: readonly string[]
}

/** The place is only told where there are several: an edit's text is a piece of a file, and its line numbers mean little. */
function hunkLines(hunk: Hunk, _index: number, count: number): string[] {
  const { oldStart, oldLines, newStart, newLines } = hunk
  const place = count > 1 ? [`@@ -${oldStart},${oldLines} +${newStart},${newLines} @@`] : []
  return [...place, ...hunk.lines]
}

function marked(mark: string, text: string): string[] {
  return text === ''
    ? []
    : text
        .replace(/\n$/, '')
        .split('\n')
        .map((line) => mark + line)
}

/** With a newline at the end, so that no line about its absence is needed. */
function ended(text: string): string {
  return text === '' || text.endsWith('\n') ? text : `${text}\n`
}
