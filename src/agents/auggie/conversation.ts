import { readAnswerText } from '../_shared/answer-text.ts'
import { readInputBox } from '../_shared/input-box.ts'
import type { ScreenAnswer, ScreenRow } from '../screen.ts'

/** Above and below the input box. */
const RULE = /^─{20,}/

/** A slash or a hash sign as its first character replaces the mark, and makes it a command or a question without tools. */
export function readInput(rows: readonly ScreenRow[]): string | undefined {
  return readInputBox(rows, { top: RULE, prompt: /^(?:› ?|(?=[/#] ))/, bottom: RULE, below: /^ / })
}

/** ` ⠲ Processing response... (6s • esc to interrupt)`, above the box. */
export function isWorking(rows: readonly ScreenRow[]): boolean {
  return rows.some(({ text }, at) => /^ [⠀-⣿] .*esc to interrupt\)$/.test(text) && RULE.test(rows[at + 1]?.text ?? ''))
}

export function readAnswer(rows: readonly ScreenRow[]): ScreenAnswer | undefined {
  const box = rows.findLastIndex(({ text }, at) => RULE.test(text) && readInput(rows.slice(at)) !== undefined)
  const shown = box < 0 ? rows : rows.slice(0, box)
  return readAnswerText(shown, { mark: /^● /, indent: /^ {2}/, prompt: /^› /, isOther: isCall })
}

/** A call has the mark of a text, but everything after its name is faint: `● Terminal - ls`. */
function isCall({ text, vivid }: ScreenRow): boolean {
  return text.startsWith(`${vivid} - `)
}
