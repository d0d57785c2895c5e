import fc from 'fast-check'
import { expect, test } from 'vitest'
import { hash53 } from '../platform/hash.ts'
import { versionKey } from './archive-line.ts'

test('the key of a version is an integer that differs with the id and with the fingerprint', () => {
  const print = fc.maxSafeNat()
  fc.assert(
    fc.property(fc.string(), fc.string(), print, print, (id, other, first, second) => {
      const key = versionKey(hash53(id), first)
      expect(Number.isSafeInteger(key)).toBe(true)
      expect(key === versionKey(hash53(id), second)).toBe(first === second)
      expect(key === versionKey(hash53(other), first)).toBe(hash53(id) === hash53(other))
    }),
  )
})
