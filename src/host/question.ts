import type { ScreenQuestion, ScreenRow } from '../agents/screen.ts'

/** `❯ 2. No, and tell it why`; a mark, or none; the number; the label. */
const CHOICE = /^\s*(?:([❯›●▸▶→>*])\s*)?(\d{1,2})[.)]\s+(\S.*)$/
/** Only lines and corners. */
const BORDER = /^[\s─━═╌┄╭╮╰╯┌┐└┘├┤│┃]+$/
/** A horizontal line across the screen, which separates a question from the conversation. */
const RULE = /^\s*[─━═]{20,}\s*$/
/** How the conversation's entries begin: a question never does. */
const ENTRY = /^\s{0,2}[•●✦⏺◦✔✗✓❯›>]\s/
/** No question is taller. */
const MAX_ROWS = 24

/**
 * The question that a screen asks, by the rule that most agents follow: a numbered list in which one entry is marked, at the
 * bottom of the screen. Ask only for a screen without an input box: a conversation may have such a list too.
 */
export function readQuestion(rows: readonly ScreenRow[]): ScreenQuestion | undefined {
  const shown = withoutBox(rows)
  const first = shown.findLastIndex((row) => CHOICE.exec(row.text)?.[2] === '1')
  if (first < 0) return undefined
  const choices: string[] = []
  let marked = -1
  for (const { text } of shown.slice(first)) {
    const [, mark, number, label] = CHOICE.exec(text) ?? []
    if (number === String(choices.length + 1)) {
      if (mark !== undefined) {
        if (marked >= 0) return undefined
        marked = choices.length
      }
      choices.push(label!.trim())
    } else if (/^\s{4,}\S/.test(text) && choices.length > 0) choices.push(`${choices.pop()} ${text.trim()}`)
    else if (text.trim() !== '') break
  }
  if (choices.length < 2 || marked < 0) return undefined
  const paragraphs = blockAbove(shown, first, shown !== rows)
  const block = paragraphs.flat()
  const asked = block.findLastIndex((line) => line.endsWith('?'))
  // Without a question mark it is the last paragraph.
  const count = asked < 0 ? (paragraphs.at(-1)?.length ?? 0) : 1
  const at = asked < 0 ? block.length - count : asked
  const text = block.splice(at, count).join(' ')
  return { text, details: block.join('\n'), choices, marked }
}

/** The rows in the last box, if the choices are in it; else all rows. */
function withoutBox(rows: readonly ScreenRow[]): readonly ScreenRow[] {
  const last = rows.findLastIndex(({ text }) => /^\s*[╰└]/.test(text))
  const edge = rows[last]?.text.search(/[╰└]/) ?? -1
  const inner = rows[last - 1]?.text ?? ''
  const isBelow = rows.slice(last + 1).some(({ text }) => CHOICE.test(text))
  if (edge < 0 || isBelow || !/[│┃]/.test(inner[edge] ?? '')) return rows
  const top = rows.slice(0, last).findLastIndex(({ text }) => /[╭┌]/.test(text[edge] ?? ''))
  const cut = (text: string): string => text.slice(edge + 1).replace(/\s*[│┃]\s*$/, '')
  return rows.slice(top + 1, last).map(({ text, vivid }) => ({ text: cut(text), vivid: cut(vivid) }))
}

/** The paragraphs that belong to the question, above its choices, without borders and hints. */
function blockAbove(rows: readonly ScreenRow[], first: number, isInBox: boolean): string[][] {
  const paragraphs: string[][] = []
  let isNew = true
  for (const { text, vivid } of rows.slice(Math.max(0, first - MAX_ROWS), first).reverse()) {
    if (RULE.test(text) || ENTRY.test(text) || (!isInBox && /^\s*[╰└]/.test(text))) break
    if (BORDER.test(text) || vivid.trim() === '') {
      isNew = true
      continue
    }
    if (isNew) paragraphs.unshift([])
    isNew = false
    paragraphs[0]!.unshift(text.replace(/^[\s│┃]+|[\s│┃]+$/g, ''))
  }
  return paragraphs
}
