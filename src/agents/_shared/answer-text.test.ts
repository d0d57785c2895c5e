import { expect, test } from 'vitest'
import { readAnswerText } from './answer-text.ts'

/** Rows that begin with `~` are faint. */
const read = (...lines: readonly string[]) =>
  readAnswerText(
    lines.map((line) => ({ text: line.replace(/^~/, ''), vivid: line.startsWith('~') ? '' : line })),
    {
      mark: /^• /,
      indent: /^ {2}/,
      prompt: /^> /,
      output: /^ {2}└ /,
      isOther: ({ text }) => text.startsWith('• Ran'),
    },
  )

test('the last text after the last prompt, without mark and indentation', () => {
  expect(read('> one', '• first', '> two', '• second', '', '  - a point', '', '• third', '  ends', '', '> ')).toEqual(
    undefined,
  )
  expect(read('> two', '• second', '', '  - a point', '', '• third', '  ends', '')).toEqual({
    rows: ['third', 'ends'],
    begins: true,
  })
})

test('what the agent does is not what it says', () => {
  const text = { rows: ['I will look.'], begins: true }
  expect(read('> look', '• I will look.', '• Ran ls', '  README.md')).toEqual(text)
  expect(read('> look', '• I will look.', '• List', '  └ README.md', '    shop')).toEqual(text)
  expect(read('> look', '• I will look.', '', '  Running a command', '  └ ls', '    shop')).toEqual(text)
})

test('a prompt that waits for its turn does not end a text', () => {
  expect(read('> look', '• I will look.', '', '~> later')).toEqual({ rows: ['I will look.'], begins: true })
})

test('what it thinks is faint', () => {
  expect(read('> why?', '~• It may be empty.', '~  Or not.')).toBeUndefined()
  expect(read('> why?', '~• It may be empty.', '• It is', '  empty.')).toEqual({
    rows: ['It is', 'empty.'],
    begins: true,
  })
})

test('faint rows inside a text belong to it, those at its end are hints', () => {
  expect(read('• A table:', '~  ┌───┐', '  │ a │', '~  └───┘', '', '  Done.', '', '~  Worked for 2s')).toEqual({
    rows: ['A table:', '┌───┐', '│ a │', '└───┘', '', 'Done.'],
    begins: true,
  })
})

test('a text whose beginning has scrolled away', () => {
  expect(read('', '  the rest', '', '  of it')).toEqual({ rows: ['the rest', '', 'of it'], begins: false })
  expect(read('  the rest', '• the next')).toEqual({ rows: ['the next'], begins: true })
})
