import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { StoredMessage } from './chat-state.ts'
import { logSnapshot } from './log-snapshot.ts'

const time = '2026-11-16T09:00:00.000Z'
const chat = (...texts: readonly string[]): StoredMessage[] =>
  texts.map((message, id) => ({ id, message, role: id % 2 === 0 ? 'user' : 'agent', time }))
const parsed = (messages: readonly StoredMessage[]): { id: number; content: string }[] =>
  JSON.parse(logSnapshot(messages)).messages

test('messages have the fields of AgentAPI', () => {
  expect(logSnapshot(chat('fix it', 'done'))).toBe(
    `{"messages":[{"id":0,"content":"fix it","role":"user","time":"${time}"},` +
      `{"id":1,"content":"done","role":"agent","time":"${time}"}]}`,
  )
  expect(logSnapshot([])).toBe('{"messages":[]}')
})

test('the last 30, and of those the last that fit', () => {
  const short = chat(...Array.from({ length: 100 }, (_, index) => `message ${index}`))
  expect(parsed(short).map(({ id }) => id)).toEqual(Array.from({ length: 30 }, (_, index) => 70 + index))
  const long = chat(...Array.from({ length: 10 }, () => 'x'.repeat(20_000)))
  expect(parsed(long).map(({ id, content }) => [id, content.length])).toEqual([7, 8, 9].map((id) => [id, 20_000]))
})

test('a last message that does not fit is shortened in its middle', () => {
  const [last, ...others] = parsed(chat('before', `begin${'ü\n'.repeat(50_000)}end`))
  expect(others).toEqual([])
  expect(last).toMatchObject({ id: 1, content: expect.stringMatching(/^begin.*\[… shortened: .* …\].*end$/s) })
})

test("Coder's database stores no NUL", () => {
  expect(parsed(chat('a\0b'))[0]!.content).toBe('ab')
})

test('any chat fits, and its newest message is in it', () => {
  const character = fc.constantFrom('x', '"', '\n', '\u009b', '\u202e', '😀', '\ud800')
  const text = fc.tuple(character, fc.integer({ min: 0, max: 90_000 })).map(([one, count]) => one.repeat(count))
  fc.assert(
    fc.property(fc.array(text, { minLength: 1, maxLength: 8 }), (texts) => {
      const messages = chat(...texts)
      expect(Buffer.byteLength(logSnapshot(messages))).toBeLessThanOrEqual(64 * 1024)
      expect(parsed(messages).at(-1)?.id).toBe(messages.at(-1)!.id)
    }),
    { numRuns: 30 },
  )
})
