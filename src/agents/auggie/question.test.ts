import { expect, test } from 'vitest'
import { readQuestion } from './question.ts'

// The questions themselves are recorded: test/screens/.

const read = (...lines: readonly string[]) => readQuestion(lines.map((text) => ({ text, vivid: text })))
const KEYS = ' [↑↓] Navigate • [Enter] Select • [Esc] Decline'

test('a choice that is wrapped is one choice', () => {
  const list = [
    '│  Which one?',
    '│',
    '│  ▸ 1) a long',
    '│  answer',
    '│    2) another',
    '│    3) custom',
    '│    ───',
    '│    4) chat',
  ]
  expect(read('╭───╮', ...list, '╰───╯', KEYS)).toEqual({
    text: 'Which one?',
    details: '',
    choices: ['a long answer', 'another', 'chat'],
    marked: -1,
    typed: ['1', '2', '4'],
  })
})

test('a list in the command that is to be approved has no choices', () => {
  const command = [
    '│  Tool Approval Required │',
    '│                          │',
    '│  1. Yes                  │',
    '│  2. No                   │',
  ]
  expect(read(...command, '╰──────────────────────────╯', ' [A]llow [D]eny')).toEqual({
    text: 'Tool Approval Required',
    details: '1. Yes\n2. No',
    choices: ['Allow', 'Deny'],
    marked: -1,
    typed: ['a', 'd'],
  })
})

test('a question whose beginning has scrolled away still has its choices', () => {
  expect(read('│  rm -rf build │', '│               │', '╰───────────────╯', ' [A]llow [D]eny')).toEqual({
    text: 'rm -rf build',
    details: '',
    choices: ['Allow', 'Deny'],
    marked: -1,
    typed: ['a', 'd'],
  })
})

test('a frame or a list in the conversation is not a question', () => {
  const frame = ['╭──────────╮', '│  › 1. it  │', '│    2. all │', '╰──────────╯']
  expect(read(...frame)).toBeUndefined()
  expect(read(...frame, ' [A]llow [D]eny', '● and more')).toBeUndefined()
  expect(read('● These are the steps:', '  1. build it', '  2. test it', ' [x] done')).toBeUndefined()
})
