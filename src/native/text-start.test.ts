import fc from 'fast-check'
import { expect, test } from 'vitest'
import { textStart } from './text-start.ts'

const texts = fc.string({ unit: 'binary', maxLength: 60 })

test('equals JSON.parse and slice', () => {
  fc.assert(
    fc.property(texts, fc.nat(70), (text, limit) => {
      const bytes = Buffer.from(`${JSON.stringify(text)}}`)
      expect(textStart(bytes, 1, bytes.length, limit)).toBe(text.slice(0, limit))
    }),
  )
})

test('equals parsing twice for a string inside a string', () => {
  fc.assert(
    fc.property(texts, fc.nat(70), (text, limit) => {
      const inner = JSON.stringify({ output: text })
      const bytes = Buffer.from(JSON.stringify(inner))
      const from = JSON.stringify('{"output":"').length - 1
      expect(textStart(bytes, from, bytes.length, limit, { nested: true })).toBe(text.slice(0, limit))
    }),
  )
})

test.each([
  ['does not end', '"abc'],
  ['has a bare control character', '"a\u0001b"'],
  ['has an invalid escape', '"a\\qb"'],
  ['has a broken \\u', '"a\\u00:0b"'],
])('gives nothing for a string that %s', (_what, text) => {
  const bytes = Buffer.from(text)
  expect(textStart(bytes, 1, bytes.length, 50)).toBeUndefined()
})

test('is undefined for invalid UTF-8: the parser shows it as �', () => {
  for (const bad of [
    [0xc3, 0x22],
    [0xff, 0x22],
    [0xed, 0xa0, 0x80, 0x22],
    [0xc0, 0x80, 0x22],
  ]) {
    expect(textStart(Buffer.from([0x22, ...bad]), 1, bad.length + 1, 50)).toBeUndefined()
  }
})
