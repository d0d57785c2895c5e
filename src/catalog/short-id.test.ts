import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type Database, openDatabase, type Statement } from '../platform/sqlite.ts'
import { lateIndexes, tables } from './schema.ts'
import { shortIds, shortIdsAmong } from './short-id.ts'

const claude = (id: string) => ({ agent: 'claude', id })

test('eight characters, or more if not unique', () => {
  const ids = ['3f2a0000-aa', '3f2a0000-bb', '11112222-cc']
  expect(ids.map(claude).map(shortIdsAmong(ids.map(claude)))).toEqual(['3f2a0000-a', '3f2a0000-b', '11112222'])
})

test('each prefix is unique', () => {
  fc.assert(
    fc.property(fc.uniqueArray(fc.uuid()), (ids) => {
      const shorten = shortIdsAmong(ids.map(claude))
      for (const id of ids) expect(ids.filter((other) => other.startsWith(shorten(claude(id))))).toEqual([id])
    }),
  )
})

test('the complete time of a time-ordered id, so that a session that starts a moment later does not share it', () => {
  const first = claude('019a1234-5678-7abc-8000-000000000001')
  expect(shortIdsAmong([first])(first)).toBe('019a1234-5678')
})

test('two agents with the same id: with the agent before it', () => {
  const both = [claude('3f2a0000-aa'), { agent: 'codex', id: '3f2a0000-aa' }]
  expect(both.map(shortIdsAmong(both))).toEqual(['claude:3f2a0000', 'codex:3f2a0000'])
})

/** An index with sessions of these ids, and how often it was asked. */
function indexOf(ids: readonly string[]): { database: Database; asked: () => number } {
  const database = openDatabase(':memory:')
  database.exec(tables + lateIndexes)
  const insert = database.prepare(
    `INSERT INTO stored_session(source, store, id, agent, native_id, path, revision, head) VALUES (1, 'codex', ?, 'codex', ?, '', '', '{}')`,
  )
  database.exec('BEGIN')
  for (const id of ids) insert.run(id, id)
  database.exec('COMMIT')
  let count = 0
  const counted = (statement: Statement, sql: string): Statement => {
    const plan = database.prepare(`EXPLAIN QUERY PLAN ${sql}`).all('x') as { detail: string }[]
    expect(plan.map(({ detail }) => detail).join()).toMatch(
      /^SEARCH stored_session USING (COVERING )?INDEX session_by_id/,
    )
    const ask = { get: (...values: string[]) => ++count && statement.get(...values) }
    const all = { all: (...values: string[]) => ++count && statement.all(...values) }
    return { ...ask, ...all } as unknown as Statement
  }
  const watched = { prepare: (sql: string) => counted(database.prepare(sql), sql) } as Database
  return { database: watched, asked: () => count }
}

test('unique among all sessions in the index, with a few lookups for each that is shown', () => {
  const minute = Array.from({ length: 2000 }, (_, n) => `019a1234-5678-7abc-8000-${String(n).padStart(12, '0')}`)
  const { database, asked } = indexOf([...minute, '3f2a0000-0000-4000-8000-000000000001'])
  const shown = [...minute.slice(7, 9), '3f2a0000-0000-4000-8000-000000000001'].map((id) => ({ agent: 'codex', id }))
  const short = shown.map(shortIds(database, shown))
  expect(short).toEqual([minute[7], minute[8], '3f2a0000'])
  expect(asked()).toBe(3 * shown.length)
})

test('a session that is not in the index yet', () => {
  const { database } = indexOf(['3f2a0000-0000-4000-8000-000000000001'])
  const fresh = { agent: 'codex', id: '3f2a0000-0000-4000-8000-000000000002' }
  expect(shortIds(database, [fresh])(fresh)).toBe(fresh.id)
  const other = { agent: 'claude', id: '3f2a0000-0000-4000-8000-000000000001' }
  expect(shortIds(database, [other])(other)).toBe('claude:3f2a0000')
})
