import { expect, test } from 'vitest'
import { type Message, saidBy } from './message.ts'
import { messagesJson, WrittenMessages } from './serialized-messages.ts'

const message = (id: number, text = `message ${id} ä😀`): Message => ({
  id,
  time: '2026-03-12T14:02:00Z',
  ...saidBy('user', text),
})
const many = (count: number): Message[] => Array.from({ length: count }, (_, id) => message(id))
const text = (pieces: readonly Buffer[]): string => Buffer.concat(pieces).toString('utf8')

test.each([0, 1, 63, 64, 65, 128, 200])('%i messages in pieces are the same as in one', (count) => {
  const messages = many(count)
  const written = text(new WrittenMessages().pieces(messages))
  expect(JSON.parse(written)).toEqual({ messages })
  expect(written).toBe(messagesJson(messages))
})

test('what has not changed is not written again; what was taken back is gone', () => {
  const written = new WrittenMessages()
  const messages = many(200)
  const first = written.pieces(messages)
  expect(written.pieces([...messages]).every((piece, at) => piece === first[at])).toBe(true)

  const grown = [...messages.slice(0, 199), message(199, 'more'), message(200)]
  const second = written.pieces(grown)
  expect(second.map((piece, at) => piece === first[at])).toEqual([true, true, true, true, false, true])
  expect(text(second)).toBe(messagesJson(grown))

  const rewound = [...messages.slice(0, 70), message(201)]
  expect(text(written.pieces(rewound))).toBe(messagesJson(rewound))
})
