import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type Candidate, choosePruned, type PruneRule } from './prune-choice.ts'

const day = (n: number): string => new Date(Date.UTC(2026, 0, n)).toISOString()

function made(id: string, n: number, more: Partial<Candidate> & { reason?: string } = {}): Candidate {
  const { reason, ...rest } = more
  return { id, agent: 'one', updated_at: day(n), bytes: 10, stays: () => reason, ...rest }
}

const five = [made('c', 3), made('a', 1), made('e', 5), made('b', 2), made('d', 4)]

test.each<[name: string, rule: PruneRule, go: string[], left: number]>([
  ['what is older', { before: new Date(day(3)) }, ['a', 'b'], 30],
  ['what is older, but for the newest', { before: new Date(day(9)), keep: 3 }, ['a', 'b'], 30],
  ['all but the newest', { keep: 2 }, ['a', 'b', 'c'], 20],
  ['more are kept than there are', { keep: 9 }, [], 50],
  ['until the others fit', { maxSize: 25 }, ['a', 'b', 'c'], 20],
  ['they fit to the byte', { maxSize: 30 }, ['a', 'b'], 30],
  ['they fit already', { maxSize: 50 }, [], 50],
  ['the newest stay though they do not fit', { maxSize: 0, keep: 2 }, ['a', 'b', 'c'], 20],
  ['what is older, then until the others fit', { before: new Date(day(2)), maxSize: 20 }, ['a', 'b', 'c'], 20],
])('%s', (_name, rule, go, left) => {
  const choice = choosePruned(five, rule)
  expect([choice.go.map(({ id }) => id), choice.left, choice.stay]).toEqual([go, left, []])
})

test('the newest are counted for each agent', () => {
  const all = [...five, made('x', 1, { agent: 'other' }), made('y', 2, { agent: 'other' })]
  expect(choosePruned(all, { keep: 1 }).go.map(({ id }) => id)).toEqual(['a', 'x', 'b', 'c', 'd'])
})

test('one that must stay is told, counts, and the next goes in its place', () => {
  const held = made('a', 1, { reason: 'pinned' })
  const choice = choosePruned([held, ...five.filter(({ id }) => id !== 'a')], { maxSize: 40 })
  expect([choice.go.map(({ id }) => id), choice.stay, choice.left]).toEqual([
    ['b'],
    [{ one: held, reason: 'pinned' }],
    40,
  ])
})

test('one that does not say when it was used never goes', () => {
  const silent = made('s', 1, { updated_at: null })
  expect(choosePruned([silent], { before: new Date(day(9)), maxSize: 0 })).toEqual({ go: [], stay: [], left: 10 })
})

test('nobody is asked whether it must stay when the rule does not take it', () => {
  const asked = made('q', 9, {
    stays: () => {
      throw new Error('asked')
    },
  })
  expect(choosePruned([asked], { before: new Date(day(9)) }).go).toEqual([])
})

test('nothing is counted twice or forgotten, and the newest stay, whatever the rule is', () => {
  const candidate = fc.record({
    agent: fc.constantFrom('one', 'two'),
    day: fc.integer({ min: 1, max: 28 }),
    bytes: fc.nat(100),
    reason: fc.option(fc.constant('pinned'), { nil: undefined }),
  })
  const rule = fc.record({ before: fc.integer({ min: 1, max: 28 }), keep: fc.nat(4), maxSize: fc.nat(1000) })
  fc.assert(
    fc.property(fc.array(candidate, { maxLength: 20 }), rule, (list, { before, keep, maxSize }) => {
      const all = list.map(({ day: n, ...one }, index) => made(`s${index}`, n, one as Partial<Candidate>))
      const { go, stay, left } = choosePruned(all, { before: new Date(day(before)), keep, maxSize })
      expect(go.reduce((sum, { bytes }) => sum + bytes, left)).toBe(all.reduce((sum, { bytes }) => sum + bytes, 0))
      expect(new Set([...go, ...stay.map(({ one }) => one)]).size).toBe(go.length + stay.length)
      expect(go.filter((one) => one.stays() !== undefined)).toEqual([])
      for (const agent of ['one', 'two']) {
        const own = all.filter((one) => one.agent === agent)
        const kept = own.filter((one) => !go.includes(one))
        expect(kept.length).toBeGreaterThanOrEqual(Math.min(keep, own.length))
      }
      if (left > maxSize) {
        // Then nothing more could go.
        const open = all.filter((one) => !go.includes(one) && one.stays() === undefined)
        for (const agent of ['one', 'two']) {
          expect(open.filter((one) => one.agent === agent).length).toBeLessThanOrEqual(keep)
        }
      }
    }),
  )
})
