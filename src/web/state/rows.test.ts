import { expect, test } from 'vitest'
import type { Message, Part } from '../api/contract.ts'
import { rowsOf, rowText } from './rows.ts'

const use: Part = { type: 'tool_use', id: 'c1', name: 'Read', input: { file_path: '/home/dev/a.ts' } }
const result: Part = { type: 'tool_result', tool_use_id: 'c1', content: 'text', is_error: false }
const message = (role: 'user' | 'agent', ...parts: Part[]): Message => ({
  id: 4,
  role,
  content: 'content',
  time: '2026-03-12T14:02:00Z',
  parts,
  done: true,
})

test('a call and its result are one row, whatever is between them', () => {
  const turn = message('agent', { type: 'thinking', text: 'hm' }, use, { type: 'text', text: 'So.' }, result)
  expect(rowsOf([turn])).toEqual([
    { key: '4.0', message: turn, kind: 'thinking', text: 'hm' },
    { key: '4.1', message: turn, kind: 'call', call: use, result },
    { key: '4.2', message: turn, kind: 'text', text: 'So.' },
  ])
})

test('a note with an answer is a row of its own kind, and all of it is found', () => {
  const answer = { question: 'Run it?', details: 'ls', choice: 'Yes', by: 'ann', time: '2026-03-12T14:02:30Z' }
  const turn = message('agent', use, { type: 'note', subtype: 'answered', text: 'Yes', answer }, result)
  const [, row] = rowsOf([turn])
  expect(row).toEqual({ key: '4.1', message: turn, kind: 'answer', answer })
  expect(rowText(row!)).toBe('Yes\nRun it?\nann\nls')
})

test('a result without its call is shown, empty texts and unknown parts are not', () => {
  const turn = message('agent', { type: 'text', text: ' \n' }, { type: 'hologram' } as unknown as Part, result)
  expect(rowsOf([turn])).toEqual([{ key: '4.2', message: turn, kind: 'result', result }])
})

test('texts of the user are prompts; a prompt without text still has its row', () => {
  const said = message('user', { type: 'text', text: 'Do it' }, { type: 'note', subtype: 'image', text: 'a picture' })
  const silent = message('user')
  expect(rowsOf([said, silent])).toEqual([
    { key: '4.0', message: said, kind: 'prompt', text: 'Do it' },
    { key: '4.1', message: said, kind: 'note', subtype: 'image', text: 'a picture' },
    { key: '4.0', message: silent, kind: 'prompt', text: 'content' },
  ])
})
