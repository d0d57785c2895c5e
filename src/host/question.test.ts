import { expect, test } from 'vitest'
import { readQuestion } from './question.ts'

const read = (...lines: readonly string[]) => readQuestion(lines.map((text) => ({ text, vivid: text })))

test('a numbered list with one mark at the bottom of the screen is a question; what is above it is its details', () => {
  expect(
    read(
      '● Bash(rm -rf build)',
      '────────────────────────────',
      ' Bash command',
      '   rm -rf build',
      ' Do you want to proceed?',
      ' ❯ 1. Yes',
      '   2. Yes, and do not ask again for',
      '      rm -rf build',
      '   3. No',
      '',
      ' Esc to cancel',
    ),
  ).toEqual({
    text: 'Do you want to proceed?',
    details: 'Bash command\nrm -rf build',
    choices: ['Yes', 'Yes, and do not ask again for rm -rf build', 'No'],
    marked: 0,
  })
})

test('a box above the question is not the box around it', () => {
  const box = ['╭──────╮', '│ hello │', '╰──────╯']
  expect(read(...box, ' Run it?', '   1. Yes', ' › 2. No')).toEqual({
    text: 'Run it?',
    details: '',
    choices: ['Yes', 'No'],
    marked: 1,
  })
  expect(read(...box, '╭─────────╮', '│ Run it?  │', '│ ● 1. Yes │', '│   2. No  │', '╰─────────╯')).toEqual({
    text: 'Run it?',
    details: '',
    choices: ['Yes', 'No'],
    marked: 0,
  })
})

test('without a question mark the question is the paragraph above its choices, also if it is wrapped', () => {
  const rows = ['What it found:', '', 'This session appears to be open. Resuming it here may', 'cause conflicts.', '']
  expect(read(...rows, '❯ 1. Resume anyway', '  2. Go back')).toEqual({
    text: 'This session appears to be open. Resuming it here may cause conflicts.',
    details: 'What it found:',
    choices: ['Resume anyway', 'Go back'],
    marked: 0,
  })
})

test('a list without a mark, with two, or of one entry is not a question', () => {
  expect(read('Steps:', ' 1. build', ' 2. test')).toBeUndefined()
  expect(read('Steps:', '❯ 1. build', '❯ 2. test')).toBeUndefined()
  expect(read('Steps:', '❯ 1. build')).toBeUndefined()
})
