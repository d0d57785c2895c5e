import { expect, test } from 'vitest'
import { barsOf, gridLines, OTHER, weeksOf } from './usage-bars.ts'

const day = (parts: Readonly<Record<string, number>>): ReadonlyMap<string, number> => new Map(Object.entries(parts))

test('one bar per day from the first to the last, also where nothing happened; the largest part first', () => {
  const { bars, names, max } = barsOf(
    new Map([
      ['2026-11-03', day({ a: 1, b: 5 })],
      ['2026-11-01', day({ a: 2 })],
    ]),
  )
  expect(names).toEqual(['b', 'a'])
  expect(max).toBe(6)
  expect(bars.map(({ day, total, parts }) => [day, total, parts.map(({ name }) => name)])).toEqual([
    ['2026-11-01', 2, ['a']],
    ['2026-11-02', 0, []],
    ['2026-11-03', 6, ['b', 'a']],
  ])
})

test('of a long time one bar per week, and small parts together', () => {
  const many = Object.fromEntries(Array.from({ length: 12 }, (_, at) => [`model-${at}`, 100 - at]))
  const { unit, bars, names } = barsOf(
    new Map([
      ['2026-01-01', day({ 'model-0': 1 })],
      ['2026-01-05', day({ 'model-0': 2 })],
      ['2026-11-01', day(many)],
    ]),
  )
  expect(unit).toBe('week')
  // From Monday, as ion usage weekly.
  expect(bars.slice(0, 2)).toEqual([
    { day: '2025-12-29', total: 1, parts: [{ name: 'model-0', value: 1 }] },
    { day: '2026-01-05', total: 2, parts: [{ name: 'model-0', value: 2 }] },
  ])
  expect(bars.at(-1)!.day).toBe('2026-10-26')
  expect(names).toHaveLength(8)
  expect(names.at(-1)).toBe(OTHER)
  expect(bars.reduce((sum, { total }) => sum + total, 0)).toBe(
    3 + Object.values(many).reduce((sum, one) => sum + one, 0),
  )
})

test('of years one bar per month', () => {
  const { unit, bars } = barsOf(
    new Map([
      ['2024-01-31', day({ a: 1 })],
      ['2024-03-01', day({ a: 2 })],
      ['2026-02-28', day({ a: 4 })],
    ]),
  )
  expect([unit, bars.length, bars.reduce((sum, { total }) => sum + total, 0)]).toEqual(['month', 26, 7])
  expect(bars.slice(0, 3).map(({ day, total }) => [day, total])).toEqual([
    ['2024-01-01', 1],
    ['2024-02-01', 0],
    ['2024-03-01', 2],
  ])
})

test('as many parts as there are colours have one each', () => {
  const parts = (count: number) => day(Object.fromEntries(Array.from({ length: count }, (_, at) => [`m${at}`, 9 - at])))
  expect(barsOf(new Map([['2026-11-01', parts(7)]])).names).toHaveLength(7)
  expect(barsOf(new Map([['2026-11-01', parts(8)]])).names.at(-1)).toBe(OTHER)
})

test('nothing, and weeks from Monday to Sunday', () => {
  expect(barsOf(new Map())).toEqual({ unit: 'day', bars: [], names: [], max: 0 })
  const weeks = weeksOf('2026-11-18', 2)
  expect(weeks.map((week) => [week[0], week[6]])).toEqual([
    ['2026-11-09', '2026-11-15'],
    ['2026-11-16', '2026-11-22'],
  ])
})

test.each([
  [14_270_000, [5_000_000, 10_000_000]],
  [100, [25, 50, 75, 100]],
  [8, [2, 4, 6, 8]],
  [0.9, [0.25, 0.5, 0.75]],
  [0, []],
])('the lines behind bars of up to %d are at %j', (max, lines) => {
  expect(gridLines(max)).toEqual(lines)
})
