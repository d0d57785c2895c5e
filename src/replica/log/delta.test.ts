import fc from 'fast-check'
import { expect, test } from 'vitest'
import { applyOps, ContentIndex, type Extent, newBytes, onlyAppends, sizeAfter } from './delta.ts'
import { split } from './split.ts'

const SIZES = { min: 64, bits: 6, max: 512 }

function bytesOf(seed: number, length: number): Buffer {
  const bytes = Buffer.alloc(length)
  let state = seed * 2654435761 + 1
  for (let at = 0; at < length; at++) {
    state = (Math.imul(state, 1664525) + 1013904223) | 0
    bytes[at] = state >>> 24
  }
  return bytes
}

function asText(bytes: Buffer): string {
  return bytes.toString('base64')
}

const content = fc.tuple(fc.nat(1000), fc.nat(60_000)).map(([seed, length]) => bytesOf(seed, length))

test('chunks are the content, whatever the blocks it comes in', () => {
  fc.assert(
    fc.property(content, fc.array(fc.integer({ min: 1, max: 5000 }), { maxLength: 30 }), (bytes, cuts) => {
      const blocks: Buffer[] = []
      let at = 0
      for (const cut of cuts) blocks.push(bytes.subarray(at, (at += cut)))
      blocks.push(bytes.subarray(at))
      const whole = [...split([bytes], SIZES)]
      expect([...split(blocks, SIZES)].map(asText)).toEqual(whole.map(asText))
      expect(Buffer.concat(whole).equals(bytes)).toBe(true)
      expect(
        whole.every(({ length }, index) => length <= SIZES.max && (length >= SIZES.min || index === whole.length - 1)),
      ).toBe(true)
    }),
  )
})

test('after a change, chunks before and after it are the same', () => {
  const before = bytesOf(1, 100_000)
  const after = Buffer.concat([before.subarray(0, 50_000), Buffer.from('inserted'), before.subarray(50_000)])
  const known = new Set([...split([before], SIZES)].map(asText))
  const others = [...split([after], SIZES)].filter((chunk) => !known.has(asText(chunk)))
  expect(others.length).toBeLessThan(10)
})

test('the difference gives the other version, from any version', () => {
  fc.assert(
    fc.property(content, content, fc.nat(60_000), fc.nat(60_000), fc.nat(60_000), (old, inserted, cut, from, to) => {
      const kept = old.subarray(Math.min(from, to), Math.max(from, to))
      const now = Buffer.concat([old.subarray(0, cut), inserted.subarray(0, 700), kept])
      const taken: Buffer[] = []
      const ops = new ContentIndex([old]).diff([now], (bytes) => taken.push(bytes))
      const brought = Buffer.concat(taken)
      expect([sizeAfter(ops), newBytes(ops)]).toEqual([now.length, brought.length])
      const extents = applyOps([{ source: 'old', from: 0, length: old.length }], ops, 'new', 0)
      expect(materialised(extents, { old, new: brought }).equals(now)).toBe(true)
    }),
  )
})

function materialised(extents: readonly Extent[], sources: Record<string, Buffer>): Buffer {
  return Buffer.concat(extents.map(({ source, from, length }) => sources[source]!.subarray(from, from + length)))
}

test('a small change in a large file brings a small number of bytes', () => {
  const old = bytesOf(7, 2_000_000)
  const now = Buffer.from(old)
  now.write('changed', 1_000_000)
  let brought = 0
  new ContentIndex([old]).diff([now], ({ length }) => (brought += length))
  expect(brought).toBeGreaterThan(0)
  expect(brought).toBeLessThan(40_000)
})

test('only what keeps everything and adds to its end appends', () => {
  expect(onlyAppends([[0, 5], [3]], 5)).toBe(true)
  expect(onlyAppends([[3]], 0)).toBe(true)
  for (const ops of [
    [[0, 4], [3]],
    [[1, 5], [3]],
    [[3], [0, 5]],
    [
      [0, 5],
      [0, 1],
    ],
    [[3]],
    [],
  ] as const) {
    expect(onlyAppends(ops, 5)).toBe(false)
  }
})

test('a range that is not there is refused', () => {
  const before = [{ source: 'old', from: 0, length: 5 }]
  expect(() => applyOps(before, [[3, 3]], 'new', 0)).toThrow('does not have')
  expect(() => applyOps(before, [[6, 1]], 'new', 0)).toThrow('does not have')
})
