import type { ScreenAnswer, ScreenQuestion, ScreenRow } from '../screen.ts'

/** Above and below the input box and everything that takes its place. It may say what Pi does or how many rows are hidden. */
const BORDER = /^──(?=.{18}).*─$/
/** What menus and fields begin with, unlike the box, which has no margin: a blank, a mark, or a line to search with. */
const NOT_TYPED = /^(?: |→ |> |>$)/
const LIST_KEYS = /^ ↑↓ navigate {2}/
const FIELD_KEYS = /^ \S+ submit {2}\S+ cancel$/
const CHOICE = /^ (→| ) (\S.*| +\S.*)$/
/** After a text whose turn did not end well. */
const FAILED = /^(?:Operation aborted$|Error: )/

/** The text between the last two borders. */
export function readInput(rows: readonly ScreenRow[]): string | undefined {
  const inside = betweenBorders(rows)
  if (!inside || inside.length === 0) return undefined
  const [first = '', ...others] = inside.map(({ text }) => text.trimEnd())
  const isBox = first === '' ? others.every((row) => row === '') : !NOT_TYPED.test(first)
  return isBox ? [first, ...others].join('\n').trim() : undefined
}

/** What an extension asks, whether a folder is trusted, and Pi's own lists: Pi does not ask before it runs a tool. */
export function readQuestion(rows: readonly ScreenRow[]): ScreenQuestion | undefined {
  const parts = paragraphs(betweenBorders(rows) ?? [])
  const keys = parts.pop()?.[0]?.text.trimEnd() ?? ''
  if (!LIST_KEYS.test(keys) && !FIELD_KEYS.test(keys)) return undefined
  const list = parts.pop() ?? []
  const above = parts.flat().map(({ text }) => text.trim())
  const asked = above.findLastIndex((line) => line.endsWith('?'))
  const at = Math.max(asked, 0)
  const [text = '', details] = [above[at], above.filter((_, index) => index !== at).join('\n')]
  // Only a terminal can fill in a field.
  if (FIELD_KEYS.test(keys)) return { text, details, choices: ['Cancel (esc)'], marked: -1, typed: ['\x1b'] }
  const choices: string[] = []
  let marked = -1
  for (const { text } of list) {
    const [, mark, label = text] = CHOICE.exec(text) ?? []
    if (mark === '→') marked = choices.length
    if (mark === undefined && choices.length > 0) choices.push(`${choices.pop()} ${label.trim()}`)
    else choices.push(label.trim())
  }
  return { text, details, choices, marked }
}

/**
 * The text after the last prompt or tool call, which have a background. What is thought is faint; only the conversation has
 * a margin.
 */
export function readAnswer(rows: readonly ScreenRow[]): ScreenAnswer | undefined {
  const end = borders(rows).at(-2) ?? rows.length
  const box = rows.slice(0, end).findLastIndex(({ background }) => background !== undefined)
  const outside = rows.slice(0, end).findLastIndex(({ text }) => /^\S/.test(text))
  if (outside > box) return undefined
  const parts = paragraphs(rows.slice(box + 1, end))
  const isThought = (part: readonly ScreenRow[]): boolean => part.every(({ vivid }) => vivid.trim() === '')
  const said = parts.slice(parts.findIndex((part) => !isThought(part)))
  const lines = said.flatMap((part, at) => [
    ...(at === 0 ? [] : ['']),
    ...part.map(({ text }) => text.trimEnd().slice(1)),
  ])
  const failed = lines.findIndex((line) => FAILED.test(line))
  const text = (failed < 0 ? lines : lines.slice(0, failed)).join('\n').trimEnd()
  return text === '' ? undefined : { rows: text.split('\n'), begins: box >= 0 }
}

function borders(rows: readonly ScreenRow[]): number[] {
  return [...rows.entries()].flatMap(([at, { text }]) => (BORDER.test(text.trimEnd()) ? [at] : []))
}

function betweenBorders(rows: readonly ScreenRow[]): readonly ScreenRow[] | undefined {
  const [top, bottom] = borders(rows).slice(-2)
  return top === undefined || bottom === undefined ? undefined : rows.slice(top + 1, bottom)
}

/** Rows between blank ones. */
function paragraphs(rows: readonly ScreenRow[]): ScreenRow[][] {
  const found: ScreenRow[][] = [[]]
  for (const row of rows) {
    if (row.text.trim() === '') found.push([])
    else found.at(-1)!.push(row)
  }
  return found.filter((part) => part.length > 0)
}
