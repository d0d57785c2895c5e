import type { ScreenQuestion, ScreenRow } from '../screen.ts'

/** The question that is open; answered ones have other marks. */
const ASKED = /^◆\s+(\S.*)$/
const CHOICE = /^│\s+([●○])\s+(\S.*)$/
/** What comes between the call that is to be approved and the question. */
const REQUEST = /^\s*Tool approval request/

/** A list to choose from, with a line beside it. Where its choices are in one row, only the terminal can answer. */
export function readQuestion(rows: readonly ScreenRow[]): ScreenQuestion | undefined {
  const at = rows.findLastIndex(({ text }) => ASKED.test(text))
  const end = rows.findIndex(({ text }, index) => index > at && /^└/.test(text))
  if (at < 0 || end < 0 || rows.slice(end + 1).some(({ text }) => text.trim() !== '')) return undefined
  const choices = rows.slice(at + 1, end).map(({ text }) => CHOICE.exec(text))
  const labels = choices.map((choice) => choice?.[2]?.trim() ?? '')
  const marked = choices.findIndex((choice) => choice?.[1] === '●')
  const isList = labels.length >= 2 && marked >= 0 && labels.every((label) => label !== '' && !/[●○]/.test(label))
  const request = rows.slice(0, at).findLastIndex(({ text }) => REQUEST.test(text))
  const details = request < 0 ? [] : rows.slice(request + 1, at).map(({ text }) => text.trimEnd())
  return {
    text: ASKED.exec(rows[at]!.text)![1]!.trim(),
    details: details.filter((line) => line !== '').join('\n'),
    choices: isList ? labels : [],
    marked: isList ? marked : -1,
  }
}
