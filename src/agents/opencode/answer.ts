import type { ScreenAnswer, ScreenRow } from '../screen.ts'
import { BAR, BAR_COLUMN, dialogTitle, slicedRow, withoutPanel } from './screen.ts'

const MARGIN = ' '.repeat(5)
const SPINNER = '⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏'
/** In the column of the agent's text: calls of tools, notes about them, and the end of a message. */
const CALL = new RegExp(`^ {5}(?:[$→←✱⚙%◈│✓✗~▣${SPINNER}] |\\S+(?: \\S+)? view subagents$)`)
/** The other rows of a call. */
const MORE_OF_CALL = /^ {7}/
/** Above what the agent thinks; after a plus that is hidden. */
const THOUGHT = new RegExp(`^ {5}(?:[-${SPINNER}] )?(?:Thought|Thinking)(?::|$)`)
const HIDDEN_THOUGHT = /^ {5}\+ Thought(?::|$)/
/** The first row in the output of a tool is its command, or a title, which is faint. */
const COMMAND = new RegExp(`^[$${SPINNER}] `)

/**
 * The text after the last prompt, call, or output of a tool. Nothing marks where it begins, so a paragraph that looks like a
 * call ends the text before it.
 */
export function readAnswer(rows: readonly ScreenRow[]): ScreenAnswer | undefined {
  if (dialogTitle(rows) !== undefined) return undefined
  const parts = paragraphs(withoutPanel(rows))
  // The last one with a line at its left is the input box or a question.
  const end = parts.findLastIndex(([first]) => hasBar(first!))
  let last: { rows: string[]; begins: boolean } | undefined
  // What is above the first paragraph has scrolled away.
  let above: 'unknown' | 'thought' | 'faint thought' | 'text' | 'other' = 'unknown'
  for (const part of parts.slice(0, Math.max(end, 0))) {
    const kind = kindOf(part)
    if (kind === 'prompt') last = undefined
    if (kind !== 'text') {
      above = kind === 'thought' ? 'thought' : 'other'
    } else if (/thought$/.test(above) && part.every(({ vivid }) => vivid.trim() === '')) {
      above = 'faint thought'
    } else {
      const lines = part.map(({ text }) => text.slice(MARGIN.length))
      if (above === 'text') last?.rows.push('', ...lines)
      else last = { rows: lines, begins: above === 'other' || above === 'faint thought' }
      above = 'text'
    }
  }
  return last
}

function kindOf(rows: readonly ScreenRow[]): 'prompt' | 'thought' | 'text' | 'other' {
  const [first, ...rest] = rows as [ScreenRow, ...ScreenRow[]]
  if (hasBar(first)) return isPrompt(rows) ? 'prompt' : 'other'
  if (THOUGHT.test(first.text)) return 'thought'
  const isCall = CALL.test(first.text) && rest.every(({ text }) => CALL.test(text) || MORE_OF_CALL.test(text))
  if (isCall || HIDDEN_THOUGHT.test(first.text)) return 'other'
  return rows.every(({ text }) => text.startsWith(MARGIN)) ? 'text' : 'other'
}

/** What the user said, and not a tool; nor what waits until the agent has finished. */
function isPrompt(rows: readonly ScreenRow[]): boolean {
  const inside = ({ text }: ScreenRow): string => text.slice(BAR_COLUMN + 1).trim()
  const filled = rows.filter((row) => inside(row) !== '')
  const [first, last] = [filled[0], filled.at(-1)]
  if (!first || !last || inside(last) === 'QUEUED') return false
  const isFaint = first.vivid.slice(BAR_COLUMN + 1).trim() === ''
  return !COMMAND.test(inside(first)) && !isFaint
}

function hasBar({ text }: ScreenRow): boolean {
  return text[BAR_COLUMN] === BAR
}

/** Rows between blank ones; those with a line at the left are separate, because completions are right below others. */
function paragraphs(rows: readonly ScreenRow[]): ScreenRow[][] {
  const found: ScreenRow[][] = [[]]
  for (const row of rows.map((row) => slicedRow(row, 0))) {
    const above = found.at(-1)!.at(-1)
    if (row.text === '' || (above && hasBar(above) !== hasBar(row))) found.push([])
    if (row.text !== '') found.at(-1)!.push(row)
  }
  return found.filter((part) => part.length > 0)
}
