import fc from 'fast-check'
import { expect, test } from 'vitest'
import { titleFrom } from './session.ts'

/** The same, said plainly. */
function plainTitle(text: string): string | null {
  const lines = text.slice(0, 4000).split('\n')
  const line = lines.map((part) => part.replace(/\s+/g, ' ').trim()).find((part) => part !== '')
  if (!line) return null
  const letters = [...line]
  return letters.length > 120 ? `${letters.slice(0, 119).join('')}…` : line
}

test('a title is the first line that is not blank, in one line of at most 120 characters', () => {
  const part = fc.constantFrom(' ', '\n', '\r\n', '\t', '\u2028', '\u00a0', 'a', 'word ', '😀', 'é', 'x'.repeat(119))
  fc.assert(
    fc.property(fc.array(part, { maxLength: 60 }), (parts) => {
      expect(titleFrom(parts.join(''))).toBe(plainTitle(parts.join('')))
    }),
  )
})
