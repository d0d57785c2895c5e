import fc from 'fast-check'
import width from 'fast-string-width'
import { expect, test } from 'vitest'
import { wrap } from './text.ts'

const text = fc.string({ unit: fc.constantFrom('a', 'b', ' ', '\n', 'ö', '日', '😀', '-'), maxLength: 200 })

test('lines are never wider than asked, and no visible character is lost', () => {
  fc.assert(
    fc.property(text, fc.integer({ min: 8, max: 60 }), (given, columns) => {
      const lines = wrap(given, columns)
      for (const line of lines) expect(width(line.trimEnd())).toBeLessThanOrEqual(columns)
      expect(lines.join('').replace(/\s/g, '')).toBe(given.replace(/\s/g, ''))
    }),
  )
})

test('breaks between words and keeps the indentation', () => {
  expect(wrap('  one two three\nfour', 11)).toEqual(['  one two', '  three', 'four'])
})
