import { expect, test } from 'vitest'
import { markedLine } from './snippet.ts'

const mark = (text: string): string => `[${text}]`

function lineOf(snippet: string, word: string, columns: number): string {
  const start = snippet.indexOf(word)
  return markedLine({ snippet, marks: [[start, start + word.length]] }, columns, mark)
}

test('a snippet that fits is shown in full', () => {
  expect(lineOf('pays each refund once', 'refund', 40)).toBe('pays each [refund] once')
})

test('a longer one starts at a word near the match, with an ellipsis', () => {
  const text = 'see src/routes/staff/index.ts for the refund button, which checks the role of the member of staff'
  expect(lineOf(text, 'refund', 40)).toBe('…for the [refund] button, which checks th…')
})

test('a long word before the match is cut', () => {
  const text = `see src/routes/staff/${'x'.repeat(30)}/refund.ts and its test, and whatever else is there`
  expect(lineOf(text, 'refund', 30)).toBe('…xxxxxxxxxxx/[refund].ts and it…')
})
