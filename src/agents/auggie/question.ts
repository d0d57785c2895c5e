import { describedBy, readMarkedList } from '../_shared/framed-list.ts'
import type { ScreenQuestion, ScreenRow } from '../screen.ts'

/** What the keys do, below every frame that it opens instead of the input box. */
const HINT = /^ \[/
/** ` [A]llow [D]eny`: answered by a letter. */
const LETTER = /\[([A-Z])\]([a-z]+)/g
/** `▸ 1) SQLite`, `● 1. SQLite`, `✓ 1. SQLite`: answered by a digit. */
const NUMBERED = /^\s*(?:[▸●✓]\s)?\s*(\d+)[.)] (\S.*)$/
/** `[1] Always index this workspace`, which has no frame around it. */
const BRACKETED = /^ +\[(\d)\] (\S.*)$/
/** `› Enter Plan Mode`: whether to make a plan, and whether to carry it out. */
const MARKED = /^[›●] \S/
/** Below the entry of a numbered list in which an answer can be typed. While that is marked, digits are typed into it too. */
const RULE = /^\s*─+$/

/** What it asks in a frame at the bottom of the screen, and whether it may index. */
export function readQuestion(rows: readonly ScreenRow[]): ScreenQuestion | undefined {
  return readFrame(rows) ?? readBracketed(rows)
}

function readFrame(rows: readonly ScreenRow[]): ScreenQuestion | undefined {
  const hint = rows.findLastIndex(({ text }) => text.trim() !== '')
  if (hint < 1 || !HINT.test(rows[hint]!.text) || !rows[hint - 1]!.text.startsWith('╰')) return undefined
  // Without a top where a long text has scrolled away.
  const top = rows.slice(0, hint - 1).findLastIndex(({ text }) => !text.startsWith('│'))
  const inside = rows.slice(top + 1, hint - 1).map(({ text }) => text.replace(/^│ {0,2}|\s*│\s*$/g, ''))
  const letters = [...rows[hint]!.text.matchAll(LETTER)].map(([, key, rest]) => ({
    label: `${key}${rest}`,
    key: key!.toLowerCase(),
  }))
  // First: a command may have a list, too.
  if (letters.length > 0) return { ...describedBy(inside), ...typedChoices(letters) }
  const listed = readNumbered(inside) ?? readMarkedList(inside, MARKED)
  // Only the terminal can answer anything else.
  return listed ?? { ...describedBy(inside), choices: [], marked: -1 }
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
  // It reads a single digit.
  const offered = isTyping ? [] : choices.filter(({ key }) => key.length === 1)
  return { ...describedBy(above), ...typedChoices(offered) }
}

/** The question about the index. */
function readBracketed(rows: readonly ScreenRow[]): ScreenQuestion | undefined {
  if (!rows.some(({ text }) => HINT.test(text))) return undefined
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
