import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, onTestFinished, test } from 'vitest'
import { isProblem } from '../../events/item.ts'
import { CHUNK } from '../../native/byte-search/kernel.ts'
import { matchingLines } from '../../native/byte-search/matching-lines.ts'
import { parseLine } from '../../native/json-lines.ts'
import { readContext } from '../../native/read-context.ts'
import { realIo } from '../../platform/io.ts'
import type { Term } from './term.ts'
import { lineFilter, TextMatcher } from './text-query.ts'

const query = (...wanted: Term[][]) => ({ wanted, excluded: [] })
const matches = (text: string, ...terms: string[]): boolean =>
  new TextMatcher(query(...terms.map((term) => [{ text: term }]))).matches(text)

test('text matches anywhere, without case, accents and differences in white space', () => {
  expect(matches('the webhook', 'webho', 'HOOK')).toBe(true)
  expect(matches('Café', 'cafe')).toBe(true)
  expect(matches('cafe\u0301s', 'cafés')).toBe(true)
  expect(matches('exit\n\t code 137', 'exit code 13')).toBe(true)
  expect(matches('世界は広い', '界は')).toBe(true)
  expect(matches('foo.bar', 'foo bar')).toBe(false)
  expect(matches('한국', '하')).toBe(false)
  expect(matches('が', 'か')).toBe(false)
})

test('alternatives, excluded terms and regular expressions', () => {
  const matcher = new TextMatcher({
    wanted: [[{ text: 'cat' }, { text: 'dog' }], [{ regex: '\\bv\\d+$' }]],
    excluded: [{ text: 'bird' }],
  })
  expect(['dog v12', 'a cat\nV1\n', 'dog v12 bird', 'v12', 'dog v12x'].map((text) => matcher.matches(text))).toEqual([
    ...[true, true, false, false, false],
  ])
  expect(matcher.ranges('dog v12')).toEqual([
    [0, 3],
    [4, 7],
  ])
})

/** As different programs write JSON. */
const encoders: readonly ((text: string) => string)[] = [
  (text) => JSON.stringify({ text }),
  (text) => JSON.stringify({ inner: JSON.stringify({ text }) }),
  (text) =>
    JSON.stringify({ text }).replace(
      /[<>&\x7f-\uffff]/g,
      (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`,
    ),
  (text) => JSON.stringify({ text }).replaceAll('/', '\\/'),
]

test.each([
  ['Ａｂｃ', 'ａＢＣ'],
  ['𐐀', '𐐨'],
  ['Ⓐ', 'ⓐ'],
  ['Ꚃ', 'ꚃ'],
  ['ᲀ', 'ᲀ'],
  ['20 Å', '20 å'],
  ['5 \u212a', '5 \u212a'],
  ['a ≠ b', 'a ≠ b'],
])('a line with %s is found by %s in whatever way it matches', (text, asked) => {
  const folder = mkdtempSync(join(tmpdir(), 'ion-lines-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const path = join(folder, 'lines.jsonl')
  for (const encode of encoders) {
    writeFileSync(path, `${encode(text)}\n`)
    const found = [...matchingLines(path, readContext(realIo()), lineFilter(query([{ text: asked }])))]
    expect(found.length).toBe(matches(text, asked) ? 1 : 0)
  }
})

test('the signs of Kelvin and Ångström are not letters of the alphabet', () => {
  expect([matches('5 \u212a', 'k'), matches('5 \u212b', 'a'), matches('\u0130 ≠', '=')]).toEqual([false, false, false])
  expect(matches('ＡＢ', 'ａｂ')).toBe(true)
})

/** Strings as people and programs write them, with what is folded and escaped. */
const piece = fc.oneof(
  fc.stringMatching(/^[a-c]{1,3}$/),
  fc.constantFrom('É', 'é', 'e\u0301', 'ß', 'Ø', 'İ', 'Ж', 'ж', 'ё', 'ά', 'Σ', 'σ', 'ς', '世', '界', '한', '🚀', 'ﬁ'),
  fc.constantFrom(
    ' ',
    '\n',
    '\t',
    '\u00a0',
    '"',
    '\\',
    '/',
    '<',
    '>',
    '&',
    "'",
    '.',
    '*',
    '(',
    '[',
    '$',
    '-',
    '\x1b',
    '\u2028',
    'Ａ',
    'ｂ',
    '𐐀',
    '\u212a',
    '≠',
    '\u0130',
  ),
  fc.string({ unit: 'binary', maxLength: 3 }),
)
const written = fc.array(piece, { maxLength: 12 }).map((pieces) => pieces.join(''))

test('a line of JSON whose text matches is never skipped', () => {
  const folder = mkdtempSync(join(tmpdir(), 'ion-lines-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const path = join(folder, 'lines.jsonl')
  const reading = readContext(realIo())
  const cases = fc.record({
    before: written,
    text: written,
    after: written,
    change: fc.constantFrom<(text: string) => string>(
      (text) => text,
      (text) => text.toUpperCase(),
      (text) => text.normalize('NFD'),
      (text) => text.normalize('NFC').toLowerCase(),
      (text) => text.replace(/\s+/g, '  '),
    ),
    encode: fc.constantFrom(...encoders),
    // Also so that the text is where one chunk ends and the next begins.
    padding: fc.oneof(
      { weight: 6, arbitrary: fc.constantFrom(0, 3, 100, 70_000) },
      { weight: 1, arbitrary: fc.integer({ min: CHUNK - 90, max: CHUNK }) },
    ),
  })
  let count = 0
  fc.assert(
    fc.property(cases, ({ before, text, after, change, encode, padding }) => {
      const asked = change(text).replace(/\s+/g, ' ').trim()
      const whole = before + text + after
      const matcher = new TextMatcher(query([{ text: asked }]))
      fc.pre(asked !== '' && matcher.matches(whole) && whole === Buffer.from(whole).toString())
      count++
      writeFileSync(path, `{"x":"${'y'.repeat(padding)}"}\n${encode(whole)}\n{"x":"${'z'.repeat(padding)}"}\n`)
      const found: string[] = []
      for (const line of matchingLines(path, reading, lineFilter(query([{ text: asked }]))))
        if (!isProblem(line)) found.push(JSON.stringify(parseLine(line)))
      const wanted = JSON.stringify({ record: JSON.parse(encode(whole)) })
      expect(found).toContain(wanted)
    }),
    { numRuns: 3000 },
  )
  expect(count).toBeGreaterThan(1000)
})
