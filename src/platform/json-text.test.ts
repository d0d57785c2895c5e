import fc from 'fast-check'
import { expect, test } from 'vitest'
import { toJsonText } from './json-text.ts'

const MARKS =
  '\u007f\u0080\u009b\u009f\u061c\u200e\u200f\u2028\u2029\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069'

test('controls, line separators and marks of direction are escaped, in keys too', () => {
  expect(toJsonText({ [`a${MARKS}`]: [MARKS] })).toMatch(/^[\x20-\x7e]*$/)
  expect(toJsonText('\u202e')).toBe('"\\u202e"')
  expect(toJsonText(['é', '漢', '😀', '\u00a0'])).toBe('["é","漢","😀","\u00a0"]')
})

test('it parses to the same value', () => {
  const text = fc.array(fc.oneof(fc.string({ unit: 'grapheme' }), fc.constantFrom(...MARKS))).map((all) => all.join(''))
  fc.assert(
    fc.property(fc.dictionary(text, fc.oneof(text, fc.jsonValue())), (value) => {
      expect(JSON.parse(toJsonText(value))).toEqual(JSON.parse(JSON.stringify(value)))
    }),
  )
})
