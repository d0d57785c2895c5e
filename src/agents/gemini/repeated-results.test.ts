import { appendFileSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { readAll } from '../../../test/support/read-all.ts'
import { scratchIo } from '../../../test/support/scratch.ts'
import { readContext } from '../../native/read-context.ts'
import agent from './index.ts'
import { linesAgainstRepeatedResults } from './repeated-results.ts'
import { open } from './test/open-session.ts'

const time = '2026-11-16T10:00:00.000Z'
const user = (id: string, ...content: object[]) => ({ id, timestamp: time, type: 'user', content })
const response = (id: string) => ({ functionResponse: { id, name: 'shell', response: { output: 'done' } } })
const image = { inlineData: { mimeType: 'image/png', data: 'aGk=' } }
/** A message of the model whose calls have these results. */
const gemini = (id: string, ...results: [call: string, result?: unknown][]) => ({
  id,
  timestamp: time,
  type: 'gemini',
  content: '',
  toolCalls: results.map(([call, result]) => ({ id: call, name: 'shell', args: {}, ...(result ? { result } : {}) })),
})
/** As a resume in the minute of the start writes it: the calls are in the content alone. */
const calling = (id: string, ...calls: string[]) => ({
  id,
  timestamp: time,
  type: 'gemini',
  content: calls.map((call) => ({ functionCall: { id: call, name: 'shell', args: {} } })),
})
const emptied = (id: string) => `${JSON.stringify({ id, timestamp: time, type: 'user', content: [] })}\n`

function linesFor(records: readonly object[], ending = '\n'): string | undefined {
  const io = scratchIo()
  const path = join(io.home, 'session.jsonl')
  writeFileSync(path, records.map((record) => JSON.stringify(record)).join('\n') + ending)
  return linesAgainstRepeatedResults(path, readContext(io))
}

test.each<[string, object[], string | undefined]>([
  ['no tools', [user('u1', { text: 'go' })], undefined],
  ['a result beside its call alone', [gemini('g1', ['c1', [response('c1')]]), user('u1', { text: 'go' })], undefined],
  ['a result in a message alone', [gemini('g1', ['c1']), user('r1', response('c1'))], undefined],
  ['both', [gemini('g1', ['c1', [response('c1')]]), user('r1', response('c1'))], emptied('r1')],
  ['a text as the result', [gemini('g1', ['c1', 'done']), user('r1', response('c1'))], emptied('r1')],
  [
    'parallel calls',
    [
      gemini('g1', ['c1', [response('c1')]], ['c2', [response('c2'), image]]),
      user('r1', response('c1'), response('c2'), image),
    ],
    emptied('r1'),
  ],
  [
    'parallel calls that have the results of each other',
    [
      gemini('g1', ['c1', [response('c1'), response('c2'), image]], ['c2', [response('c1'), response('c2'), image]]),
      user('r1', response('c1'), response('c2'), image),
    ],
    `${JSON.stringify(gemini('g1', ['c1', [response('c1')]], ['c2', [response('c2'), image]]))}\n${emptied('r1')}`,
  ],
  [
    'the same after one more resume',
    [
      gemini(
        'g1',
        ['c1', [response('c1'), response('c2'), response('c1'), response('c2')]],
        ['c2', [response('c1'), response('c2'), response('c1'), response('c2')]],
      ),
    ],
    `${JSON.stringify(gemini('g1', ['c1', [response('c1')]], ['c2', [response('c2')]]))}\n`,
  ],
  [
    'one call with its result twice',
    [gemini('g1', ['c1', [response('c1'), response('c1')]])],
    `${JSON.stringify(gemini('g1', ['c1', [response('c1')]]))}\n`,
  ],
  [
    'parallel calls of which one has only the result of another',
    [gemini('g1', ['c1', [response('c1')]], ['c2', [response('c1')]])],
    undefined,
  ],
  [
    'a message that says more',
    [gemini('g1', ['c1', [response('c1')]]), user('r1', response('c1'), { text: 'and stop then' })],
    undefined,
  ],
  [
    'a call without a result beside one that has it',
    [gemini('g1', ['c1', [response('c1')]], ['c2']), user('r1', response('c1'), response('c2'))],
    undefined,
  ],
  [
    'an id that is used again',
    [gemini('g1', ['c1', [response('c1')]]), gemini('g2', ['c1']), user('r1', response('c1'))],
    undefined,
  ],
  [
    'after a resume in another minute',
    [
      user('old', response('c1')),
      {
        $set: {
          messages: [
            gemini('g1', ['c1', [response('c1')]]),
            user('g1_response', response('c1')),
            user('r1', response('c1')),
          ],
        },
      },
    ],
    emptied('g1_response') + emptied('r1'),
  ],
  [
    'after a resume in the same minute',
    [{ $set: { messages: [calling('g1', 'c1'), user('g1_response', response('c1')), user('r1', response('c1'))] } }],
    emptied('r1'),
  ],
  [
    'what was rewound',
    [gemini('g1', ['c1', [response('c1')]]), user('r1', response('c1')), { $rewindTo: 'r1' }],
    undefined,
  ],
  [
    'what is emptied already',
    [gemini('g1', ['c1', [response('c1')]]), user('r1', response('c1')), user('r1')],
    undefined,
  ],
])('%s', (_, records, lines) => {
  expect(linesFor(records)).toBe(lines)
})

test('what was repaired is not repaired again', () => {
  const shared = [response('c1'), response('c2')]
  const records = [gemini('g1', ['c1', shared], ['c2', shared]), user('r1', ...shared)]
  const added = linesFor(records)!
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as object)
  expect(linesFor([...records, ...added])).toBe(undefined)
})

test('a last line that was cut off ends before the lines that are added', () => {
  const records = [gemini('g1', ['c1', [response('c1')]]), user('r1', response('c1'))]
  expect(linesFor(records, '\n{"id":"g2","ti')).toBe(`\n${emptied('r1')}`)
})

test('the events stay the same, also when Gemini leaves the emptied message out of its list', () => {
  const { io, head, events } = open('0.61.0', 'cccccccc-0000-4000-8000-000000000003')
  const lines = linesAgainstRepeatedResults(head.path, readContext(io))
  expect(lines).toMatch(/^\{"id":"[^"]+","timestamp":"[^"]+","type":"user","content":\[\]\}\n$/)
  appendFileSync(head.path, lines!)
  expect(readAll(agent, head, io).events).toEqual(events)
  const records = readFileSync(head.path, 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
    .flatMap((record) => record.$set?.messages ?? record)
  const last = new Map(records.filter(({ type }) => type).map((record) => [record.id, record]))
  last.delete(JSON.parse(lines!).id)
  const messages = [...last.values()]
  appendFileSync(head.path, `${JSON.stringify({ $set: { messages } })}\n`)
  expect(readAll(agent, head, io).events).toEqual(events)
})
