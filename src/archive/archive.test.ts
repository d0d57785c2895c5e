import { appendFileSync, readdirSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs'
import { extname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { listAll, readAll } from '../../test/support/read-all.ts'
import { filesBelow, scratchFolder, scratchIo } from '../../test/support/scratch.ts'
import { agents } from '../agents/_registry.ts'
import { findAgent } from '../agents/find.ts'
import archiveAgent from '../agents/ion/index.ts'
import type { IonEvent } from '../events/schema.ts'
import type { SessionHead } from '../events/session.ts'
import { readContext } from '../native/read-context.ts'
import type { Io } from '../platform/io.ts'
import { projectOf } from '../platform/project.ts'
import { objectsFolder } from '../vault/vault-paths.ts'
import { Archive } from './archive.ts'
import { ArchiveLog } from './archive-log.ts'
import { archiveFile, archiveFolder, indexFile, writerFolder } from './archive-paths.ts'

const claude = findAgent('claude')
const fixture = fileURLToPath(new URL('../agents/claude/fixtures/2.1.325', import.meta.url))

function captured(io: Io, agent = claude): { added: number; unchanged: number } {
  const archive = new Archive(io)
  try {
    const all = listAll(agent, io).heads.map((head) => archive.capture(agent, head))
    return {
      added: all.reduce((sum, { added }) => sum + added, 0),
      unchanged: all.filter(({ unchanged }) => unchanged).length,
    }
  } finally {
    archive.close()
  }
}

/** The archived events of a session, by Ion's own reader. */
function archived(id: string, io: Io): IonEvent[] {
  const head = listAll(archiveAgent, io).heads.find((one) => one.id === id)
  if (!head) throw new Error(`${id} is not in the archive`)
  const { events, problems } = readAll(archiveAgent, head, io, readContext(io))
  expect(problems).toEqual([])
  return events
}

function pathOf({ id, cwd }: SessionHead, io: Io): string {
  return archiveFile(id, cwd === null ? null : projectOf(cwd), io)
}

describe.each(agents.filter((agent) => !agent.isArchive).map((agent) => [agent.id, agent] as const))(
  '%s',
  (id, agent) => {
    test('all sessions of its fixtures are archived unchanged, and a second capture adds and reads nothing', () => {
      const versions = fileURLToPath(new URL(`../agents/${id}/fixtures/`, import.meta.url))
      for (const version of readdirSync(versions)) {
        const io = scratchIo(join(versions, version))
        const { heads } = listAll(agent, io)
        captured(io, agent)
        for (const head of heads) {
          const native = readAll(agent, head, io, readContext(io)).events
          expect(archived(head.id, io)).toEqual(native.map((event, seq) => ({ ...event, seq })))
        }
        const before = heads.map((head) => readFileSync(pathOf(head, io), 'latin1'))
        expect(captured(io, agent)).toEqual({ added: 0, unchanged: heads.length })
        expect(heads.map((head) => readFileSync(pathOf(head, io), 'latin1'))).toEqual(before)
      }
    })
  },
)

test('a call compresses what earlier calls have archived, and not what it has archived itself', () => {
  const io = { ...scratchIo(fixture), now: () => new Date('2030-01-01T00:00:00Z') }
  const { heads } = listAll(claude, io)
  /** Suffixes of all logs and pieces of copies. */
  const forms = (): Set<string> => {
    const files = [...filesBelow(archiveFolder(io)), ...filesBelow(objectsFolder(io))]
    return new Set(files.filter((path) => !path.startsWith(writerFolder(io))).map((path) => extname(path)))
  }
  const compressed = (heads: readonly SessionHead[]): number => {
    const archive = new Archive(io)
    try {
      for (const head of heads) archive.capture(claude, head)
      return archive.compressOld().logs
    } finally {
      archive.close()
    }
  }
  expect([compressed(heads), forms()]).toEqual([0, new Set(['.jsonl', '.plain'])])
  const read = heads.map(({ id }) => archived(id, io))
  expect([compressed(heads), forms()]).toEqual([heads.length, new Set(['.gz', ''])])
  expect(heads.map(({ id }) => archived(id, io))).toEqual(read)
})

describe('a session that changes', () => {
  /** One session of Claude Code alone, and the file it is in. */
  function alone(): { io: Io; head: () => SessionHead; file: string } {
    const io = scratchIo(fixture)
    const [first, ...others] = listAll(claude, io).heads.filter((head) => !head.parent_session)
    for (const { path } of others) rmSync(path)
    return { io, file: first!.path, head: () => listAll(claude, io).heads.find((one) => one.id === first!.id)! }
  }

  const line = (uuid: string, text: string): string =>
    `${JSON.stringify({ type: 'user', uuid, parentUuid: null, timestamp: '2026-11-16T10:00:00Z', message: { role: 'user', content: text } })}\n`

  test('new events are appended, and earlier ones are untouched', () => {
    const { io, head, file } = alone()
    captured(io)
    const path = pathOf(head(), io)
    const before = readFileSync(path)
    appendFileSync(file, line('new-1', 'one more'))
    expect(captured(io).added).toBe(1)
    expect(readFileSync(path).subarray(0, before.length)).toEqual(before)
    expect(archived(head().id, io).at(-1)).toMatchObject({ id: 'new-1', content: 'one more' })
  })

  test('a session that moves to another folder continues its log', () => {
    const { io, head, file } = alone()
    captured(io)
    const first = head()
    appendFileSync(file, line('new-1', 'from elsewhere'))
    const archive = new Archive(io)
    const moved = { ...head(), cwd: '/home/dev/elsewhere' }
    expect(archive.capture(claude, moved)).toEqual({ added: 1, unchanged: false, problems: 0 })
    expect(archive.capture(claude, moved)).toEqual({ added: 0, unchanged: true, problems: 0 })
    archive.close()
    const logs = listAll(archiveAgent, io).heads.filter(({ id }) => id === first.id)
    expect(logs.map(({ path }) => path)).toEqual([pathOf(first, io)])
    expect(archived(first.id, io).at(-1)).toMatchObject({ id: 'new-1', content: 'from elsewhere' })
  })

  test('what the agent deletes is kept', () => {
    const { io, head, file } = alone()
    appendFileSync(file, line('new-1', 'to be dropped'))
    captured(io)
    const { id } = head()
    const before = archived(id, io)
    truncateSync(file, statSync(file).size - line('new-1', 'to be dropped').length)
    captured(io)
    expect(archived(id, io)).toEqual(before)
    rmSync(file)
    captured(io)
    expect(archived(id, io)).toEqual(before)
  })

  test('a changed event is read as it is now, and the old version stays in the file', () => {
    const { io, head, file } = alone()
    appendFileSync(file, line('new-1', 'first words'))
    captured(io)
    writeFileSync(file, readFileSync(file, 'utf8').replace('first words', 'better words'))
    expect(captured(io).added).toBe(1)
    expect(captured(io).added).toBe(0)
    const said = archived(head().id, io).filter(({ id }) => id.startsWith('new-1'))
    expect(said).toEqual([expect.objectContaining({ id: 'new-1', content: 'better words' })])
    expect(readFileSync(pathOf(head(), io), 'utf8')).toContain('first words')
  })

  test('a log truncated anywhere is complete after the next capture', () => {
    const { io, head } = alone()
    captured(io)
    const path = pathOf(head(), io)
    const whole = readFileSync(path)
    const { events } = readAll(claude, head(), io)
    fc.assert(
      fc.property(fc.integer({ min: 0, max: whole.length }), (cut) => {
        writeFileSync(path, whole.subarray(0, cut))
        const log = new ArchiveLog(path, readContext(io))
        for (const event of events) log.add(event)
        log.save()
        log.close()
        expect(readFileSync(path).equals(whole)).toBe(true)
      }),
      { numRuns: 25 },
    )
  })
})

test('the index has a line for each session', () => {
  const io = scratchIo(fixture)
  captured(io)
  const entries = readFileSync(indexFile(io), 'utf8')
    .trim()
    .split('\n')
    .map((one) => JSON.parse(one) as { id: string })
  expect(entries.map(({ id }) => id).sort()).toEqual(
    listAll(claude, io)
      .heads.map(({ id }) => id)
      .sort(),
  )
  expect(statSync(indexFile(io)).mode & 0o777).toBe(0o600)
})

test('one process writes at a time', () => {
  const io = scratchIo(fixture)
  const first = new Archive(io)
  expect(() => new Archive(io)).toThrow(`another process is writing to the archive (pid ${process.pid})`)
  first.close()
  new Archive(io).close()
})

test('an id that is not a UUID cannot become a path', () => {
  expect(() => archiveFile('../../x', null, scratchIo())).toThrow('is not the id of a session')
})

test('an event with another guessed time is the same event', () => {
  const path = join(scratchFolder(), 'a.jsonl')
  const event = (timestamp: string) =>
    ({ type: 'user', id: 'u', parent_id: null, seq: 0, timestamp, timestamp_guessed: true, content: 'x' }) as IonEvent
  const log = new ArchiveLog(path, readContext(scratchIo()))
  log.add(event('2026-11-16T00:00:00.000Z'))
  log.add(event('2026-11-16T00:00:09.000Z'))
  log.save()
  log.close()
  expect([log.added, log.events]).toEqual([1, 1])
})
