import { appendFileSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { scratchFolder, scratchIo } from '../../test/support/scratch.ts'
import { END_OF_AVAILABLE } from '../events/item.ts'
import { isTooDeep, readJsonLines } from './json-lines.ts'
import { readContext } from './read-context.ts'

function read(bytes: string | Buffer, from = 0): { items: unknown[]; bad: number; path: string } {
  const path = join(scratchFolder(), 'records.jsonl')
  writeFileSync(path, bytes)
  const reading = readContext(scratchIo())
  const items = [...readJsonLines(path, reading, from)]
  return { items, bad: reading.coverage.bad, path }
}

const span = (path: string, offset: number, length: number): object => ({ path, offset, length })

test('any records are read back as they were written, from any line', () => {
  const record = fc.dictionary(fc.string({ unit: 'grapheme' }), fc.jsonValue())
  fc.assert(
    fc.property(fc.array(record, { maxLength: 8 }), fc.constantFrom('\n', '\r\n'), fc.nat(), (records, end, skip) => {
      const lines = records.map((value) => `${JSON.stringify(value)}${end}`)
      const first = records.length === 0 ? 0 : skip % records.length
      const from = Buffer.byteLength(lines.slice(0, first).join(''))
      const { items, bad } = read(lines.join(''), from)
      expect(items.map((item) => (item as { record: unknown }).record)).toEqual(
        records.slice(first).map((value) => JSON.parse(JSON.stringify(value))),
      )
      expect(bad).toBe(0)
    }),
    { numRuns: 60 },
  )
})

test('long lines of any content are read back', () => {
  const character = fc.constantFrom('a', '"', '\n', 'ü', '日', '😀', '\ud83d', '\ufeff')
  const long = fc.tuple(fc.constantFrom(0, 2000, 4000), fc.string({ unit: character, maxLength: 200 }))
  fc.assert(
    fc.property(fc.array(long, { minLength: 1, maxLength: 4 }), (texts) => {
      const records = texts.map(([length, text]) => ({ text: text + 'x'.repeat(length) + text }))
      const { items } = read(`\ufeff${records.map((record) => `${JSON.stringify(record)}\n`).join('')}`)
      expect(items.map((item) => (item as { record: unknown }).record)).toEqual(records)
    }),
    { numRuns: 60 },
  )
})

test('invalid UTF-8 in a long line is replaced and reported', () => {
  const rest = 'ü'.repeat(3000)
  const bytes = Buffer.concat([Buffer.from('{"a":"'), Buffer.from([0xff]), Buffer.from(`${rest}"}\n`)])
  const { items, path } = read(bytes)
  expect(items).toEqual([
    { code: 'invalid_utf8', problem: 'invalid UTF-8; shown with �', path, line: 1, offset: 0 },
    { record: { a: `�${rest}` }, line: 1, span: span(path, 0, bytes.length - 1) },
  ])
})

test('a bad line is one counted problem in its place', () => {
  const { items, bad, path } = read('{"a":1}\nnot json\n[1]\nnull\n"text"\n\n  \n{"b":2}\n')
  expect(items).toEqual([
    { record: { a: 1 }, line: 1, span: span(path, 0, 7) },
    { code: 'not_json', problem: expect.stringMatching(/^not JSON: /), path, line: 2, offset: 8 },
    { code: 'not_json', problem: 'not a JSON object', path, line: 3, offset: 17 },
    { code: 'not_json', problem: 'not a JSON object', path, line: 4, offset: 21 },
    { code: 'not_json', problem: 'not a JSON object', path, line: 5, offset: 26 },
    { record: { b: 2 }, line: 8, span: span(path, 37, 7) },
  ])
  expect(bad).toBe(4)
})

test('cut at any byte: complete lines are read, a partial one is left for later', () => {
  const whole = Buffer.from('{"a":"ü"}\n{"b":"日本"}\n{"c":"😀"}')
  for (let cut = 0; cut <= whole.length; cut++) {
    const { items, bad } = read(whole.subarray(0, cut))
    const complete = cut === whole.length ? 3 : whole.subarray(0, cut).toString('latin1').split('\n').length - 1
    // A record that lacks only its newline is complete.
    const withoutNewline = cut < whole.length && whole[cut] === 10 ? 1 : 0
    expect(items.length).toBe(complete + withoutNewline)
    expect(bad).toBe(0)
  }
})

test('a byte order mark at the start of the file is not part of the record', () => {
  const { items, path } = read('\ufeff{"a":1}\n\ufeff{"b":1}\n')
  expect(items).toEqual([
    { record: { a: 1 }, line: 1, span: span(path, 0, 10) },
    { code: 'not_json', problem: expect.stringMatching(/^not JSON: /), path, line: 2, offset: 11 },
  ])
  expect(read('\ufeff').items).toEqual([])
  expect(read('\ufeff\n').items).toEqual([])
})

test('invalid UTF-8 is reported and shown with replacement characters', () => {
  const { items, bad, path } = read(Buffer.from('{"a":"x\xff\xc3y"}\n', 'latin1'))
  expect(items).toEqual([
    { code: 'invalid_utf8', problem: 'invalid UTF-8; shown with �', path, line: 1, offset: 0 },
    { record: { a: 'x��y' }, line: 1, span: span(path, 0, 12) },
  ])
  expect(bad).toBe(0)
})

describe('deep JSON', () => {
  const nested = (depth: number): string => `{"a":${'['.repeat(depth)}${']'.repeat(depth)}}`

  test('100,000 nested arrays are a problem, not a crash', () => {
    const { items, bad, path } = read(
      `${nested(100_000)}\n${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}\n{"b":1}\n`,
    )
    expect(items).toEqual([
      { code: 'too_deep', problem: 'nested more than 500 levels deep', path, line: 1, offset: 0 },
      { code: 'too_deep', problem: 'nested more than 500 levels deep', path, line: 2, offset: 200_007 },
      { record: { b: 1 }, line: 3, span: span(path, 800_009, 7) },
    ])
    expect(bad).toBe(2)
  })

  test('a record that is accepted can be serialised again', () => {
    expect(isTooDeep(JSON.parse(nested(499)))).toBe(false)
    expect(isTooDeep(JSON.parse(nested(500)))).toBe(true)
    const { items } = read(`${nested(499)}\n`)
    expect(JSON.stringify((items[0] as { record: unknown }).record)).toBe(nested(499))
  })
})

test('a line of 40 MB is reported and skipped', () => {
  const { items, bad, path } = read(`{"a":1}\n{"b":"${'x'.repeat(40_000_000)}"}\n{"c":1}\n`)
  expect(items).toEqual([
    { record: { a: 1 }, line: 1, span: span(path, 0, 7) },
    { code: 'too_large', problem: 'line of 40 MB is too long to read', path, line: 2, offset: 8 },
    { record: { c: 1 }, line: 3, span: span(path, 40_000_017, 7) },
  ])
  expect(bad).toBe(1)
})

test('a missing file and a folder are problems', () => {
  const folder = scratchFolder()
  const reading = readContext(scratchIo())
  const missing = join(folder, 'none.jsonl')
  expect([...readJsonLines(missing, reading)]).toEqual([
    { code: 'cannot_read', errno: 'ENOENT', problem: expect.stringMatching(/^cannot open: ENOENT/), path: missing },
  ])
  mkdirSync(join(folder, 'a.jsonl'))
  expect([...readJsonLines(join(folder, 'a.jsonl'), reading)]).toEqual([
    {
      code: 'cannot_read',
      errno: 'EISDIR',
      problem: expect.stringMatching(/^cannot read: EISDIR/),
      path: join(folder, 'a.jsonl'),
    },
  ])
})

test('a followed file: complete lines as they are written, and a marker instead of the end', () => {
  const path = join(scratchFolder(), 'a.jsonl')
  writeFileSync(path, '{"a":1}\n{"b"')
  const follow = { path, offset: 0 }
  const lines = readJsonLines(path, { ...readContext(scratchIo()), follow })
  const next = (): unknown => lines.next().value
  const first = { record: { a: 1 }, line: 1, span: span(path, 0, 7) }
  expect([next(), next(), next(), follow.offset]).toEqual([first, END_OF_AVAILABLE, END_OF_AVAILABLE, 12])
  appendFileSync(path, ':2}')
  expect(next()).toBe(END_OF_AVAILABLE)
  appendFileSync(path, '\n\n{"c":3}\n')
  expect([next(), next(), next()]).toEqual([
    { record: { b: 2 }, line: 2, span: span(path, 8, 7) },
    { record: { c: 3 }, line: 4, span: span(path, 17, 7) },
    END_OF_AVAILABLE,
  ])
  expect(lines.return(undefined)).toEqual({ done: true, value: undefined })
})
