import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { packagedTable } from './load-prices.ts'
import { bandsText, dollarsText, kinds, type PriceRow, parseBands, parseDollars, tiers } from './price-row.ts'
import { byModel, digestOf, mergeTables, type PriceTable, parseTable, tableText } from './price-table.ts'

const rate = fc.oneof(fc.nat(2000), fc.nat(100_000_000))
const rates = fc.record(
  { input: rate, output: rate, cache_read: rate, cache_write: rate, cache_write_1h: rate },
  { requiredKeys: ['input', 'output'] },
)
const bands = fc
  .tuple(
    rates,
    fc.uniqueArray(fc.record({ tier: fc.constantFrom(...tiers), above: fc.nat(500_000), rates }), {
      selector: ({ tier, above }) => `${tier} ${above}`,
      maxLength: 4,
    }),
  )
  .map(([base, more]) => [
    { tier: 'standard' as const, above: 0, rates: base },
    ...more.filter(({ tier, above }) => tier !== 'standard' || above > 0),
  ])
const day = fc.constantFrom('2026-01-01', '2026-05-05', '2026-10-10')
const rows = (models: string[]): fc.Arbitrary<PriceRow[]> =>
  fc.uniqueArray(
    fc.record({ model: fc.constantFrom(...models), from: day, bands }, { requiredKeys: ['model', 'bands'] }),
    { selector: ({ model, from }) => `${model} ${from ?? ''}`, maxLength: 8 },
  )
const table = rows(['a', 'b/c', 'd.e:0', 'f@1']).map(
  (rows): PriceTable => ({ source: 's 1.0', date: '2026-11-01', rows }),
)
const single = rows(['a', 'b/c', 'new'])
  .map((rows) => [...byModel(rows).values()].map(([row]) => ({ model: row!.model, bands: row!.bands })))
  .map((rows): PriceTable => ({ source: 's 2.0', date: '2026-11-18', rows }))

test('a table is the same after writing and reading', () => {
  fc.assert(
    fc.property(table, (table) => {
      const text = tableText(table)
      const read = parseTable(text)!
      expect(tableText(read)).toBe(text)
      expect(read.rows.length).toBe(table.rows.length)
      expect(digestOf([...table.rows].reverse())).toBe(digestOf(table.rows))
    }),
  )
})

test('a damaged table is not read', () => {
  const text = tableText({ source: 's', date: '2026-11-01', rows: [{ model: 'a', bands: parseBands('1/2/3')! }] })
  expect(parseTable(text)).toBeDefined()
  for (const damaged of [text.slice(0, -2), text.replace('1/2', '1/1'), text.replace('# source', '# sorce'), '', '{}'])
    expect(parseTable(damaged)).toBeUndefined()
})

test('merging the same table again adds nothing', () => {
  fc.assert(
    fc.property(table, single, (older, newer) => {
      const once = mergeTables(older, newer, '2026-11-18')
      expect(tableText(mergeTables(once, newer, '2026-11-18'))).toBe(tableText(once))
      expect(tableText(mergeTables(once, newer, '2026-12-24'))).toBe(tableText(once))
    }),
  )
})

test('usage before the date keeps its price, later usage has the new one', () => {
  fc.assert(
    fc.property(table, single, (older, newer) => {
      const merged = byModel(mergeTables(older, newer, '2026-11-18').rows)
      const text = (row: PriceRow | undefined): string | undefined => row && bandsText(row.bands)
      const before = (rows: readonly PriceRow[] = []): PriceRow | undefined =>
        rows.findLast(({ from }) => from === undefined || from < '2026-11-18')
      for (const [model, rows] of byModel(older.rows)) expect(text(before(merged.get(model)))).toBe(text(before(rows)))
      for (const [model, [row]] of byModel(newer.rows)) expect(text(merged.get(model)!.at(-1))).toBe(text(row))
    }),
  )
})

test('a price that changes back, and twice on one day', () => {
  const of = (text: string): PriceTable => ({
    source: 's',
    date: '2026-11-18',
    rows: [{ model: 'a', bands: parseBands(text)! }],
  })
  const steps: [string, string][] = [
    ['2/2', '2026-02-01'],
    ['1/1', '2026-03-01'],
    ['3/3', '2026-03-01'],
  ]
  const merged = steps.reduce((table, [text, from]) => mergeTables(table, of(text), from), of('1/1'))
  expect(merged.rows.map(({ from, bands }) => [from, bandsText(bands)])).toEqual([
    [undefined, '1/1'],
    ['2026-02-01', '2/2'],
    ['2026-03-01', '3/3'],
  ])
})

test.each([
  ['0', 0],
  ['5', 5_000_000],
  ['0.000001', 1],
  ['6.25', 6_250_000],
  ['0.1', 100_000],
])('%s dollars', (text, micros) => {
  expect([parseDollars(text), dollarsText(micros)]).toEqual([micros, text])
})

test.each(['', '-1', '1e3', '1.', '.5', '0.0000001', '1,5', 'NaN', '1 2', '1234567890'])(
  '%s is not a price',
  (text) => {
    expect(parseDollars(text)).toBeUndefined()
  },
)

test.each(['', '1/2/3/4/5/6', '1/2 3/4', 'flex 1/2', '>5 1/2', '1/x', '1/2 >5', '1/2 batch 1/2'])(
  '%s are not rates',
  (text) => {
    expect(parseBands(text)).toBeUndefined()
  },
)

test('the table that is shipped is small, and its rates are plausible', async () => {
  const { size, table } = {
    size: readFileSync(new URL('./packaged.gen.ts', import.meta.url)).length,
    table: await packagedTable(),
  }
  expect(size).toBeLessThan(150_000)
  expect(byModel(table.rows).size).toBeGreaterThan(500)
  for (const { model, bands } of table.rows) {
    const base = bands[0]!.rates
    for (const { tier, rates } of bands) {
      // Per million tokens: nothing costs more than a thousand dollars.
      for (const kind of kinds) expect(rates[kind] ?? 0, model).toBeLessThan(1_000_000_000)
      // Otherwise a longer call would be cheaper, or of unknown price.
      if (tier === 'standard') {
        for (const kind of kinds)
          if (base[kind] !== undefined) expect(rates[kind], model).toBeGreaterThanOrEqual(base[kind])
      }
    }
    expect(base.cache_read ?? 0, model).toBeLessThanOrEqual(base.input!)
    expect(base.cache_write_1h ?? Number.POSITIVE_INFINITY, model).toBeGreaterThanOrEqual(base.cache_write ?? 0)
  }
})
