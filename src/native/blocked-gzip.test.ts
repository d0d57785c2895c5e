import { execFileSync } from 'node:child_process'
import { openSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { scratchFolder } from '../../test/support/scratch.ts'
import { BlockedGzip, compressed, MAX_BLOCK } from './blocked-gzip.ts'

function pack(bytes: Uint8Array, blockSize?: number): Buffer {
  let position = 0
  const read = (target: Buffer): number => {
    const part = bytes.subarray(position, position + target.length)
    target.set(part)
    position += part.length
    return part.length
  }
  return Buffer.concat([...compressed(read, blockSize)].map((block) => Buffer.from(block)))
}

/** All that can be read from `from` on, and the error that ended it. */
function unpack(path: string, from = 0): { bytes: Buffer; error?: string } {
  const file = new BlockedGzip(openSync(path, 'r'))
  const parts: Buffer[] = []
  const target = Buffer.alloc(1000)
  try {
    for (let position = from; ; ) {
      const count = file.read(target, 0, target.length, position)
      if (count === 0) return { bytes: Buffer.concat(parts) }
      parts.push(Buffer.from(target.subarray(0, count)))
      position += count
    }
  } catch (error) {
    return { bytes: Buffer.concat(parts), error: (error as Error).message }
  } finally {
    file.close()
  }
}

const anyBytes = fc.oneof(
  fc.uint8Array({ maxLength: 3000 }),
  fc.stringMatching(/^[ab ]{0,200}$/).map((text) => Buffer.from(text.repeat(9))),
)

test('any bytes in blocks of any size are restored from any offset, and by any gzip', () => {
  const path = join(scratchFolder(), 'a.jsonl.gz')
  fc.assert(
    fc.property(anyBytes, fc.integer({ min: 1, max: 700 }), fc.nat(3000), (bytes, blockSize, from) => {
      const packed = pack(bytes, blockSize)
      writeFileSync(path, packed)
      expect(unpack(path, from)).toEqual({ bytes: Buffer.from(bytes.subarray(from)) })
      expect(gunzipSync(packed)).toEqual(Buffer.from(bytes))
      const file = new BlockedGzip(openSync(path, 'r'))
      expect(file.size).toBe(bytes.length)
      file.close()
    }),
    { numRuns: 60 },
  )
})

test('a truncated or changed file gives the same content, or what was before the damage and an error', () => {
  const path = join(scratchFolder(), 'a.jsonl.gz')
  const change = fc.record({ at: fc.nat(), to: fc.integer({ min: 1, max: 255 }) })
  fc.assert(
    fc.property(anyBytes, fc.integer({ min: 50, max: 700 }), fc.option(change), fc.nat(), (bytes, size, flip, cut) => {
      const packed = pack(bytes, size)
      const at = (flip?.at ?? cut) % packed.length
      if (flip) packed[at]! ^= flip.to
      writeFileSync(path, flip ? packed : packed.subarray(0, at))
      const { bytes: read, error } = unpack(path)
      expect(Buffer.from(bytes).subarray(0, read.length)).toEqual(read)
      if (!flip) expect(error).toMatch(/^damaged at byte \d+: /)
      if (error === undefined) expect(read.length).toBe(bytes.length)
    }),
    { numRuns: 300 },
  )
})

test('incompressible data fits into the largest block; anything after the end is damage', () => {
  const path = join(scratchFolder(), 'a.jsonl.gz')
  const noise = crypto.getRandomValues(Buffer.alloc(MAX_BLOCK * 2 + 10).subarray(0, 65_000))
  const bytes = Buffer.concat([noise, noise, noise])
  writeFileSync(path, Buffer.concat([pack(bytes), Buffer.from('x')]))
  expect(unpack(path)).toEqual({ bytes, error: expect.stringMatching(/: invalid end block$/) })
})

test('zcat reads it', () => {
  const path = join(scratchFolder(), 'a.jsonl.gz')
  writeFileSync(path, pack(Buffer.from('{"a":1}\n'.repeat(30_000))))
  // Of the system, not of the project.
  const [program, ...args] = ['zcat', path]
  expect(execFileSync(program!, args, { encoding: 'utf8' })).toBe('{"a":1}\n'.repeat(30_000))
})
