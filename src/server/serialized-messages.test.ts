import { expect, test } from 'vitest'
import type { Message } from './contract.ts'
import { textMessage } from './message.ts'
import { messagesJson, SerializedMessages } from './serialized-messages.ts'

const message = (id: number, text = `message ${id} ä😀`): Message => ({
  id,
  time: '2026-03-12T14:02:00Z',
  ...textMessage('user', text),
})
const many = (count: number): Message[] => Array.from({ length: count }, (_, id) => message(id))
const text = (chunks: readonly Buffer[]): string => Buffer.concat(chunks).toString('utf8')

test.each([0, 1, 63, 64, 65, 128, 200])('%i messages in chunks are the same as in one string', (count) => {
  const messages = many(count)
  const written = text(new SerializedMessages('full').chunks(messages))
  expect(JSON.parse(written)).toEqual({ messages })
  expect(written).toBe(messagesJson(messages, 'full'))
})

test('unchanged messages are not serialized again; removed ones are gone', () => {
  const written = new SerializedMessages('full')
  const messages = many(200)
  const first = written.chunks(messages)
  expect(written.chunks([...messages]).every((chunk, index) => chunk === first[index])).toBe(true)

  const grown = [...messages.slice(0, 199), message(199, 'more'), message(200)]
  const second = written.chunks(grown)
  expect(second.map((chunk, index) => chunk === first[index])).toEqual([true, true, true, true, false, true])
  expect(text(second)).toBe(messagesJson(grown, 'full'))

  const rewound = [...messages.slice(0, 70), message(201)]
  expect(text(written.chunks(rewound))).toBe(messagesJson(rewound, 'full'))
})

test('clients of AgentAPI get messages without parts', () => {
  const written = text(new SerializedMessages('agentapi').chunks(many(2)))
  expect(JSON.parse(written)).toEqual({ messages: many(2).map(({ parts: _, ...rest }) => rest) })
  expect(written).toBe(messagesJson(many(2), 'agentapi'))
})
