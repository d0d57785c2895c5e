import { appendFileSync, mkdirSync, renameSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { scratchIo } from '../../test/support/scratch.ts'
import { searchFor } from '../../test/support/search-query.ts'
import type { Io } from '../platform/io.ts'
import { openDatabase } from '../platform/sqlite.ts'
import { catalogPath } from './index-file.ts'
import { openCatalog } from './open.ts'

const world = (fixture: string): Io => scratchIo(fileURLToPath(new URL(`../agents/${fixture}`, import.meta.url)))

/** A store that can be locked: one in WAL mode would be read from a copy. */
function lockable(): Io {
  const io = world('goose/fixtures/handmade-schema-13')
  const database = openDatabase(store(io))
  database.exec('PRAGMA journal_mode = DELETE')
  database.close()
  return io
}

const store = (io: Io): string => join(io.home, '.local/share/goose/sessions/sessions.db')

/** Locks it like a program that keeps writing. */
function lock(path: string): () => void {
  const writer = openDatabase(path)
  writer.exec('PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE')
  return () => {
    writer.exec('ROLLBACK')
    writer.close()
  }
}

test('a locked database: its sessions stay, the error is recorded, and the next run reads it again', () => {
  const io = lockable()
  const catalog = openCatalog(io)
  catalog.refresh()
  const rows = catalog.sessions({ hidden: true })
  expect(rows.length).toBeGreaterThan(0)
  utimesSync(store(io), new Date(), new Date())
  const unlock = lock(store(io))
  catalog.refresh()
  expect(catalog.sessions({ hidden: true })).toEqual(rows)
  expect(catalog.sourceErrors()).toEqual([
    {
      agent: 'goose',
      path: store(io),
      problem: expect.stringContaining('another program is writing'),
      code: 'locked',
      errno: null,
    },
  ])
  unlock()
  catalog.refresh()
  expect(catalog.sourceErrors()).toEqual([])
  expect(catalog.sessions({ hidden: true })).toEqual(rows)
  catalog.close()
})

test('a database that was locked at first is read once it is free, although it did not change', () => {
  const io = lockable()
  const catalog = openCatalog(io)
  const unlock = lock(store(io))
  catalog.refresh()
  expect(catalog.count({ hidden: true })).toBe(0)
  unlock()
  catalog.refresh()
  expect(catalog.count({ hidden: true })).toBeGreaterThan(0)
  catalog.close()
})

test('a search says which text cannot be read at the moment', () => {
  const io = lockable()
  const catalog = openCatalog(io)
  catalog.refresh()
  const unlock = lock(store(io))
  const { hits, unsearched } = catalog.search(searchFor('shop role:user'))
  expect({ hits, path: unsearched[0]?.path }).toEqual({ hits: [], path: store(io) })
  unlock()
  const free = catalog.search(searchFor('shop'))
  expect(free.hits.length).toBeGreaterThan(0)
  expect(free.unsearched).toEqual([])
  catalog.close()
})

/** A home with more sessions than are compared each time; `append` adds a line to each of some old ones. */
function manySessions(): { io: Io; append: (text: string) => readonly string[] } {
  const io = world('claude/fixtures/2.1.325')
  const folder = join(io.home, '.claude/projects/-home-dev-many')
  mkdirSync(folder)
  const line = (id: string, text: string): string =>
    `${JSON.stringify({
      ...{ type: 'user', uuid: id, sessionId: id, parentUuid: null, cwd: '/home/dev/many', version: '2.1.325' },
      ...{ timestamp: '2026-01-01T00:00:00.000Z', message: { role: 'user', content: text } },
    })}\n`
  const ids = Array.from({ length: 400 }, (_, n) => `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`)
  for (const id of ids) writeFileSync(join(folder, `${id}.jsonl`), line(id, 'an old prompt'))
  utimesSync(folder, new Date('2026-01-01'), new Date('2026-01-01'))
  const some = ids.filter((_id, n) => n % 40 === 7)
  const append = (text: string): readonly string[] => {
    for (const id of some) appendFileSync(join(folder, `${id}.jsonl`), line(id, text))
    return some
  }
  return { io, append }
}

test('a line that is appended to an old session is found by the next search, although only the newest are compared', () => {
  const { io, append } = manySessions()
  const catalog = openCatalog(io)
  catalog.refresh()
  const { checked, known } = catalog.refresh({ extent: 'hot' }).freshness
  expect(checked).toBeLessThan(known)
  const appended = append('needleword')
  catalog.refresh()
  const { hits } = catalog.search(searchFor('needleword'))
  expect(hits.map(({ session }) => session.native_id).sort()).toEqual(appended)
  catalog.close()
})

test('of a few thousand sessions all are compared again after half a minute', () => {
  const { io, append } = manySessions()
  let now = Date.parse('2026-11-16T00:00:00Z')
  const catalog = openCatalog({ ...io, now: () => new Date(now) })
  const { known } = catalog.refresh().freshness
  const appended = append('more')
  now += 20_000
  expect(catalog.refresh().freshness.checked).toBeLessThan(known)
  now += 20_000
  const isComplete = { known, checked: known, fullCheckAt: new Date(now).toISOString() }
  expect(catalog.refresh().freshness).toEqual(isComplete)
  const twoMessages = catalog.sessions({ project: '/home/dev/many' }).filter(({ messages }) => messages === 2)
  expect(twoMessages.map(({ native_id }) => native_id).sort()).toEqual(appended)
  catalog.close()
})

test('sessions in a folder that cannot be listed are kept', () => {
  const io = world('claude/fixtures/2.1.325')
  const catalog = openCatalog(io)
  catalog.refresh()
  const before = catalog.sessions({ hidden: true, subAgents: true }).map((row) => row.id)
  const folder = join(io.home, '.claude/projects')
  renameSync(folder, `${folder}-away`)
  symlinkSync(folder, folder)
  catalog.refresh()
  expect(catalog.sessions({ hidden: true, subAgents: true }).map((row) => row.id)).toEqual(before)
  expect(catalog.sourceErrors()).toEqual([
    {
      agent: 'claude',
      path: folder,
      problem: expect.stringContaining('cannot read the folder'),
      code: 'cannot_read',
      errno: 'ELOOP',
    },
  ])
  rmSync(folder)
  mkdirSync(folder)
  catalog.refresh()
  expect(catalog.sessions({ hidden: true, subAgents: true })).toEqual([])
  expect(catalog.sourceErrors()).toEqual([])
  catalog.close()
})

test('a first refresh that was not completed gives the same answers, and the next one completes it', () => {
  const io = world('claude/fixtures/2.1.325')
  const catalog = openCatalog(io)
  const steps = catalog.refreshSteps()
  for (let step = 0; step < 5; step++) steps.next()
  steps.return({ changed: 0, removed: 0, freshness: { checked: 0, known: 0, fullCheckAt: null } })
  expect(indexesOf(io)).toEqual([])
  expect(catalog.sessions()).toEqual([])
  catalog.refresh()
  expect(indexesOf(io)).toEqual(['session_by_id', 'session_by_time'])
  expect(catalog.sessions().length).toBeGreaterThan(0)
  catalog.close()
})

/** Which of the indexes that a first refresh creates at its end exist. */
function indexesOf(io: Io): string[] {
  const database = openDatabase(catalogPath(io))
  const rows = database
    .prepare("SELECT name FROM sqlite_master WHERE name IN ('session_by_id', 'session_by_time') ORDER BY name")
    .all() as { name: string }[]
  database.close()
  return rows.map(({ name }) => name)
}

test('two processes that index the same new sessions at once store each of them once', () => {
  const io = world('claude/fixtures/2.1.325')
  const [first, second] = [openCatalog(io), openCatalog(io)]
  const steps = first.refreshSteps()
  // Far enough that it has found all sources, and knows none of them.
  for (let step = 0; step < 5; step++) steps.next()
  second.refresh()
  const rows = second.sessions({ hidden: true, subAgents: true })
  while (!steps.next().done);
  expect(first.sessions({ hidden: true, subAgents: true })).toEqual(rows)
  for (const catalog of [first, second]) catalog.close()
})
