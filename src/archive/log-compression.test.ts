import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { listAll, readAll } from '../../test/support/read-all.ts'
import { sampleLog } from '../../test/support/sample-events.ts'
import { scratchIo } from '../../test/support/scratch.ts'
import archiveAgent from '../agents/ion/index.ts'
import type { IonEvent, SessionStart } from '../events/event.ts'
import { readContext } from '../native/read-context.ts'
import type { Io } from '../platform/io.ts'
import { Archive } from './archive.ts'
import { archiveFile, archiveFolder } from './archive-paths.ts'
import { compressedForm, compressLog, compressOldLogs, decompressLog } from './log-compression.ts'

const events = sampleLog(
  { type: 'user', content: 'Fix the *cart*' },
  { type: 'assistant', content: [{ type: 'text', text: 'Done. '.repeat(400) }] },
  { type: 'user', content: 'Ø 中 🙂' },
)
const { session_id: id, project } = events[0] as SessionStart

/** An archive that holds one log. */
function archived(log: readonly IonEvent[] = events): { io: Io; path: string; cold: string } {
  const io = scratchIo()
  take(io, log)
  const path = archiveFile(id, project, io)
  return { io, path, cold: compressedForm(path) }
}

function take(io: Io, log: readonly IonEvent[]): number {
  const archive = new Archive(io)
  try {
    return archive.import(log[0] as SessionStart, log)
  } finally {
    archive.close()
  }
}

function cool(io: Io): ReturnType<Archive['compressOld']> {
  const archive = new Archive(io)
  try {
    return archive.compressOld()
  } finally {
    archive.close()
  }
}

const NOTHING = { logs: 0, before: 0, after: 0, left: 0, problems: [] }
const names = (path: string): string[] => readdirSync(dirname(path))

/** All that a reader gets: heads without their place and size, events, problems. */
function seen(io: Io): unknown {
  const { heads, problems } = listAll(archiveAgent, io)
  return {
    problems,
    sessions: heads.map((head) => {
      const { path: _path, bytes: _bytes, revision: _revision, ...rest } = head
      const { events, problems } = readAll(archiveAgent, head, io, readContext(io))
      return { rest, events, problems }
    }),
  }
}

describe('a compressed log', () => {
  test('is listed and read like the plain one, is smaller, and has the same time', () => {
    const { io, path, cold } = archived()
    utimesSync(path, 1.7e9, 1.7e9)
    const [before, text, stamp] = [seen(io), readFileSync(path), statSync(path)]
    expect(cool(io)).toEqual({ logs: 1, before: stamp.size, after: statSync(cold).size, left: 0, problems: [] })
    expect(names(path)).toEqual([`${id}.jsonl.gz`])
    expect(seen(io)).toEqual(before)
    expect(gunzipSync(readFileSync(cold))).toEqual(text)
    expect([statSync(cold).size < stamp.size, statSync(cold).mtimeMs, statSync(cold).mode & 0o777]).toEqual([
      true,
      stamp.mtimeMs,
      0o600,
    ])
    expect(cool(io)).toEqual(NOTHING)
  })

  test('any events are read back', () => {
    const word = fc.string({ unit: 'binary', maxLength: 300 })
    fc.assert(
      fc.property(fc.array(word, { maxLength: 30 }), fc.nat(40), (words, repeat) => {
        const log = sampleLog(...words.map((content) => ({ type: 'user' as const, content: content.repeat(repeat) })))
        const { io, path } = archived(log)
        const [before, text] = [seen(io), readFileSync(path)]
        compressLog(path)
        expect(seen(io)).toEqual(before)
        decompressLog(path)
        expect(readFileSync(path).equals(text)).toBe(true)
        expect(seen(io)).toEqual(before)
      }),
      { numRuns: 6 },
    )
  })

  test('is decompressed when something is appended', () => {
    const { io, path } = archived()
    const before = readFileSync(path)
    cool(io)
    const more = sampleLog(...events.slice(1), { type: 'user', content: 'and the till' })
    expect(take(io, more)).toBe(1)
    expect(names(path)).toEqual([`${id}.jsonl`])
    expect(readFileSync(path).subarray(0, before.length)).toEqual(before)
    expect(readAll(archiveAgent, listAll(archiveAgent, io).heads[0]!, io).events).toEqual(more)
  })

  test('is listed from its first and last block', () => {
    const large = sampleLog({ type: 'user', content: 'x'.repeat(3e6) }, { type: 'user', content: 'end' })
    const { io, path } = archived(large)
    compressLog(path)
    const reading = readContext(io)
    expect(listAll(archiveAgent, io, reading).heads.map((head) => head.updated_at)).toEqual([large.at(-1)!.timestamp])
    expect(reading.bytes).toBeLessThan(100_000)
  })

  test('is found under the name it had when it was listed', () => {
    const { io, path } = archived()
    const [warm] = listAll(archiveAgent, io).heads
    compressLog(path)
    const [cold] = listAll(archiveAgent, io).heads
    expect(readAll(archiveAgent, warm!, io).events).toEqual(events)
    decompressLog(path)
    expect(readAll(archiveAgent, cold!, io).events).toEqual(events)
  })

  test('damage is a problem with its position, never silently fewer events', () => {
    const { io, path, cold } = archived()
    compressLog(path)
    const whole = readFileSync(cold)
    const [head] = listAll(archiveAgent, io).heads
    fc.assert(
      fc.property(fc.nat(whole.length - 1), fc.integer({ min: 0, max: 255 }), (at, flip) => {
        const bytes = Buffer.from(whole)
        bytes[at]! ^= flip
        writeFileSync(cold, flip === 0 ? bytes.subarray(0, at) : bytes)
        const { events: read, problems } = readAll(archiveAgent, head!, io)
        expect(events.slice(0, read.length)).toEqual(read)
        if (read.length < events.length || flip === 0) {
          expect(problems).toEqual([
            { code: 'damaged', problem: expect.stringMatching(/^cannot read: damaged at byte/), path: cold },
          ])
        }
      }),
      { numRuns: 200 },
    )
  })

  test('a damaged one is not decompressed, but kept and reported', () => {
    const { io, path, cold } = archived()
    compressLog(path)
    const bytes = readFileSync(cold)
    bytes[60]! ^= 1
    writeFileSync(cold, bytes)
    expect(() => take(io, sampleLog({ type: 'user', content: 'new' }))).toThrow(/\.jsonl\.gz: damaged at byte 0: /)
    expect([names(path), readFileSync(cold)]).toEqual([[`${id}.jsonl.gz`], bytes])
  })
})

