import fc from 'fast-check'
import { expect, test } from 'vitest'
import { paddedSize } from './padding.ts'

const anySize = fc.oneof(fc.integer({ min: 0, max: 70_000 }), fc.integer({ min: 0, max: 2 ** 31 }))

test('a padded size is at least the size, and at most 12 % and 256 bytes more', () => {
  fc.assert(
    fc.property(anySize, (size) => {
      expect(paddedSize(size)).toBeGreaterThanOrEqual(size)
      expect(paddedSize(size)).toBeLessThanOrEqual(size * 1.12 + 256)
    }),
  )
})

test('padding a padded size adds nothing, and a larger size never gets smaller', () => {
  fc.assert(
    fc.property(anySize, fc.nat(1000), (size, more) => {
      expect(paddedSize(paddedSize(size))).toBe(paddedSize(size))
      expect(paddedSize(size + more)).toBeGreaterThanOrEqual(paddedSize(size))
    }),
  )
})

test('near sizes become the same: few different ones remain', () => {
  const sizes = new Set<number>()
  for (let size = 0; size <= 1024 * 1024; size++) sizes.add(paddedSize(size))
  // Sixteen for each power of two from 2^8, thirty-two from 2^16, and the smallest.
  expect(sizes.size).toBe(8 * 16 + 4 * 32 + 1)
})

test('these sizes are padded as in the paper', () => {
  expect([0, 256, 257, 1000, 1024, 1025, 65_537, 1_000_000, 1_048_577].map(paddedSize)).toEqual([
    256, 256, 272, 1024, 1024, 1088, 67_584, 1_015_808, 1_081_344,
  ])
})
