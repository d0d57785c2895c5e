import { closeSync, ftruncateSync, openSync, statSync, writeFileSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { scratchFolder, scratchIo } from '../../test/support/scratch.ts'
import { LineCursor, MAX_LINE } from './line-cursor.ts'
import { readContext } from './read-context.ts'

interface Seen {
  readonly text: string
  readonly line: number
  readonly offset: number
  readonly length: number
  readonly terminated: boolean
  readonly tooLong: boolean
}

function walk(path: string, from = 0, chunk?: number): { lines: Seen[]; bytes: number; capacity: number } {
  const reading = readContext(scratchIo())
  const cursor = new LineCursor(path, reading, from, chunk)
  const lines: Seen[] = []
  while (cursor.next()) {
    const { line, offset, length, terminated, tooLong } = cursor
    const text = cursor.buffer.toString('latin1', cursor.start, cursor.end)
    lines.push({ text, line, offset, length, terminated, tooLong })
  }
  const capacity = cursor.buffer.length
  cursor.close()
  return { lines, bytes: reading.bytes, capacity }
}

/** What the cursor should see, the simple way. */
function split(bytes: Buffer, from: number): Seen[] {
  const lines: Seen[] = []
  for (let at = from; at < bytes.length; ) {
    const newline = bytes.indexOf(10, at)
    const end = newline < 0 ? bytes.length : newline
    const text = bytes.toString('latin1', at, end)
    const rest = { length: end - at, terminated: newline >= 0, tooLong: false }
    lines.push({ text, line: lines.length + 1, offset: at, ...rest })
    at = end + 1
  }
  return lines
}

/** Pieces around the size of a small buffer (4096), so that lines end before, on and behind its end. */
const piece = fc.oneof(
  fc.uint8Array({ maxLength: 40 }).map((bytes) => Buffer.from(bytes)),
  fc.integer({ min: 4080, max: 4110 }).map((length) => Buffer.alloc(length, 'x')),
  fc.integer({ min: 0, max: 20_000 }).map((length) => Buffer.alloc(length, 'y')),
  fc.constantFrom('\n', '\n\n', '\r\n', '\0', '\ufeff').map((text) => Buffer.from(text)),
)

test('equals a split on newlines, for any chunk size and any start', () => {
  const path = join(scratchFolder(), 'lines')
  fc.assert(
    fc.property(
      fc.array(piece, { maxLength: 12 }),
      fc.nat(),
      fc.constantFrom(4096, 5001, undefined),
      (pieces, at, chunk) => {
        const bytes = Buffer.concat(pieces)
        writeFileSync(path, bytes)
        const from = bytes.length === 0 ? 0 : at % (bytes.length + 1)
        expect(walk(path, from, chunk).lines).toEqual(split(bytes, from))
      },
    ),
    { numRuns: 300 },
  )
})

test('a file of many megabytes, each byte read once', () => {
  const path = join(scratchFolder(), 'lines')
  const lines = Array.from({ length: 6000 }, (_, n) => String(n).repeat(1 + ((n * 37) % 400)))
  const bytes = Buffer.from(`${lines.join('\n')}\n`)
  writeFileSync(path, bytes)
  const walked = walk(path)
  expect(walked.lines.map((line) => line.text)).toEqual(lines)
  expect(walked.bytes).toBe(bytes.length)
})

test('a line that just fits is returned, a longer one is skipped, and the next is correct', () => {
  const path = join(scratchFolder(), 'lines')
  for (const length of [MAX_LINE - 1, MAX_LINE, MAX_LINE + 1, 40_000_000]) {
    writeFileSync(path, Buffer.concat([Buffer.from('a\n'), Buffer.alloc(length, 'b'), Buffer.from('\nc\nd')]))
    for (const chunk of [4096, 700_001, undefined]) {
      const { lines, capacity } = walk(path, 0, chunk)
      const tooLong = length >= MAX_LINE
      expect(lines.map(({ text, ...rest }) => ({ ...rest, text: text.length }))).toEqual([
        { text: 1, line: 1, offset: 0, length: 1, terminated: true, tooLong: false },
        { text: tooLong ? 0 : length, line: 2, offset: 2, length, terminated: true, tooLong },
        { text: 1, line: 3, offset: length + 3, length: 1, terminated: true, tooLong: false },
        { text: 1, line: 4, offset: length + 5, length: 1, terminated: false, tooLong: false },
      ])
      expect(capacity).toBeLessThan(2 * MAX_LINE)
    }
  }
})

test('a single line of more than 2 GB takes no more memory than the longest line allowed', { tags: ['deep'] }, () => {
  const path = join(scratchFolder(), 'lines')
  const fd = openSync(path, 'w')
  const size = 2 ** 31 + 12_345
  writeSync(fd, 'first\n')
  ftruncateSync(fd, size)
  closeSync(fd)
  // A hole in the file: it takes no disk.
  expect(statSync(path).blocks).toBeLessThan(1000)
  const before = process.memoryUsage().arrayBuffers
  const { lines, capacity } = walk(path)
  expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(4 * MAX_LINE)
  expect(lines).toEqual([
    { text: 'first', line: 1, offset: 0, length: 5, terminated: true, tooLong: false },
    { text: '', line: 2, offset: 6, length: size - 6, terminated: false, tooLong: true },
  ])
  expect(capacity).toBeLessThanOrEqual(MAX_LINE)
})

test('opening a missing file throws', () => {
  expect(() => walk('/nowhere/at/all')).toThrow('ENOENT')
})
