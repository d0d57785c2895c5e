import { readdirSync } from 'node:fs'
import { expect, test } from 'vitest'
import { scratchFolder } from '../../../test/support/scratch.ts'
import { Spool } from './spool.ts'

test.each([1000, 5_000_000])('pieces of %i bytes are read from any offset, and leave no file', (size) => {
  const folder = scratchFolder()
  const spool = new Spool(folder)
  const pieces = [1, 2, 3].map((value) => Buffer.alloc(size, value))
  for (const piece of pieces) spool.append(piece)
  const all = Buffer.concat(pieces)
  for (const [from, length] of [
    [0, 3 * size],
    [size - 1, 2],
    [size + 7, 2 * size - 7],
    [3 * size, 0],
  ] as const) {
    const got = Buffer.concat([...spool.read(from, length)])
    expect(got.equals(all.subarray(from, from + length))).toBe(true)
  }
  expect([spool.size, readdirSync(folder)]).toEqual([3 * size, []])
  spool.clear()
  spool.append(Buffer.from('again'))
  expect(Buffer.concat([...spool.read(0, 5)]).toString()).toBe('again')
})
