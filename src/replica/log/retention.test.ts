import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { ChainedRecord } from './read-log.ts'
import { expired } from './retention.ts'

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const now = new Date('2026-11-18T12:30:00Z')

function record(number: number, ageMs: number, kind: ChainedRecord['kind']): ChainedRecord {
  return { epoch: 1, number, base: undefined, kind, key: `${number}`, ageMs }
}

/** Records that were stored at these ages, oldest first; every third is a checkpoint. */
function chainOf(ages: readonly number[]): ChainedRecord[] {
  return [...ages]
    .sort((a, b) => b - a)
    .map((age, index) => record(index + 1, age, index % 3 === 0 ? 'checkpoint' : 'segment'))
}

function keptOf(chain: readonly ChainedRecord[], days = 7): number[] {
  const gone = new Set(expired(chain, { days }, now))
  return chain.filter((one) => !gone.has(one)).map(({ number }) => number)
}

test('all of the last hour, the checkpoints of the last day, one an hour before that, nothing beyond the retention', () => {
  const ages = [10 * 24 * HOUR, 9 * 24 * HOUR, 8 * 24 * HOUR] // 1 c, 2, 3: too old
  ages.push(50.4 * HOUR, 50.3 * HOUR, 50.2 * HOUR) // 4 c
  ages.push(50.1 * HOUR, 50.05 * HOUR, 50.02 * HOUR) // 7 c: another one of that hour
  ages.push(5 * HOUR, 4 * HOUR, 3 * HOUR) // 10 c
  ages.push(2 * HOUR, 50 * MINUTE, 10 * MINUTE) // 13 c, 14, 15
  expect(keptOf(chainOf(ages))).toEqual([4, 10, 13, 14, 15])
})

test('each moment of the last hour: also that before the first record in it', () => {
  const chain = [
    record(1, 5 * HOUR, 'checkpoint'),
    record(2, 4 * HOUR, 'checkpoint'),
    record(3, 3 * HOUR, 'segment'),
    record(4, 10 * MINUTE, 'checkpoint'),
    record(5, 5 * MINUTE, 'segment'),
  ]
  expect(keptOf(chain)).toEqual([1, 2, 3, 4, 5])
  expect(keptOf(chain.map((one) => ({ ...one, ageMs: one.ageMs + HOUR })))).toEqual([1, 2, 4, 5])
})

test('the newest state stays, however old it is', () => {
  expect(keptOf(chainOf([90 * 24 * HOUR, 80 * 24 * HOUR]))).toEqual([1, 2])
  expect(keptOf([])).toEqual([])
})

test('every segment that is kept can be read from a checkpoint on, and pruning again removes nothing more', () => {
  fc.assert(
    fc.property(fc.array(fc.nat(10 * 24 * HOUR), { minLength: 1, maxLength: 80 }), (ages) => {
      const chain = chainOf(ages)
      const kept = new Set(keptOf(chain))
      const rest = chain.filter(({ number }) => kept.has(number))
      for (const { number, kind } of rest) if (kind === 'segment') expect(kept.has(number - 1)).toBe(true)
      expect(rest.at(-1)).toBe(chain.at(-1))
      expect(expired(rest, { days: 7 }, now)).toEqual([])
    }),
  )
})
