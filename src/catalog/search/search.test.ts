import { appendFileSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished, test } from 'vitest'
import { copyTree, scratchIo } from '../../../test/support/scratch.ts'
import { searchFor } from '../../../test/support/search-query.ts'
import { MAX_LINE } from '../../native/line-cursor.ts'
import type { Io } from '../../platform/io.ts'
import { openDatabase } from '../../platform/sqlite.ts'
import type { SteppedCatalog } from '../catalog.ts'
import { openMemoryCatalog } from '../open.ts'

const idOf = (number: number): string => `${`${number}`.padStart(8, '0')}-0000-4000-8000-000000000000`
const timeOf = (number: number): string => new Date(Date.UTC(2026, 0, 1) + number * 60_000).toISOString()

function line(session: number, text: string): string {
  return `${JSON.stringify({
    ...{ parentUuid: null, type: 'user', message: { role: 'user', content: text }, cwd: '/home/dev/shop' },
    ...{ uuid: idOf(session), sessionId: idOf(session), timestamp: timeOf(session) },
  })}\n`
}

const fileOf = (io: Io, session: number): string =>
  join(io.home, '.claude/projects/-home-dev-shop', `${idOf(session)}.jsonl`)

/** Sessions of one prompt each: the higher the number, the newer. */
function worldOf(texts: readonly string[]): Io {
  const io = scratchIo()
  mkdirSync(join(fileOf(io, 0), '..'), { recursive: true })
  for (const [session, text] of texts.entries()) writeFileSync(fileOf(io, session), line(session, text))
  return io
}

function openIndexed(io: Io): SteppedCatalog {
  const catalog = openMemoryCatalog(io)
  onTestFinished(() => catalog.close())
  catalog.refresh()
  return catalog
}

const found = (catalog: SteppedCatalog, query: string): string[] =>
  catalog.search(searchFor(query)).hits.map(({ session }) => session.native_id)

// More than a look at the stores compares.
const MANY = 2600

test('a line appended to an old session is found, however many sessions there are', () => {
  const io = worldOf(Array.from({ length: MANY }, (_, session) => `prompt ${session}`))
  copyTree(fileURLToPath(new URL('../../agents/goose/fixtures/1.52.0', import.meta.url)), io.home)
  const catalog = openIndexed(io)
  appendFileSync(fileOf(io, 3), line(3, 'the quokka'))
  const database = openDatabase(join(io.home, '.local/share/goose/sessions/sessions.db'))
  const columns = 'session_id, role, created_timestamp, metadata_json'
  database.exec(`INSERT INTO messages(${columns}, content_json)
    SELECT ${columns}, '[{"type":"text","text":"the numbat"}]' FROM messages WHERE role = 'user' ORDER BY id LIMIT 1`)
  const { session_id } = database.prepare('SELECT session_id FROM messages ORDER BY id DESC').get() as Goose
  database.close()
  catalog.refresh()
  expect(found(catalog, 'quokka')).toEqual([idOf(3)])
  expect(found(catalog, 'numbat')).toEqual([session_id])
  const all = catalog.search(searchFor('prompt agent:claude', { limit: Number.MAX_SAFE_INTEGER }))
  expect(all.hits.map(({ session }) => session.native_id)).toEqual(
    Array.from({ length: MANY }, (_, index) => idOf(MANY - 1 - index)),
  )
  expect(all).toMatchObject({ searched: MANY, isCut: false })
})

interface Goose {
  readonly session_id: string
}

test('a hit is given before older sessions are looked at', () => {
  const io = worldOf(['nothing', 'nothing', 'a quokka'])
  const steps = openIndexed(io).searchSteps(searchFor('quokka'))
  const nextHit = (): string | undefined => {
    for (let step = steps.next(); !step.done; step = steps.next()) if (step.value) return step.value.session.native_id
    return undefined
  }
  expect(nextHit()).toBe(idOf(2))
  appendFileSync(fileOf(io, 0), line(0, 'another quokka'))
  expect([nextHit(), nextHit()]).toEqual([idOf(0), undefined])
})

test('a summary distinguishes a search that reached its limit from one that is complete', () => {
  const catalog = openIndexed(worldOf(['quokka', 'nothing', 'quokka']))
  const search = (limit: number): object => {
    const { hits, isCut, searched } = catalog.search(searchFor('quokka', { limit }))
    return { hits: hits.length, isCut, searched }
  }
  expect([1, 2, 3].map(search)).toEqual([
    { hits: 1, isCut: true, searched: 1 },
    { hits: 2, isCut: false, searched: 3 },
    { hits: 2, isCut: false, searched: 3 },
  ])
})

test('what could not be searched is named: a line that is too long', () => {
  const io = worldOf(['nothing', 'quokka'])
  const catalog = openIndexed(io)
  appendFileSync(fileOf(io, 0), line(0, `quokka ${'x'.repeat(MAX_LINE)}`))
  appendFileSync(fileOf(io, 0), line(0, `wombat ${'x'.repeat(MAX_LINE)}`))
  expect(catalog.search(searchFor('quokka'))).toMatchObject({
    hits: [{ session: { native_id: idOf(1) } }],
    unsearched: [{ agent: 'claude', path: fileOf(io, 0), problem: 'a line of 34 MB is too long to search' }],
  })
  // No word of the query is in the long lines.
  expect(catalog.search(searchFor('nothing')).unsearched).toEqual([])
})

test('a store that cannot be listed is named, unless other agents are asked for', () => {
  const io = worldOf(['quokka'])
  const store = join(io.home, '.local/share/goose/sessions')
  mkdirSync(store, { recursive: true })
  writeFileSync(join(store, 'sessions.db'), 'not a database at all, and long enough to be looked at'.repeat(100))
  const catalog = openIndexed(io)
  const unsearched = (query: string): string[] => catalog.search(searchFor(query)).unsearched.map(({ path }) => path)
  expect(unsearched('quokka')).toEqual([join(store, 'sessions.db')])
  expect(unsearched('quokka agent:claude')).toEqual([])
})
