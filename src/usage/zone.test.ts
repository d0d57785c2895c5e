import { expect, test } from 'vitest'
import { timeRange } from './time-range.ts'
import { nextDay, timeZone, weekOf } from './zone.ts'

test.each([
  ['UTC', '2026-11-18', '2026-11-18T00:00:00.000Z'],
  ['Europe/Berlin', '2026-11-18', '2026-11-17T23:00:00.000Z'],
  ['Europe/Berlin', '2026-07-01', '2026-06-30T22:00:00.000Z'],
  // The day on which summer time ends has 25 hours.
  ['Europe/Berlin', '2026-10-26', '2026-10-25T23:00:00.000Z'],
  ['Asia/Kathmandu', '2026-11-18', '2026-11-17T18:15:00.000Z'],
  ['Pacific/Kiritimati', '2026-11-18', '2026-11-17T10:00:00.000Z'],
  ['Pacific/Pago_Pago', '2026-11-18', '2026-11-18T11:00:00.000Z'],
  // There summer time begins at midnight, so the day begins at one o'clock.
  ['America/Santiago', '2026-09-06', '2026-09-06T04:00:00.000Z'],
])('in %s, %s begins at %s', (name, day, start) => {
  const zone = timeZone(name)
  expect(zone.startOf(day).toISOString()).toBe(start)
  expect(zone.dayOf(Date.parse(start))).toBe(day)
  expect(zone.dayOf(Date.parse(start) - 1)).not.toBe(day)
})

test('a time zone that does not exist is an error that says how to write one', () => {
  expect(() => timeZone('Mars/Olympus')).toThrow('"Mars/Olympus" is not a time zone')
})

test.each([
  ['2026-11-16', '2026-11-16'],
  ['2026-11-18', '2026-11-16'],
  ['2026-11-22', '2026-11-16'],
  ['2026-11-23', '2026-11-23'],
  ['2026-01-01', '2025-12-29'],
])('the week of %s begins on Monday, %s', (day, monday) => {
  expect(weekOf(day)).toBe(monday)
})

test('the day after the last of a month is the first of the next', () => {
  expect(nextDay('2028-02-28')).toBe('2028-02-29')
  expect(nextDay('2026-12-31')).toBe('2027-01-01')
})

test('a day is one of the zone, and the last one is included', () => {
  const zone = timeZone('Asia/Tokyo')
  const now = new Date('2026-11-18T20:00:00Z')
  expect(timeRange(zone, '2026-11-17', '2026-11-18', now)).toEqual({
    since: new Date('2026-11-16T15:00:00Z'),
    until: new Date('2026-11-18T15:00:00Z'),
  })
  // In Tokyo it is the 19th already.
  expect(timeRange(zone, 'today', undefined, now)).toEqual({ since: new Date('2026-11-18T15:00:00Z') })
  expect(timeRange(zone, 'yesterday', 'yesterday', now)).toEqual({
    since: new Date('2026-11-17T15:00:00Z'),
    until: new Date('2026-11-18T15:00:00Z'),
  })
  expect(timeRange(zone, '2h', undefined, now)).toEqual({ since: new Date('2026-11-18T18:00:00Z') })
  expect(timeRange(zone, undefined, undefined, now)).toEqual({})
  expect(() => timeRange(zone, '2026-11-18', '2026-11-17', now)).toThrow('there is no time between')
  expect(() => timeRange(zone, '2026-02-30', undefined, now)).toThrow('is not a time')
})

test('a time of day is one of the zone, and the last one', () => {
  const zone = timeZone('Asia/Tokyo')
  const now = new Date('2026-11-18T20:00:30Z')
  const since = (text: string): string => timeRange(zone, text, undefined, now).since!.toISOString()
  // It is 05:00:30 there.
  expect(since('5:00')).toBe('2026-11-18T20:00:00.000Z')
  expect(since('05:01')).toBe('2026-11-17T20:01:00.000Z')
  expect(since('23:59:59')).toBe('2026-11-18T14:59:59.000Z')
  expect(since('2026-11-18T08:00')).toBe('2026-11-17T23:00:00.000Z')
  expect(since('2026-11-18 23:59:59')).toBe('2026-11-18T14:59:59.000Z')
  expect(since('2026-11-18T08:00+01:00')).toBe('2026-11-18T07:00:00.000Z')
  expect(zone.timeOf(Date.parse('2026-11-18T15:00:00Z'))).toBe('2026-11-19 00:00:00')
})
