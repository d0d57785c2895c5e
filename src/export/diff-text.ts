import { structuredPatch } from 'diff'

/** Longer texts are shown as completely replaced: comparing them takes too long. */
const MAX_LENGTH = 200_000

/** The changes between two texts, as a unified diff without file header. */
export function diffText(before: string, after: string): string {
  if (before.length + after.length <= MAX_LENGTH) {
    const patch = structuredPatch('', '', ended(before), ended(after), '', '', { context: 3, timeout: 200 })
    if (patch) return patch.hunks.flatMap((hunk) => hunkLines(hunk, patch.hunks.length)).join('\n')
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

/** Positions are shown only for several hunks: an edit is part of a file, so its line numbers mean little. */
function hunkLines(hunk: Hunk, count: number): string[] {
  const { oldStart, oldLines, newStart, newLines } = hunk
  const position = count > 1 ? [`@@ -${oldStart},${oldLines} +${newStart},${newLines} @@`] : []
  return [...position, ...hunk.lines]
}

function marked(mark: string, text: string): string[] {
  return text === ''
    ? []
    : text
        .replace(/\n$/, '')
        .split('\n')
        .map((line) => mark + line)
}

/** With a final newline, so that the diff has no note about a missing one. */
function ended(text: string): string {
  return text === '' || text.endsWith('\n') ? text : `${text}\n`
}
