import fc from 'fast-check'
import { expect, test } from 'vitest'
import { hash53 } from '../platform/hash.ts'
import { HashSet } from './hash-set.ts'

test('behaves like a set of strings', () => {
  fc.assert(
    fc.property(fc.array(fc.string({ maxLength: 4 }), { maxLength: 60 }), (texts) => {
      const hashed = new HashSet()
      const exact = new Set<string>()
      for (const text of texts) {
        expect(hashed.add(text)).toBe(!exact.has(text))
        exact.add(text)
      }
    }),
  )
})

test('ids that differ in one digit do not collide', () => {
  const hashed = new HashSet()
  let clashes = 0
  for (let n = 0; n < 300_000; n++)
    if (!hashed.add(`00000000-0000-4000-8000-${n.toString(16).padStart(12, '0')}`)) clashes++
  expect(clashes).toBe(0)
})

test('the hash is a safe integer and never changes', () => {
  expect([hash53(''), hash53('a'), hash53('ü😀')].map(Number.isSafeInteger)).toEqual([true, true, true])
  expect(hash53('session')).toBe(hash53(['ses', 'sion'].join('')))
  expect(hash53('a')).not.toBe(hash53('b'))
})
