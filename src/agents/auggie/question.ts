import type { ScreenQuestion, ScreenRow } from '../screen.ts'

/** ` [A]llow [D]eny`, or what the keys do in a list: below every box that it opens instead of the input box. */
const HINT = /^ \[/
/** Answered by its letter. */
const LETTER = /\[([A-Z])\]([a-z]+)/g
/** `▸ 1) SQLite`, `● 1. SQLite`, `✓ 1. SQLite`: answered by its digit. */
const NUMBERED = /^\s*(?:[▸●✓]\s)?\s*(\d)[.)] (\S.*)$/
/** `[1] Always index this workspace`, which has no box around it. */
const BRACKETED = /^ +\[(\d)\] (\S.*)$/
/** `› Enter Plan Mode`: answered with Enter. */
const MARKED = /^(\s*)[›●] \S/
/** Below the entry of a numbered list in which an answer can be typed. While that is marked, digits are typed into it too. */
const RULE = /^\s*─+$/

/** What it asks in a box at the bottom of the screen, with what the keys do below it; and whether it may index. */
export function readQuestion(rows: readonly ScreenRow[]): ScreenQuestion | undefined {
  return readBox(rows) ?? readBracketed(rows)
}

function readBox(rows: readonly ScreenRow[]): ScreenQuestion | undefined {
  const hint = rows.findLastIndex(({ text }) => text.trim() !== '')
  if (hint < 1 || !HINT.test(rows[hint]!.text) || !rows[hint - 1]!.text.startsWith('╰')) return undefined
  // Without a top where a long text has scrolled away.
  const top = rows.slice(0, hint - 1).findLastIndex(({ text }) => !text.startsWith('│'))
  const inside = rows.slice(top + 1, hint - 1).map(({ text }) => text.replace(/^│ {0,2}|\s*│\s*$/g, ''))
  return readNumbered(inside) ?? readMarked(inside) ?? readLetters(inside, rows[hint]!.text)
}

/** The boxes that ask for a permission. Any other box without a list can only be answered in the terminal. */
function readLetters(inside: readonly string[], hint: string): ScreenQuestion {
  const choices = [...hint.matchAll(LETTER)].map(([, key, rest]) => ({
    label: `${key}${rest}`,
    key: key!.toLowerCase(),
  }))
  return { ...described(inside), ...typedChoices(choices) }
}

/** The questions of the model itself. */
function readNumbered(inside: readonly string[]): ScreenQuestion | undefined {
  const first = inside.findLastIndex((line) => NUMBERED.exec(line)?.[1] === '1')
  if (first < 0) return undefined
  const choices: { label: string; key: string; isMarked: boolean }[] = []
  let isTyping = false
  for (const line of inside.slice(first)) {
    const [, key, label] = NUMBERED.exec(line) ?? []
    if (key !== undefined) choices.push({ label: label!.trim(), key, isMarked: /^\s*[▸●]/.test(line) })
    else if (RULE.test(line)) isTyping = choices.pop()?.isMarked === true
    else if (line.trim() !== '') choices.at(-1)!.label += ` ${line.trim()}`
  }
  const above = inside.slice(0, first).filter((line) => line.trim() !== 'Choose a response:')
  return { ...described(above), ...typedChoices(isTyping ? [] : choices) }
}

/** Whether to make a plan, and whether to carry it out. */
function readMarked(inside: readonly string[]): ScreenQuestion | undefined {
  const at = inside.findLastIndex((line) => MARKED.test(line))
  if (at < 0) return undefined
  const indent = MARKED.exec(inside[at]!)![1]!.length + 2
  const isChoice = (line: string | undefined): boolean =>
    line !== undefined && /^ *(?=\S)/.exec(line)?.[0].length === indent
  let [first, end] = [at, at + 1]
  while (isChoice(inside[first - 1])) first--
  while (isChoice(inside[end])) end++
  if (end - first < 2) return undefined
  const choices = inside.slice(first, end).map((line) => line.slice(indent).trim())
  return { ...described(inside.slice(0, first)), choices, marked: at - first }
}

/** The question about the index. */
function readBracketed(rows: readonly ScreenRow[]): ScreenQuestion | undefined {
  const choices = rows.flatMap(({ text }) => {
    const [, key, label] = BRACKETED.exec(text) ?? []
    return key === undefined ? [] : [{ label: label!.trim(), key }]
  })
  return choices.length < 2 ? undefined : { text: '', details: '', ...typedChoices(choices) }
}

function typedChoices(choices: readonly { label: string; key: string }[]): Omit<ScreenQuestion, 'text' | 'details'> {
  const labels = choices.map(({ label }) => label)
  return { choices: labels, marked: -1, ...(labels.length ? { typed: choices.map(({ key }) => key) } : {}) }
}

/** The first paragraph that asks, else the first one; the others are what it is about. */
function described(lines: readonly string[]): Pick<ScreenQuestion, 'text' | 'details'> {
  const paragraphs: string[][] = [[]]
  for (const line of lines) {
    if (line.trim() === '') paragraphs.push([])
    else paragraphs.at(-1)!.push(line.trim())
  }
  const written = paragraphs.filter((rows) => rows.length > 0)
  const asking = written.find((rows) => rows.at(-1)!.endsWith('?')) ?? written[0]
  return {
    text: asking?.join(' ') ?? '',
    details: written.flatMap((rows) => (rows === asking ? [] : rows)).join('\n'),
  }
}
