import fc from 'fast-check'
import { expect, test } from 'vitest'
import { scratchIo } from '../../../test/support/scratch.ts'
import { type Candidate, type PruneRule, parsePruneRule, parseSize, selectForPruning } from './rule.ts'

const day = (n: number): string => new Date(Date.UTC(2026, 0, n)).toISOString()

function candidate(id: string, n: number, more: Partial<Candidate> & { reason?: string } = {}): Candidate {
  const { reason, ...rest } = more
  return { id, agent: 'one', updated_at: day(n), bytes: 10, keepReason: () => reason, ...rest }
}

const five = [candidate('c', 3), candidate('a', 1), candidate('e', 5), candidate('b', 2), candidate('d', 4)]

test.each<[name: string, rule: PruneRule, selected: string[], remaining: number]>([
  ['older than a day', { before: new Date(day(3)) }, ['a', 'b'], 30],
  ['older than a day, except the newest', { before: new Date(day(9)), keep: 3 }, ['a', 'b'], 30],
  ['all but the newest', { keep: 2 }, ['a', 'b', 'c'], 20],
  ['more to keep than there are', { keep: 9 }, [], 50],
  ['until the others fit', { maxSize: 25 }, ['a', 'b', 'c'], 20],
  ['they fit to the byte', { maxSize: 30 }, ['a', 'b'], 30],
  ['they fit already', { maxSize: 50 }, [], 50],
  ['the newest are kept even when they do not fit', { maxSize: 0, keep: 2 }, ['a', 'b', 'c'], 20],
  ['older than a day, then until the others fit', { before: new Date(day(2)), maxSize: 20 }, ['a', 'b', 'c'], 20],
])('%s', (_name, rule, selected, remaining) => {
  const selection = selectForPruning(five, rule)
  expect([selection.selected.map(({ id }) => id), selection.remainingBytes, selection.kept]).toEqual([
    selected,
    remaining,
    [],
  ])
})

test('the newest are counted for each agent', () => {
  const all = [...five, candidate('x', 1, { agent: 'other' }), candidate('y', 2, { agent: 'other' })]
  expect(selectForPruning(all, { keep: 1 }).selected.map(({ id }) => id)).toEqual(['a', 'x', 'b', 'c', 'd'])
})

test('a session that must be kept is reported and counted, and the next oldest is selected instead', () => {
  const held = candidate('a', 1, { reason: 'pinned' })
  const { selected, kept, remainingBytes } = selectForPruning([held, ...five.filter(({ id }) => id !== 'a')], {
    maxSize: 40,
  })
  expect([selected.map(({ id }) => id), kept, remainingBytes]).toEqual([
    ['b'],
    [{ candidate: held, reason: 'pinned' }],
    40,
  ])
})

test('a session without a time is never selected', () => {
  const undated = candidate('s', 1, { updated_at: null })
  expect(selectForPruning([undated], { before: new Date(day(9)), maxSize: 0 })).toEqual({
    selected: [],
    kept: [],
    remainingBytes: 10,
  })
})

test('reasons to keep a session are looked up only when the rule selects it', () => {
  const unselected = candidate('q', 9, {
    keepReason: () => {
      throw new Error('looked up')
    },
  })
  expect(selectForPruning([unselected], { before: new Date(day(9)) }).selected).toEqual([])
})

test('nothing is counted twice or forgotten, and the newest are kept, whatever the rule is', () => {
  const anyCandidate = fc.record({
    agent: fc.constantFrom('one', 'two'),
    day: fc.integer({ min: 1, max: 28 }),
    bytes: fc.nat(100),
    reason: fc.option(fc.constant('pinned'), { nil: undefined }),
  })
  const anyRule = fc.record({ before: fc.integer({ min: 1, max: 28 }), keep: fc.nat(4), maxSize: fc.nat(1000) })
  fc.assert(
    fc.property(fc.array(anyCandidate, { maxLength: 20 }), anyRule, (list, { before, keep, maxSize }) => {
      const all = list.map(({ day: n, ...one }, index) => candidate(`s${index}`, n, one as Partial<Candidate>))
      const rule = { before: new Date(day(before)), keep, maxSize }
      const { selected, kept, remainingBytes } = selectForPruning(all, rule)
      expect(selected.reduce((sum, { bytes }) => sum + bytes, remainingBytes)).toBe(
        all.reduce((sum, { bytes }) => sum + bytes, 0),
      )
      expect(new Set([...selected, ...kept.map((one) => one.candidate)]).size).toBe(selected.length + kept.length)
      expect(selected.filter((one) => one.keepReason() !== undefined)).toEqual([])
      for (const agent of ['one', 'two']) {
        const own = all.filter((one) => one.agent === agent)
        const left = own.filter((one) => !selected.includes(one))
        expect(left.length).toBeGreaterThanOrEqual(Math.min(keep, own.length))
      }
      if (remainingBytes > maxSize) {
        // Then nothing more could be selected.
        const free = all.filter((one) => !selected.includes(one) && one.keepReason() === undefined)
        for (const agent of ['one', 'two']) {
          expect(free.filter((one) => one.agent === agent).length).toBeLessThanOrEqual(keep)
        }
      }
    }),
  )
})

test.each([
  ['0', 0],
  ['120', 120],
  ['500M', 500e6],
  ['5G', 5e9],
  ['1.5gb', 1.5e9],
  ['2 kB', 2000],
  ['1T', 1e12],
])('the size %s', (text, size) => {
  expect(parseSize(text)).toBe(size)
})

test.each(['', 'G', '-1G', '5X', '1,5G', '1e9'])('"%s" is not a size', (text) => {
  expect(() => parseSize(text)).toThrow('is not a size')
})

test('a rule is parsed as typed; a missing one is refused', () => {
  const now = scratchIo().now()
  expect(parsePruneRule({ olderThan: '90d', keep: '20', maxSize: '5G' }, now)).toEqual({
    before: new Date('2026-08-18T00:00:00Z'),
    keep: 20,
    maxSize: 5e9,
  })
  expect(() => parsePruneRule({}, now)).toThrow('no pruning rule given')
  expect(() => parsePruneRule({ keep: '-1' }, now)).toThrow('is not a number of sessions')
  expect(() => parsePruneRule({ olderThan: 'soon' }, now)).toThrow('is not a time')
})
