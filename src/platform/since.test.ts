import fc from 'fast-check'
import { expect, test } from 'vitest'
import { IonError } from './error.ts'
import { parseSince } from './since.ts'

const now = new Date('2026-11-16T12:30:00Z')

test.each([
  ['30m', '2026-11-16T12:00:00.000Z'],
  ['2h', '2026-11-16T10:30:00.000Z'],
  ['7d', '2026-11-09T12:30:00.000Z'],
  [' 3W ', '2026-10-26T12:30:00.000Z'],
  ['2026-11-01T08:00:00Z', '2026-11-01T08:00:00.000Z'],
])('%s', (text, expected) => {
  expect(parseSince(text, now).toISOString()).toBe(expected)
})

test('days begin at midnight of the local time zone', () => {
  expect(parseSince('2026-11-01', now)).toEqual(new Date(2026, 10, 1))
  const today = new Date(now.getFullYear(), now.getMonth(), now.getDate())
  expect(parseSince('today', now)).toEqual(today)
  expect(parseSince('yesterday', now)).toEqual(new Date(today.getFullYear(), today.getMonth(), today.getDate() - 1))
})

test('a time of day is the last one', () => {
  const noon = new Date(2026, 10, 16, 12, 30)
  expect(parseSince('9:05', noon)).toEqual(new Date(2026, 10, 16, 9, 5))
  expect(parseSince('14:02', noon)).toEqual(new Date(2026, 10, 15, 14, 2))
})

test.each(['', '24:00', '12:60', '7', 'd', '7x', '-7d', '2026-02-30', '2026-13-01', 'last week', '1e3d'])(
  'refuses "%s"',
  (text) => {
    expect(() => parseSince(text, now)).toThrow(IonError)
  },
)

test('any date is parsed as its own midnight', () => {
  fc.assert(
    fc.property(fc.date({ min: new Date(1990, 0, 1), max: new Date(2090, 0, 1), noInvalidDate: true }), (date) => {
      const [year, month, day] = [date.getFullYear(), date.getMonth(), date.getDate()]
      const text = `${year}-${String(month + 1).padStart(2, '0')}-${String(day).padStart(2, '0')}`
      expect(parseSince(text, now)).toEqual(new Date(year, month, day))
    }),
  )
})
