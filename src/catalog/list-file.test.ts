import { appendFileSync, copyFileSync, existsSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { copyTree, scratchIo } from '../../test/support/scratch.ts'
import { changeMarks } from '../organise/change-marks.ts'
import { marksPath } from '../organise/read-marks.ts'
import type { Io } from '../platform/io.ts'
import type { SessionList } from './catalog.ts'
import { discardCatalog } from './connection.ts'
import { catalogPath } from './index-file.ts'
import { LIST_ENDING, NotRemembered, readListFile } from './list-file.ts'
import { openCatalog, openMemoryCatalog } from './open.ts'
import { openList } from './open-list.ts'
import type { SessionFilter } from './session-row.ts'

const fixture = (path: string): string => fileURLToPath(new URL(`../agents/${path}`, import.meta.url))

/** Sessions of two agents, one in files and one in a database, at a time when all that was written now is old. */
function world(): Io {
  const io = scratchIo(fixture('claude/fixtures/2.1.325'))
  copyTree(fixture('goose/fixtures/1.52.0'), io.home)
  return { ...io, now: () => new Date(Date.now() + 60_000) }
}

let settled = 0

/** Gives folders and the files of the index a time long ago that they never had: the next change certainly changes it. */
function settle(io: Io): void {
  const time = Date.now() / 1000 - 3600 - ++settled
  const folders = readdirSync(io.home, { recursive: true, withFileTypes: true }).filter((one) => one.isDirectory())
  const own = [catalogPath(io), `${catalogPath(io)}-wal`, marksPath(io)].filter((path) => existsSync(path))
  for (const path of [...folders.map((one) => join(one.parentPath, one.name)), ...own]) utimesSync(path, time, time)
}

const questions: Readonly<Record<string, (list: SessionList) => unknown>> = {
  overview: (list) => [list.overview(), list.sourceErrors()],
  newest: (list) => rowsOf(list, { limit: 3 }),
  all: (list) => [rowsOf(list, {}), list.further({})],
  pinned: (list) => rowsOf(list, { pinned: true }),
  goose: (list) => [list.has({ agents: ['goose'] }), rowsOf(list, { agents: ['goose'], hidden: true })],
  recent: (list) => rowsOf(list, { since: new Date(0) }),
}

/** Whether a session is open is not asked. */
function rowsOf(list: SessionList, filter: SessionFilter): unknown {
  return list.sessions(filter).map((row) => ({ ...row, live: null }))
}

/** As withList does it. */
async function ask(io: Io, question: (list: SessionList) => unknown): Promise<{ answer: unknown; from: string }> {
  let list = await openList(io, { live: false, shortIds: false, onProgress: () => {} })
  while (list) {
    const from = list.isUnanswered(new NotRemembered()) ? 'file' : 'index'
    try {
      return { answer: question(list), from }
    } catch (error) {
      if (!list.isUnanswered(error)) throw error
    } finally {
      list.close()
    }
    list = await list.instead()
  }
  const catalog = openCatalog(io)
  catalog.refresh()
  const answer = question(catalog)
  catalog.close()
  return { answer, from: 'catalog' }
}

/** Without any index that was there before. */
function expected(io: Io, question: (list: SessionList) => unknown): unknown {
  const catalog = openMemoryCatalog(io)
  catalog.refresh({ extent: 'full' })
  const answer = question(catalog)
  catalog.close()
  return answer
}

const sessionFiles = (io: Io): string[] =>
  readdirSync(join(io.home, '.claude/projects'), { recursive: true, withFileTypes: true })
    .filter((one) => one.isFile() && one.name.endsWith('.jsonl'))
    .map((one) => join(one.parentPath, one.name))
    .sort()

/** What agents, users and other processes of Ion do. */
const changes: Readonly<Record<string, (io: Io, pick: number) => void>> = {
  nothing: () => {},
  append: (io, pick) => {
    const file = at(sessionFiles(io), pick)
    if (file) appendFileSync(file, '{"type":"x"}\n')
  },
  copy: (io, pick) => {
    const from = at(sessionFiles(io), pick)
    if (from)
      copyFileSync(from, join(from, '..', `${String(++settled).padStart(8, '0')}-2222-4333-8444-555555555555.jsonl`))
  },
  remove: (io, pick) => {
    const file = at(sessionFiles(io), pick)
    if (file) rmSync(file)
  },
  mark: (io, pick) => {
    const session = at(listedSessions(io), pick)
    if (session) changeMarks(io, session, { name: `name ${++settled}`, pinned: pick % 2 === 0 })
  },
  reindex: (io) => {
    const catalog = openCatalog(io)
    catalog.refresh({ extent: 'full' })
    catalog.close()
  },
  discard: (io) => discardCatalog(io),
  garble: (io) => writeFileSync(catalogPath(io) + LIST_ENDING, '{"format":1'),
}

const at = <T>(all: readonly T[], pick: number): T | undefined => all[pick % all.length]

function listedSessions(io: Io): { id: string; agent: string }[] {
  return expected(io, (list) => list.sessions()) as { id: string; agent: string }[]
}

test('whatever changes, a list from the list file is that of a complete comparison', async () => {
  const seen = new Set<string>()
  const step = fc.record({
    change: fc.constantFrom(...Object.keys(changes)),
    pick: fc.nat(100),
    asked: fc.constantFrom(...Object.keys(questions)),
  })
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 6 }), async (steps) => {
      const io = world()
      for (const { change, pick, asked } of steps) {
        const question = questions[asked]!
        // Once to notice the times, once to write the file, once to read it.
        settle(io)
        for (const _ of [1, 2, 3]) seen.add((await ask(io, question)).from)
        changes[change]!(io, pick)
        expect({ change, answer: (await ask(io, question)).answer }).toEqual({ change, answer: expected(io, question) })
      }
    }),
    { numRuns: 8 },
  )
  expect([...seen].sort()).toEqual(['catalog', 'file', 'index'])
})

async function remembered(io: Io): Promise<void> {
  for (const _ of [1, 2]) {
    await ask(io, questions.newest!)
    settle(io)
  }
  for (const _ of [1, 2]) await ask(io, questions.newest!)
}

test('a question that was asked before needs no database, another one does', async () => {
  const io = world()
  await remembered(io)
  const from = async (name: string): Promise<string> => (await ask(io, questions[name]!)).from
  expect([await from('newest'), await from('overview'), await from('newest'), await from('overview')]).toEqual([
    'file',
    'index',
    'file',
    'file',
  ])
  // A point in time is another one each time.
  expect([await from('recent'), await from('recent')]).toEqual(['index', 'index'])
  const list = (await openList(io, { live: false, shortIds: false, onProgress: () => {} }))!
  expect(() => list.shortIds([])).toThrow(NotRemembered)
})

test('an index that was written just now is not described: it may be written again without a new time', async () => {
  const io = world()
  await remembered(io)
  rmSync(catalogPath(io) + LIST_ENDING)
  const now = (): Date => new Date()
  utimesSync(catalogPath(io), now(), now())
  await ask({ ...io, now }, questions.newest!)
  expect(existsSync(catalogPath(io) + LIST_ENDING)).toBe(false)
})

test('it is not used for longer than ten minutes, since other old files are to be compared then', async () => {
  const io = world()
  await remembered(io)
  const later = (minutes: number): Io => ({ ...io, now: () => new Date(io.now().getTime() + minutes * 60_000) })
  expect([readListFile(later(9)) !== undefined, readListFile(later(11))]).toEqual([true, undefined])
})
