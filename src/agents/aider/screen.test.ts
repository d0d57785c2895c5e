import { expect, test } from 'vitest'
import type { ScreenRow } from '../screen.ts'
import { readAnswer, readInput, readQuestion } from './screen.ts'

const WIDTH = 40
const RULE = '─'.repeat(WIDTH)
const fill = (text: string): string => text.padEnd(WIDTH)

/** A screen of 12 rows; while Aider waits, it has also drawn the last one. */
function screen(lines: readonly string[], last = fill('')): ScreenRow[] {
  const texts = [...lines, ...Array<string>(11 - lines.length).fill(''), last]
  return texts.map((text) => ({ text, vivid: text.trimEnd() }))
}

test.each([
  ['ask> why ', 'why'],
  ['multi> why ', 'why'],
  ['ask multi> why ', 'why'],
  ['>', ''],
])('the prompt of another mode, or without colours: %s', (row, typed) => {
  expect(readInput(screen(['Tokens: 1k sent', RULE, row]))).toBe(typed)
})

test('a prompt that was entered is not the input, with colours and without', () => {
  expect(readInput(screen([RULE, fill('> why')], ''))).toBeUndefined()
  expect(readInput(screen([RULE, fill('> why'), '', '  ░█  Waiting for a-model'], ''))).toBeUndefined()
  expect(readInput(screen(['', '> why', '', 'Because'], ''))).toBeUndefined()
})

test('a row of an answer that looks like the prompt is not the input', () => {
  const answer = [fill('as in'), fill(''), fill('$ cat <<END'), fill('> quoted')]
  expect(readInput(screen(answer))).toBeUndefined()
  expect(readInput(screen([RULE, fill('> why'), '', ...answer]))).toBeUndefined()
  expect(readAnswer(screen([RULE, fill('> why'), '', ...answer]))).toEqual({
    rows: ['as in', '', '$ cat <<END', '> quoted'],
    begins: true,
  })
})

test('a question that is continued in the next row, and that somebody began to answer', () => {
  const rows = ['', 'src/cart.js', "No files matched 'src/cart.js'. Do you w", 'ant to create it? (Y)es/(N)o [Yes]: n ']
  expect(readQuestion(screen([RULE, ...rows]))).toEqual({
    text: "No files matched 'src/cart.js'. Do you want to create it?",
    details: 'src/cart.js',
    choices: ['Yes', 'No'],
    marked: -1,
    typed: ['\x15y\r', '\x15n\r'],
  })
})

test('a question that was answered is not asked any more', () => {
  const asked = fill('Create it? (Y)es/(N)o [Yes]: y')
  expect(readQuestion(screen(['src/cart.js', asked], ''))).toBeUndefined()
  // Not all of the row is drawn yet.
  expect(readQuestion(screen(['src/cart.js', asked.trimEnd().concat(' ')], ''))).toBeUndefined()
  expect(readQuestion(screen(['src/cart.js', asked, 'Applied edit to src/cart.js'], ''))).toBeUndefined()
})
