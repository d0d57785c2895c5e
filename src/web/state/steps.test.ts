import { expect, test } from 'vitest'
import type { Message, Part } from '../api/contract.ts'
import { rowsOf } from './rows.ts'
import { foldSteps, type ListRow } from './steps.ts'

const calls = (count: number): Part[] =>
  Array.from({ length: count }, (_, at) => ({ type: 'tool_use', id: `c${at}`, name: 'Read', input: { at } }) as const)
const say = (text: string): Part => ({ type: 'text', text })
const answered: Part = {
  type: 'note',
  subtype: 'answered',
  text: 'Yes',
  answer: { question: 'Run it?', details: '', choice: 'Yes', by: 'ann', time: '' },
}
const think: Part = { type: 'thinking', text: 'hm' }
const message = (id: number, done: boolean, ...parts: Part[]): Message => ({
  ...{ id, role: 'agent', content: '', time: '', parts, done },
})

const shown = (messages: readonly Message[], open: readonly string[] = []): string[] =>
  foldSteps(rowsOf(messages), (key) => open.includes(key)).map(labelOf)

function labelOf(row: ListRow): string {
  if (row.kind !== 'steps') return `${row.kind} ${row.key}`
  return `${row.steps.length} ${row.isGrowing ? 'earlier' : 'steps'} ${row.key}`
}

test('a run of calls with the thinking between them is one row; a short one is not folded', () => {
  const turn = message(1, true, say('I look.'), ...calls(3), think, ...calls(3), say('Now:'), ...calls(4), say('Done.'))
  expect(shown([turn])).toEqual([
    'text 1.0',
    '7 steps 1.1.steps',
    'text 1.8',
    ...['call 1.9', 'call 1.10', 'call 1.11', 'call 1.12'],
    'text 1.13',
  ])
})

test('an answer between calls is part of the run, and no call', () => {
  expect(shown([message(1, true, ...calls(2), answered, ...calls(3), say('Done.'))])).toEqual([
    '6 steps 1.0.steps',
    'text 1.6',
  ])
  expect(shown([message(1, true, ...calls(2), answered, ...calls(2))])).toHaveLength(5)
})

test('while a run grows, its last rows are shown; it keeps its key when it is over', () => {
  const growing = message(1, false, ...calls(6))
  expect(shown([growing])).toEqual(['3 earlier 1.0.steps', 'call 1.3', 'call 1.4', 'call 1.5'])
  expect(shown([message(1, false, ...calls(4))])).toHaveLength(4)
  expect(shown([message(1, false, ...calls(6), say('So.'))])).toEqual(['6 steps 1.0.steps', 'text 1.6'])
  expect(shown([message(1, true, ...calls(6))])).toEqual(['6 steps 1.0.steps'])
})

test('an opened run shows its rows, also if only a row within it was opened', () => {
  const turn = message(1, true, ...calls(5))
  const all = ['5 steps 1.0.steps', 'call 1.0', 'call 1.1', 'call 1.2', 'call 1.3', 'call 1.4']
  expect(shown([turn], ['1.0.steps'])).toEqual(all)
  expect(shown([turn], ['1.3'])).toEqual(all)
})

test('runs of two messages stay apart', () => {
  expect(shown([message(1, true, ...calls(3)), message(2, true, ...calls(3))])).toHaveLength(6)
})
