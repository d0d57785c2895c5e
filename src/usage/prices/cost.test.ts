import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type CallUsage, type Cost, costOf } from './cost.ts'
import { packagedTable } from './load-prices.ts'
import { priceBook } from './price-book.ts'
import { kinds, parseBands, tiers } from './price-row.ts'

const at = new Date('2026-11-18T12:00:00Z')

function cost(bands: string, usage: Partial<CallUsage>, tier?: (typeof tiers)[number]): Cost | undefined {
  const rows = [{ model: 'm', bands: parseBands(bands)! }]
  const book = priceBook({ source: 'a test', date: '2026-11-18', rows }, [])
  const all = { input: 0, output: 0, cache_read: 0, cache_write: 0, ...usage }
  return costOf(book, all, 'm', tier ? { at, tier } : { at })
}

const CLAUDE = '5/25/0.5/6.25/10'

test('each kind of tokens has its rate', () => {
  const usage = { input: 1000, output: 200, cache_read: 30_000, cache_write: 4000, cache_write_1h: 1000 }
  expect(cost(CLAUDE, usage)).toMatchObject({
    micros: 5000 + 5000 + 15_000 + 18_750 + 10_000,
    made_of: {
      input: { tokens: 1000, rate: 5_000_000 },
      output: { tokens: 200, rate: 25_000_000 },
      cache_read: { tokens: 30_000, rate: 500_000 },
      cache_write: { tokens: 3000, rate: 6_250_000 },
      cache_write_1h: { tokens: 1000, rate: 10_000_000 },
    },
    unpriced: [],
    tier: 'standard',
    above: 0,
  })
})

test('above the threshold all tokens have the higher rates, and cached input counts', () => {
  const bands = '5/30/0.5 >272000 10/45/1'
  expect(cost(bands, { input: 272_000 })).toMatchObject({ micros: 1_360_000, above: 0 })
  expect(cost(bands, { input: 272_001 })).toMatchObject({ micros: 2_720_010, above: 272_000 })
  expect(cost(bands, { input: 1, cache_read: 272_000, output: 10 })).toMatchObject({ micros: 10 + 272_000 + 450 })
  expect(cost(bands, { output: 300_000 })).toMatchObject({ micros: 9_000_000, above: 0 })
  expect(cost('1/1 >1000 2/2 >2000 3/3', { input: 2001 })).toMatchObject({ micros: 6003, above: 2000 })
})

test('a tier has rates of its own, or none', () => {
  const bands = '5/30/0.5 >272000 10/45/1 flex 2.5/15 priority 12.5/75/1.25'
  expect(cost(bands, { input: 100 }, 'flex')?.micros).toBe(250)
  expect(cost(bands, { input: 100 }, 'priority')?.micros).toBe(1250)
  expect(cost(bands, { input: 300_000 }, 'priority')).toBeUndefined()
  expect(cost('5/30', { input: 100 }, 'flex')).toBeUndefined()
  // A threshold of another tier is not one of standard calls.
  expect(cost('5/30 priority 10/60 priority>1000 20/90', { input: 2000 })).toMatchObject({ micros: 10_000, above: 0 })
})

test('tokens without a known rate are named, and never cost 0', () => {
  expect(cost('5/30', { input: 100, cache_read: 50 })).toMatchObject({ micros: 500, unpriced: ['cache_read'] })
  expect(cost('5/30/0.5/6.25', { cache_write: 100, cache_write_1h: 40 })).toMatchObject({
    micros: 375,
    unpriced: ['cache_write_1h'],
  })
  expect(cost('5/30', { cache_read: 50 })).toBeUndefined()
  const empty = priceBook({ source: 'a test', date: '2026-11-18', rows: [] }, [])
  expect(costOf(empty, { input: 1, output: 1, cache_read: 0, cache_write: 0 }, 'm', { at })).toBeUndefined()
})

test('a free model costs 0, and so does a call without tokens', () => {
  expect(cost('0/0', { input: 100, output: 5 })?.micros).toBe(0)
  expect(cost('5/30', {})).toMatchObject({ micros: 0, made_of: {}, unpriced: [] })
})

test('the sum is rounded once, half up', () => {
  expect(cost('0.5/0', { input: 1 })?.micros).toBe(1)
  expect(cost('0.499999/0', { input: 1 })?.micros).toBe(0)
  // Each part alone would be rounded down.
  expect(cost('0.3/0.3/0.3', { input: 1, output: 1, cache_read: 1 })?.micros).toBe(1)
})

const table = await packagedTable()
const book = priceBook(table, [])
const count = fc.oneof(fc.nat(2000), fc.nat(1_000_000), fc.nat(10_000_000_000))
const call = fc
  .record({
    input: count,
    output: count,
    cache_read: count,
    cache_write: count,
    share: fc.double({ min: 0, max: 1, noNaN: true }),
  })
  .map(({ share, ...usage }) => ({ ...usage, cache_write_1h: Math.floor(usage.cache_write * share) }))
const model = fc.constantFrom(...new Set(table.rows.map((row) => row.model)))
const tier = fc.constantFrom(...tiers)

test('the parts are the total before rounding', () => {
  fc.assert(
    fc.property(model, call, tier, (name, usage, tier) => {
      const result = costOf(book, usage, name, { at, tier })
      if (!result) return
      const parts = Object.values(result.made_of).map(({ tokens, rate }) => BigInt(tokens) * BigInt(rate))
      const exact = parts.reduce((sum, part) => sum + part, 0n)
      const difference = BigInt(result.micros) * 1_000_000n - exact
      expect(difference > -500_000n && difference <= 500_000n).toBe(true)
      const counted = kinds.reduce((sum, kind) => sum + (result.made_of[kind]?.tokens ?? 0), 0)
      if (result.unpriced.length === 0)
        expect(counted).toBe(usage.input + usage.output + usage.cache_read + usage.cache_write)
    }),
    { numRuns: 2000 },
  )
})

test('more tokens never cost less', () => {
  const field = fc.constantFrom('input', 'output', 'cache_read', 'cache_write')
  fc.assert(
    fc.property(model, call, field, count, (name, usage, field, more) => {
      const [less, greater] = [usage, { ...usage, [field]: usage[field] + more }].map((one) =>
        costOf(book, one, name, { at }),
      )
      if (!less || !greater || less.unpriced.length > 0 || greater.unpriced.length > 0) return
      expect(greater.micros).toBeGreaterThanOrEqual(less.micros)
    }),
    { numRuns: 2000 },
  )
})
