import type { ScreenQuestion, ScreenRow } from '../screen.ts'
import { BAR, BAR_COLUMN, dialogTitle, slicedRow, withoutPanel } from './screen.ts'

/** The last row of every question. */
const KEY_HINTS = /(?:^|\s{2})enter (?:confirm|submit|toggle)(?: {2}esc \w+)?$/
/** Those of buttons are at their right, or below them in a narrow terminal. */
const BUTTON_HINTS = /\s{2}(?:\S+ (?:fullscreen|minimize) {2})?⇆ select .*$/
const TITLE_MARK = /^△\s+/
const OPTION = /^ {2}(\d+)\. (\S.*)$/
const OWN_ANSWER = /^(?:\[.\] )?Type your own answer/
const [ENTER, ESCAPE, TAB] = ['\r', '\x1b', '\t']

/** A dialog in front of everything, or what is in the place of the input box: permissions and questions of the model. */
export function readQuestion(rows: readonly ScreenRow[]): ScreenQuestion | undefined {
  const title = dialogTitle(rows)
  // Its contents cannot be separated from what is behind it, but Escape closes every dialog.
  if (title !== undefined) return { text: title, details: '', choices: ['Close (esc)'], marked: -1, typed: [ESCAPE] }
  const block = lastBlock(withoutPanel(rows))
  const last = block.pop()
  if (!last || !KEY_HINTS.test(last.text)) return undefined
  return BUTTON_HINTS.test(last.text) ? readButtons(block, last) : readList(block, last)
}

/** `Allow once   Allow always   Reject`: the marked one has a coloured background. */
function readButtons(block: readonly ScreenRow[], last: ScreenRow): ScreenQuestion {
  const withoutHints = ({ text }: ScreenRow): string => text.replace(BUTTON_HINTS, '').trim()
  const all = [...block, last]
  const at = all.findLastIndex((row) => withoutHints(row) !== '')
  const choices = withoutHints(all[at]!).split(/\s{2,}/)
  const [title = '', ...details] = paragraphs(all.slice(0, at)).flat()
  return {
    text: title.replace(TITLE_MARK, ''),
    details: details.join('\n').trim(),
    choices,
    marked: choices.indexOf(all[at]!.highlighted?.trim() ?? ''),
    isRow: true,
  }
}

/** Numbered options, or none, and what a key does. Only some themes show which option is marked, but digits choose too. */
function readList(block: readonly ScreenRow[], last: ScreenRow): ScreenQuestion {
  const hints = last.text.trim().split(/\s{2,}/)
  const first = block.findIndex(({ text }) => OPTION.exec(text)?.[1] === '1')
  const above = paragraphs(first < 0 ? block : block.slice(0, first))
  const tabs = hints.includes('⇆ tab') ? above.splice(0, 1) : []
  const [question = []] = above.splice(first < 0 ? 0 : -1, 1)
  const text = question.join(' ').replace(TITLE_MARK, '')
  const details = [...tabs, ...above].flat().join('\n').trim()
  const options = first < 0 ? [] : readOptions(block.slice(first))
  if (!options) return { text, details, choices: [], marked: -1 }
  const answers = [
    ...options.map((label, at) => ({ label, keys: String(at + 1) })),
    ...hints.flatMap((hint) => actionOf(hint, options.length > 0) ?? []),
  ]
  return {
    text,
    details,
    choices: answers.map(({ label }) => label),
    marked: -1,
    typed: answers.map(({ keys }) => keys),
  }
}

/**
 * The options with their descriptions, which are below them. The last one opens a field for an answer of one's own, which
 * only the terminal can fill in; undefined while it is open, because digits would be typed into it.
 */
function readOptions(rows: readonly ScreenRow[]): readonly string[] | undefined {
  const options: string[][] = []
  for (const { text } of rows) {
    const [, number, label] = OPTION.exec(text) ?? []
    // The check mark appears when an answer is on its way: it is still the same question.
    if (number === String(options.length + 1)) options.push([label!.replace(/ ✓$/, '')])
    else if (text.trim() !== '') options.at(-1)?.push(text.trim())
  }
  const own = options.findIndex(([label = '']) => OWN_ANSWER.test(label))
  if (own >= 0 && options[own]!.length > 1) return undefined
  // There are no keys for more.
  return options.slice(0, own < 0 ? 9 : Math.min(own, 9)).map((lines) => lines.join(' '))
}

function actionOf(hint: string, hasOptions: boolean): { label: string; keys: string } | undefined {
  const [key, word = ''] = hint.split(' ')
  if (hint === '⇆ tab') return { label: 'Next tab', keys: TAB }
  const label = `${word.charAt(0).toUpperCase()}${word.slice(1)} (${key})`
  if (key === 'enter' && !hasOptions) return { label, keys: ENTER }
  return key === 'esc' ? { label, keys: ESCAPE } : undefined
}

/** The last rows with the line at their left, without it and up to the last that is not blank. */
function lastBlock(rows: readonly ScreenRow[]): ScreenRow[] {
  const hasBar = ({ text }: ScreenRow): boolean => text[BAR_COLUMN] === BAR
  const end = rows.findLastIndex(hasBar) + 1
  const begin = rows.slice(0, end).findLastIndex((row) => !hasBar(row)) + 1
  const block = rows.slice(begin, end).map((row) => slicedRow(row, BAR_COLUMN + 1))
  return block.slice(0, block.findLastIndex(({ text }) => text !== '') + 1)
}

/** The rows between blank ones, without their margin. */
function paragraphs(rows: readonly ScreenRow[]): string[][] {
  const found: string[][] = [[]]
  for (const { text } of rows) {
    if (text === '') found.push([])
    else found.at(-1)!.push(text.slice(2))
  }
  return found.filter((lines) => lines.length > 0)
}