describe('after a crash', () => {
  test('both forms are one session, the plain one counts, and the next compression cleans up', () => {
    const { io, path, cold } = archived()
    const warm = readFileSync(path)
    compressLog(path)
    writeFileSync(path, warm)
    expect((seen(io) as { sessions: unknown[] }).sessions).toHaveLength(1)
    appendFileSync(path, `${JSON.stringify({ ...events[1]!, id: 'later', seq: 4 })}\n`)
    expect(listAll(archiveAgent, io).heads.map((head) => head.path)).toEqual([path])
    writeFileSync(`${cold}.0123456789ab.tmp`, 'half')
    writeFileSync(`${path}.0123456789ab.tmp`, 'half')
    expect(cool(io)).toMatchObject({ logs: 1, problems: [] })
    expect(names(path)).toEqual([`${id}.jsonl.gz`])
    expect(gunzipSync(readFileSync(cold)).subarray(0, warm.length)).toEqual(warm)
  })

  test('two forms that differ are both kept and reported', () => {
    const { io, path, cold } = archived()
    const [first] = readFileSync(path, 'utf8').split('\n')
    compressLog(path)
    writeFileSync(path, `${first}\n`)
    expect(cool(io)).toEqual({ ...NOTHING, problems: [`${path} and ${cold} differ; move one of them away`] })
    expect(() => take(io, events)).toThrow('differ; move one of them away')
    expect([existsSync(path), existsSync(cold)]).toEqual([true, true])
  })
})

test('compresses what has not changed for a month, oldest first, up to a limit', () => {
  const io = scratchIo()
  const day = (days: number): Date => new Date(io.now().getTime() - days * 86_400_000)
  const folder = join(archiveFolder(io), 'no-project')
  mkdirSync(folder, { recursive: true })
  const idOf = (digit: number): string => `${String(digit).repeat(8)}-2222-4333-8444-555555555555`
  const log = (digit: number, days: number, size: number): void => {
    const path = join(folder, `${idOf(digit)}.jsonl`)
    writeFileSync(path, 'x'.repeat(size))
    utimesSync(path, day(days), day(days))
  }
  for (const [digit, days, size] of [[1, 29, 10], [2, 34, 2000], [3, 31, 500], [4, 32, 500], [5, 33, 500]] as const) log(digit, days, size) // biome-ignore format: a table
  // What the session itself says counts more than the file.
  const changed = (id: string): number | undefined => (id === idOf(3) ? day(3).getTime() : undefined)
  const coldNames = (): string[] => readdirSync(folder).filter((name) => name.endsWith('.gz'))
  const next = (): unknown => [compressOldLogs(io, changed, 1000), coldNames().map((name) => Number(name[0]))]
  const cooled = { before: 1000, after: expect.any(Number), problems: [] }
  expect(next()).toEqual([{ ...cooled, logs: 1, before: 2000, left: 2 }, [2]])
  expect(next()).toEqual([{ ...cooled, logs: 2, left: 0 }, [2, 4, 5]])
  expect(next()).toEqual([NOTHING, [2, 4, 5]])
})
