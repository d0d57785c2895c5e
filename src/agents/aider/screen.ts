import { trimmed } from '../_shared/answer-text.ts'
import type { ScreenAnswer, ScreenQuestion, ScreenRow } from '../screen.ts'

/** Across the screen, above every prompt; not with `--no-pretty`. */
const RULE = /^─{20,}$/
/** Before every row of the input, with the mode that it is in: `> `, `ask> `, `ask multi> `. */
const PROMPT = /^(?:[\w-]+(?: multi)?)?>(?: |$)/
/** `Run shell command? (Y)es/(N)o/(D)on't ask again [Yes]: `. */
const QUESTION = /^(.*\S) (\(Y\)es(?:\/\(\w\)[^/[]+)*) \[[^\]]*\]:(?: |$)/
/** Before each row of a quote in an answer, whose rows are narrower than the screen. */
const QUOTE = /^▌ /
/** No subject of a question is taller. */
const MAX_ROWS = 24
/** Ends whatever is above it. */
const NOTICE: ScreenRow = { text: '-', vivid: '-' }

/** The last rows, with the prompt; directly below them there may be a menu of completions. */
export function readInput(rows: readonly ScreenRow[]): string | undefined {
  const box = openBox(rows)
  const typed = box?.map(({ text }) => text.replace(PROMPT, '').trim())
  return typed?.join('\n').trim()
}

function openBox(rows: readonly ScreenRow[]): readonly ScreenRow[] | undefined {
  const shown = rows.slice(0, rows.findLastIndex(({ text }) => text.trim() !== '') + 1)
  const last = shown.findLastIndex(({ text }) => !/^ .*\S/.test(text))
  const start = shown.slice(0, last + 1).findLastIndex(({ text }) => !PROMPT.test(text)) + 1
  if (start > last || !isOpen(rows, last)) return undefined
  // An answer may have such rows too, but not directly below a rule.
  const rule = rows.findLastIndex(({ text }) => RULE.test(text))
  const isInAnswer = firstPrompt(rows, rule) !== start && isFull(rows[start - 1]?.text ?? '', widthOf(rows))
  return isInAnswer ? undefined : rows.slice(start, last + 1)
}

/** Answered by typing a letter, after what somebody may have typed was deleted. */
export function readQuestion(rows: readonly ScreenRow[]): ScreenQuestion | undefined {
  const end = rows.findLastIndex(({ text }) => text.trim() !== '')
  if (!isOpen(rows, end)) return undefined
  const joined = (from: number): string => rows.slice(from, end + 1).reduce((all, row) => all + row.text, '')
  // A long one is continued in the next row.
  const found = [end, end - 1, end - 2].find((at) => at >= 0 && QUESTION.test(joined(at)))
  if (found === undefined) return undefined
  let from = found
  while (from > 0 && /[^ ─]$/.test(rows[from - 1]!.text) && isFull(rows[from - 1]!.text, widthOf(rows))) from--
  const [, text = '', options = ''] = QUESTION.exec(joined(from)) ?? []
  const choices = options.split('/')
  return {
    text,
    details: subjectOf(rows.slice(Math.max(0, from - MAX_ROWS), from)),
    choices: choices.map((choice) => choice.replace(/[()]/g, '')),
    marked: -1,
    typed: choices.map((choice) => `\x15${choice[1]!.toLowerCase()}\r`),
  }
}

/** What the question is about: the rows directly above it. */
function subjectOf(rows: readonly ScreenRow[]): string {
  const above = rows.findLastIndex(({ text }) => text === '' || RULE.test(text))
  const lines = rows.slice(above + 1).map(({ text }) => text.trimEnd())
  return lines.filter((line) => line !== '').join('\n')
}

/**
 * What follows the last prompt that was entered, in rows that are filled with blanks; the rows of notices are not. With
 * `--no-pretty` no row is filled, and nothing distinguishes an answer.
 */
export function readAnswer(rows: readonly ScreenRow[]): ScreenAnswer | undefined {
  const width = widthOf(rows)
  const box = openBox(rows) ? rows.findLastIndex(({ text }) => RULE.test(text)) : -1
  const shown = box < 0 ? rows : rows.slice(0, box)
  const from = promptEnd(shown)
  let last: ScreenAnswer | undefined
  let open: string[] = []
  // What is at the top of the screen may have begun above it.
  let begins = from > 0
  for (const { text } of [...shown.slice(from), NOTICE]) {
    const isSaid = QUOTE.test(text) || (isFull(text, width) && !QUESTION.test(text))
    if (isSaid || text === '') open.push(text)
    else {
      // Also full, but with text to the end: the rows of a long line that the terminal wrapped.
      if (open.some((row) => /\S +$/.test(row))) last = { rows: trimmed(open.map(asWritten)), begins }
      open = []
      begins = true
    }
  }
  return last
}

/** As the answer has it: `> quoted`. */
function asWritten(row: string): string {
  return row.replace(QUOTE, '> ').trimEnd()
}

/** What is below the last prompt that was entered; 0 when the screen shows none. */
function promptEnd(rows: readonly ScreenRow[]): number {
  const rule = rows.findLastIndex(({ text }, at) => RULE.test(text) && firstPrompt(rows, at) > 0)
  if (rule < 0) return 0
  const first = firstPrompt(rows, rule)
  const length = rows.slice(first).findIndex(({ text }) => !PROMPT.test(text))
  return length < 0 ? rows.length : first + length
}

/** Under a rule, below the names of the files in the chat; -1 if the screen shows no input. */
function firstPrompt(rows: readonly ScreenRow[], rule: number): number {
  const at = rows.findIndex(({ text }, at) => at > rule && (text === '' || PROMPT.test(text)))
  return at >= 0 && PROMPT.test(rows[at]!.text) ? at : -1
}

/**
 * Whether it waits for input in this row. As long as it does, it draws all rows down to the last one of the screen. Once
 * the input is entered, those are erased, and where it has colours, the rest of this row is filled with blanks.
 */
function isOpen(rows: readonly ScreenRow[], at: number): boolean {
  if (at === rows.length - 1) return true
  const text = rows[at]?.text ?? ''
  const isFilled = isFull(text, widthOf(rows)) && text.endsWith('  ')
  return rows.at(-1)!.text !== '' && !isFilled
}

function isFull(text: string, width: number): boolean {
  return width > 0 && text.length === width
}

/** The screen's, if it shows rows that are filled; else 0. */
function widthOf(rows: readonly ScreenRow[]): number {
  const filled = rows.filter(({ text }) => RULE.test(text) || text.endsWith('  '))
  return Math.max(0, ...filled.map(({ text }) => text.length))
}
