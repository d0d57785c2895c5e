import { expect, test } from 'vitest'
import { agents } from '../agents/_registry.ts'
import { findAgent } from '../agents/find.ts'
import { startSummary } from '../agents/summarise.ts'
import type { SessionHead } from '../events/session.ts'
import { openDatabase } from '../platform/sqlite.ts'
import { tables } from './schema.ts'
import { SessionStore } from './session-store.ts'
import { locatedOf, type StoredSession, sessionColumns, storedColumns } from './stored-session.ts'

const ID = '3f2a0000-0000-4000-8000-000000000001'
const noCalls = { events: [], isMore: false }
const PLACE = { id: 1, path: '/store/one.jsonl', store: 'codex' }

const usual: SessionHead = {
  ...{ id: ID, agent: 'codex', native_id: ID, path: PLACE.path, title: 'a title', cwd: '/no such folder' },
  ...{ created_at: '2026-11-01T00:00:00.000Z', updated_at: '2026-11-02T00:00:00.000Z', model: 'm' },
  ...{ bytes: 9, revision: '1:2:3', agent_version: '1.2', format: 'f', resumable: true, git: { branch: 'main' } },
}
const unusual: SessionHead = {
  ...usual,
  ...{ native_id: 'another', path: '/elsewhere', title: null, cwd: null, parent_session: 'p', forked_from: 'f' },
  ...{ agent: 'other', hidden: true, resumable: false, spawned_by: 's', created_at: null },
}

function storeWith(head: SessionHead): { stored: StoredSession; columns: string[]; nulls: string[] } {
  const database = openDatabase(':memory:')
  database.exec(tables)
  database.exec(`INSERT INTO source VALUES (1, 'codex', '${PLACE.path}', '')`)
  new SessionStore(database).put(PLACE, { head, summary: startSummary(), scan: undefined, calls: noCalls }, undefined)
  const row = database.prepare('SELECT * FROM stored_session').get() as Record<string, unknown>
  const stored = database.prepare(`SELECT ${storedColumns} FROM session`).get() as StoredSession
  return { stored, columns: Object.keys(row), nulls: Object.keys(row).filter((name) => row[name] === null) }
}

test.each([
  ['usual', usual],
  ['unusual', unusual],
])('the head of an %s session is stored and restored', (_name, head) => {
  const { stored, columns } = storeWith(head)
  expect(locatedOf(stored, agents)).toEqual({ head, reader: findAgent('codex') })
  expect(columns).toEqual(['key', ...sessionColumns])
})

test('what can be derived is not stored', () => {
  expect(storeWith(usual).nulls).toEqual(['native_id', 'project', 'path', 'parent_session', 'forked_from', 'scan'])
  expect(storeWith(usual).stored).toMatchObject({ native_id: ID, project: '/no such folder', path: PLACE.path })
})

test('a row is replaced by its key', () => {
  const database = openDatabase(':memory:')
  database.exec(tables)
  const store = new SessionStore(database)
  const session = { head: usual, summary: startSummary(), scan: undefined, calls: noCalls }
  store.put(PLACE, session, undefined)
  store.put(PLACE, { ...session, head: { ...usual, revision: 'new' } }, store.keys(1).get(ID))
  expect([...store.known(1)]).toEqual([[ID, { native_id: ID, revision: 'new', cwd: usual.cwd, scan: null }]])
})
