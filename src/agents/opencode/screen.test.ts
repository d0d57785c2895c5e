import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import type { ScreenRow } from '../screen.ts'
import { readAnswer } from './answer.ts'
import { readQuestion } from './question.ts'
import { readInput } from './screen.ts'

const folder = new URL('test/screens/', import.meta.url)
const names = readdirSync(folder).flatMap((name) => (name === 'expected.json' ? [] : [name.replace('.json', '')]))

function recorded(name: string): ScreenRow[] {
  const { rows, vivid, highlighted = {} } = JSON.parse(readFileSync(new URL(`${name}.json`, folder), 'utf8'))
  return rows.map((text: string, at: number) => ({
    text,
    vivid: vivid[at] ?? text,
    ...(highlighted[at] === undefined ? {} : { highlighted: highlighted[at] }),
  }))
}

function drawn(...lines: readonly string[]): ScreenRow[] {
  return lines.map((text) => ({ text, vivid: text }))
}

/** The same screen with some of its text replaced. */
function changed(name: string, from: string | RegExp, to: string): ScreenRow[] {
  return recorded(name).map((row) => ({ ...row, text: row.text.replace(from, to), vivid: row.vivid.replace(from, to) }))
}

const BOX = ['  ┃', '  ┃', '  ┃', '  ┃  Build · Stub', `  ╹${'▀'.repeat(80)}`, '   /home/dev']

test.each(names)('%s in a theme without grey', (name) => {
  const rows = recorded(name)
  const colourful = rows.map((row) => ({ ...row, vivid: row.text }))
  expect([readInput(colourful), readQuestion(colourful)]).toEqual([readInput(rows), readQuestion(rows)])
})

describe('the input box', () => {
  test('is not one that the conversation shows while something is asked', () => {
    const quoted = recorded('question-shell')
    quoted.splice(0, BOX.length, ...drawn(...BOX.map((line) => `   ${line}`)))
    expect(readInput(quoted)).toBeUndefined()
  })

  test.each([101, 120, 121, 160])('is not where a message goes while a dialog is open, in %i columns', (columns) => {
    const [left, right] = [Math.floor((columns - 60) / 2), Math.ceil((columns - 60) / 2)]
    const dialog = `${' '.repeat(left)}    Select model${' '.repeat(37)}esc    ${' '.repeat(right)}`
    const rows = drawn(' '.repeat(columns), dialog, ...BOX)
    expect(readInput(rows)).toBeUndefined()
    expect(readQuestion(rows)?.text).toBe('Select model')
    expect(readInput(drawn(' '.repeat(columns), ...BOX))).toBe('')
  })
})

describe('a question', () => {
  test('is the same while its answer is on the way', () => {
    expect(readQuestion(changed('question-tool', '2. Green', '2. Green ✓'))).toEqual(
      readQuestion(recorded('question-tool')),
    )
  })

  test('has no marked button when none is highlighted', () => {
    const plain = recorded('question-shell').map(({ text, vivid }) => ({ text, vivid }))
    expect(readQuestion(plain)?.marked).toBe(-1)
  })

  test('is not what a user wrote about keys', () => {
    expect(readQuestion(drawn('  ┃', '  ┃  press enter submit, then go on', '  ┃'))).toBeUndefined()
  })
})

describe('an answer', () => {
  const prompt = ['  ┃', '  ┃  # Do it', '  ┃', '']
  const rowsOf = (...lines: readonly string[]) => readAnswer(drawn(...lines, '', ...BOX))

  test('of an earlier turn is not the answer to a prompt', () => {
    expect(rowsOf(...prompt, '     done', '', ...prompt)).toBeUndefined()
  })

  test('is continued while another prompt waits', () => {
    const waiting = ['  ┃', '  ┃  and then', '  ┃   QUEUED', '  ┃']
    expect(rowsOf(...prompt, '     I look', '', '     ▣  Build · Stub', '', ...waiting)).toEqual({
      rows: ['I look'],
      begins: true,
    })
  })

  test('is what comes after calls, and after what is thought', () => {
    const before = ['     I look', '', '     ✱ Glob "*.ts" (2 matches)', '     $ a long', '       command', '']
    expect(rowsOf(...prompt, ...before, '     + Thought: 2s', '', '     Found', '       it')).toEqual({
      rows: ['Found', '  it'],
      begins: true,
    })
  })

  test('may be a thought, where those are shown and nothing is faint', () => {
    const shown = ['     Thought: 2s', '', '     hm', '', '     Found']
    expect(rowsOf(...prompt, ...shown)).toEqual({ rows: ['hm', '', 'Found'], begins: false })
    const faint = drawn(...prompt, ...shown, '', ...BOX).map((row) =>
      /hm/.test(row.text) ? { ...row, vivid: '' } : row,
    )
    expect(readAnswer(faint)).toEqual({ rows: ['Found'], begins: true })
  })
})
