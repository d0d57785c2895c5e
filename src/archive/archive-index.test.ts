import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { expect, test } from 'vitest'
import { tryWith } from '../../test/e2e/faulty-files.ts'
import { scratchIo } from '../../test/support/scratch.ts'
import type { Io } from '../platform/io.ts'
import { Archive } from './archive.ts'
import { ArchiveIndex } from './archive-index.ts'
import { indexFile } from './archive-paths.ts'

const line = (id: string, events: number, v = 1): string =>
  JSON.stringify({
    v,
    id,
    agent: 'claude',
    native_id: id,
    title: null,
    cwd: null,
    project: null,
    events,
    revision: null,
  })

function withLines(lines: readonly string[]): Io {
  const io = scratchIo()
  mkdirSync(dirname(indexFile(io)), { recursive: true })
  writeFileSync(indexFile(io), lines.map((one) => `${one}\n`).join(''))
  return io
}

const linesOf = (io: Io): string[] => readFileSync(indexFile(io), 'utf8').trim().split('\n')

test('an index with more than three lines per session is rewritten with the last line of each', () => {
  const lines = Array.from({ length: 200 }, (_, n) => line(n % 2 ? 'a' : 'b', n))
  const io = withLines([...lines, '{"v":1,"id":"torn'])
  new Archive(io).close()
  expect(linesOf(io)).toEqual([line('b', 198), line('a', 199)])
  expect(readdirSync(dirname(indexFile(io))).filter((name) => name.endsWith('.tmp'))).toEqual([])
  const index = new ArchiveIndex(io)
  expect([index.get('claude', 'a')?.events, index.get('claude', 'b')?.events]).toEqual([199, 198])
})

test('one with few lines, or few per session, is left alone', () => {
  for (const [lines, sessions] of [
    [90, 2],
    [300, 100],
  ] as const) {
    const io = withLines(Array.from({ length: lines }, (_, n) => line(`s${n % sessions}`, n)))
    new Archive(io).close()
    expect(linesOf(io)).toHaveLength(lines)
  }
})

test('a line of a newer Ion is not misread, and survives a compaction where it is', () => {
  const older = Array.from({ length: 150 }, (_, n) => line('a', n))
  const newer = [line('b', 7, 2), '{"v":3,"session":"in another shape"}']
  const io = withLines([line('b', 1), ...newer, ...older, line('c', 1, 2), line('c', 2)])
  const index = new ArchiveIndex(io)
  expect(() => index.get('claude', 'b')).toThrow('session b was archived by a newer version of Ion')
  expect(() => index.logOf('claude', { id: 'b', cwd: null })).toThrow('newer version')
  // The older Ion archived it again since.
  expect(index.get('claude', 'c')?.events).toBe(2)
  new Archive(io).close()
  expect(linesOf(io)).toEqual([line('b', 1), ...newer, line('a', 149), line('c', 1, 2), line('c', 2)])
})

test('an index that a rewrite would not shorten is left alone', () => {
  const io = withLines(Array.from({ length: 150 }, (_, n) => line('a', n, 2)))
  const { ino } = statSync(indexFile(io))
  new Archive(io).close()
  expect(statSync(indexFile(io)).ino).toBe(ino)
})

test.each(['ENOSPC', 'EACCES', 'EROFS'] as const)('%s at any operation of a rewrite loses nothing', (code) => {
  const lines = Array.from({ length: 200 }, (_, n) => line('a', n))
  const compacted = (at: number) => {
    const io = withLines(lines)
    const index = new ArchiveIndex(io)
    return { io, ...tryWith({ code, at }, () => index.compact()) }
  }
  const { operations } = compacted(Number.POSITIVE_INFINITY)
  expect(operations).toBeGreaterThan(2)
  for (let at = 1; at <= operations; at++) {
    const { io } = compacted(at)
    expect([lines, lines.slice(-1)]).toContainEqual(linesOf(io))
  }
})
