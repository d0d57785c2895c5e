import fc from 'fast-check'
import displayWidth from 'fast-string-width'
import { expect, test } from 'vitest'
import { characters, width, wrap } from './text.ts'

const segmenter = new Intl.Segmenter(undefined, { granularity: 'grapheme' })
const whole = (text: string): string[] => [...segmenter.segment(text)].map(({ segment }) => segment)

test('the same characters as from the segmenter', () => {
  const family = '👨‍👩‍👧'
  const texts = [
    '',
    'plain',
    `é${'a'.repeat(300)}`,
    family.repeat(200),
    `${'x'.repeat(253)}${family}y`,
    'e\u0301'.repeat(500),
  ]
  for (const text of texts) expect([...characters(text)]).toEqual(whole(text))
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', maxLength: 700 }), (text) => {
      expect([...characters(text)].join('')).toBe(text)
    }),
  )
})

test('the same for punctuation, arrows, signs and boxes, and what may follow them', () => {
  const wrong: string[] = []
  for (let code = 0x2000; code < 0x2c00; code++) {
    const sign = String.fromCharCode(code)
    const text = ['', 'a', '\ufe0f', '\u200d', '\u0301', '👧', '\u200d👧', '→'].map((next) => sign + next).join('')
    if ([...characters(text)].join('\0') !== whole(text).join('\0')) wrong.push(code.toString(16))
  }
  expect(wrong).toEqual([])
})

test('the width of a text is that of the library, also where it is not asked', () => {
  const latin = fc.integer({ min: 0x20, max: 0x17f }).map((code) => String.fromCodePoint(code))
  const unit = fc.oneof(latin, fc.constantFrom('…', '\ufe0f', '\u0301', '日', '👍'))
  fc.assert(
    fc.property(fc.string({ unit, maxLength: 8 }), (text) => {
      expect({ text, width: width(text) }).toEqual({ text, width: displayWidth(text) })
    }),
    { numRuns: 2000 },
  )
})

test('wrapping a word of a megabyte is fast', () => {
  const started = performance.now()
  expect(wrap('x'.repeat(1_000_000), 100).length).toBe(10_000)
  expect(wrap('é'.repeat(1_000_000), 100).length).toBe(10_000)
  // All at once it would take a quarter of an hour.
  expect(performance.now() - started).toBeLessThan(10_000)
})
