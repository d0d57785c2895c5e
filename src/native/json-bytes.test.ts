import fc from 'fast-check'
import { expect, test } from 'vitest'
import { findKey, type Haystack, needle, plainString, stringEnd, wholeNumber } from './json-bytes.ts'

/** One UTF-16 unit or character in one of the ways in which JSON may write it. */
const written = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 3 }).map((text) => JSON.stringify(text).slice(1, -1)),
  fc.integer({ min: 0, max: 0xffff }).map((unit) => `\\u${unit.toString(16).padStart(4, '0')}`),
  fc.constantFrom('\\"', '\\\\', '\\/', '\\n', '\\ud83d\\ude00', '\\ud83d', '\\uDE00', '😀', 'é', '日', '\u0080'),
  fc.string({ maxLength: 30 }).map((text) => JSON.stringify(text).slice(1, -1)),
)
const body = fc.array(written, { maxLength: 25 }).map((parts) => parts.join(''))

test('stringEnd finds the quote that ends the string', () => {
  fc.assert(
    fc.property(body, body, (text, next) => {
      const line = Buffer.from(`"${text}","${next}"`)
      expect(stringEnd(line, 1, line.length)).toBe(1 + Buffer.byteLength(text))
      expect(stringEnd(line, 1, 1 + Buffer.byteLength(text))).toBe(-1)
    }),
  )
})

/** A long line, known by its bytes, and a short one, known as text too; not at the start of their buffer. */
function haystacks(text: string): Haystack[] {
  const before = Buffer.from('the line before\n')
  const buffer = Buffer.concat([before, Buffer.from(text)])
  const latin1 = Buffer.from(text).toString('latin1')
  return [undefined, latin1].map((known) => ({ buffer, start: before.length, latin1: known }))
}

test('findKey finds keys and never text inside a string', () => {
  const type = needle('"type":"')
  fc.assert(
    fc.property(body, (text) => {
      const inside = JSON.stringify(`{"type":"x"}${JSON.parse(`"${text}"`)}"type":"y"`)
      for (const line of haystacks(`{"a":${inside},"type":"z"}`)) {
        const end = line.buffer.length
        expect(findKey(line, type, line.start, end)).toBe(line.start + Buffer.byteLength(`{"a":${inside},`))
        expect(findKey(line, type, line.start, end - 4)).toBeLessThan(0)
      }
    }),
  )
  for (const line of haystacks('{"a\\"type":"z"}')) {
    expect(findKey(line, type, line.start, line.buffer.length)).toBeLessThan(0)
  }
})

test('plainString gives short plain ASCII and nothing else', () => {
  const take = (text: string): string | undefined => plainString(Buffer.from(text), 1, Buffer.byteLength(text))
  expect(take('"msg_01-a.b","x"')).toBe('msg_01-a.b')
  expect(take('""')).toBe('')
  expect(take('"caf\u00e9"')).toBeUndefined()
  expect(take('"a\\u0041"')).toBeUndefined()
  expect(take('"without an end')).toBeUndefined()
  expect(take(`"${'x'.repeat(600)}"`)).toBeUndefined()
})

test('wholeNumber reads digits and stops', () => {
  expect(wholeNumber(Buffer.from('x1234,5'), 1)).toBe(1234)
  expect(wholeNumber(Buffer.from('null'), 0)).toBe(0)
  expect(wholeNumber(Buffer.from('12'), 0)).toBe(12)
})
