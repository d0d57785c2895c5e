import fc from 'fast-check'
import { expect, test } from 'vitest'
import { toIso } from './time.ts'

test.each([
  [1794769250, '2026-11-15T19:00:50.000Z'],
  [1794769250.5, '2026-11-15T19:00:50.500Z'],
  [1794769250123, '2026-11-15T19:00:50.123Z'],
  ['2026-11-15T19:00:50.123Z', '2026-11-15T19:00:50.123Z'],
  ['2026-11-15T19:00:50.123456789Z', '2026-11-15T19:00:50.123Z'],
  ['2026-11-15T20:00:50+01:00', '2026-11-15T19:00:50.000Z'],
  ['2026-11-15 19:00:50', '2026-11-15T19:00:50.000Z'],
  ['2026-11-15T19:00:50', '2026-11-15T19:00:50.000Z'],
  ['2026-11-15 19:00', '2026-11-15T19:00:00.000Z'],
  ['2026-11-15', '2026-11-15T00:00:00.000Z'],
])('%j is %s', (value, iso) => {
  expect(toIso(value)).toBe(iso)
})

test.each([
  [undefined],
  [null],
  [''],
  ['yesterday'],
  ['step 3'],
  ['7'],
  [0],
  [-5],
  [Number.NaN],
  [Number.POSITIVE_INFINITY],
  // Microseconds, and a year that ISO times write in another way.
  [1794769250123456],
  ['+012026-11-15T00:00:00Z'],
  ['2026-13-45T99:00:00Z'],
  [{}],
  [[1]],
  [true],
])('%j is no time', (value) => {
  expect(toIso(value)).toBeUndefined()
})

test('any accepted time is written so that it reads back equal', () => {
  fc.assert(
    fc.property(fc.oneof(fc.anything(), fc.double(), fc.date({ noInvalidDate: true }).map(String)), (value) => {
      const iso = toIso(value)
      if (iso === undefined) return
      expect(iso).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
      expect(toIso(iso)).toBe(iso)
    }),
  )
})
