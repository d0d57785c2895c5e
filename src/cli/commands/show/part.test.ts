import { expect, test } from 'vitest'
import { sampleLog } from '../../../../test/support/sample-events.ts'
import type { IonEvent } from '../../../events/schema.ts'
import { contentText } from '../../../events/text.ts'
import { type Part, parsePart, partOf, turnWith } from './part.ts'

const turn = (n: number): Parameters<typeof sampleLog> => [
  { type: 'user', content: `ask ${n}` },
  { type: 'tool_use', id: `call-${n}`, name: 'Bash', input: { command: 'ls' } },
  { type: 'tool_result', tool_use_id: `call-${n}`, content: 'files', is_error: false },
  { type: 'assistant', content: [{ type: 'text', text: `answer ${n}` }] },
]
const events = sampleLog(...turn(1), ...turn(2), ...turn(3))

function shown(events: readonly IonEvent[]): string[] {
  return events.map((event) =>
    event.type === 'user' || event.type === 'assistant' ? contentText(event.content) : event.type,
  )
}

const part = (wanted: Part): string[] => shown([...partOf(() => events, wanted)])

test.each<[string | true | undefined, string | undefined, Part]>([
  [undefined, undefined, { kind: 'all' }],
  [true, undefined, { kind: 'last', messages: 20 }],
  ['3', undefined, { kind: 'last', messages: 3 }],
  [undefined, '3', { kind: 'turns', from: 3, to: 3 }],
  [undefined, '3..5', { kind: 'turns', from: 3, to: 5 }],
  [undefined, '3..', { kind: 'turns', from: 3, to: -1 }],
  [undefined, '-2', { kind: 'turns', from: -2, to: -2 }],
])('--last %s --turn %s', (last, turn, expected) => {
  expect(parsePart(last, turn)).toEqual(expected)
})

test.each([
  ['0', undefined],
  ['some', undefined],
  [undefined, '0'],
  [undefined, '1-2'],
  [undefined, '3..1'],
  [undefined, 'first'],
  ['1', '1'],
])('--last %s --turn %s is refused with a hint', (last, turn) => {
  expect(() => parsePart(last, turn)).toThrowError(expect.objectContaining({ kind: 'usage', hint: expect.any(String) }))
})

test('the last messages, with what is between and after them', () => {
  expect(part({ kind: 'last', messages: 1 })).toEqual(['answer 3'])
  expect(part({ kind: 'last', messages: 3 })).toEqual(['answer 2', 'ask 3', 'tool_use', 'tool_result', 'answer 3'])
  expect(part({ kind: 'last', messages: 99 })).toEqual(shown(events))
  const many = sampleLog(...Array.from({ length: 3000 }, (_, n) => turn(n)).flat())
  expect(shown([...partOf(() => many, { kind: 'last', messages: 2 })])).toEqual([
    ...['ask 2999', 'tool_use', 'tool_result', 'answer 2999'],
  ])
})

test('turns by their number, also from the end', () => {
  const second = ['ask 2', 'tool_use', 'tool_result', 'answer 2']
  expect(part({ kind: 'turns', from: 2, to: 2 })).toEqual(second)
  expect(part({ kind: 'turns', from: -2, to: -2 })).toEqual(second)
  expect(part({ kind: 'turns', from: 2, to: -1 })).toEqual([
    ...second,
    ...['ask 3', 'tool_use', 'tool_result', 'answer 3'],
  ])
  expect(() => part({ kind: 'turns', from: 9, to: 9 })).toThrow('the session has 3 turns')
})

test('the turn that has an event', () => {
  expect(shown(turnWith(events, ({ id }) => id === 'call-2'))).toEqual(['ask 2', 'tool_use', 'tool_result', 'answer 2'])
  expect(turnWith(events, () => false)).toEqual([])
})
