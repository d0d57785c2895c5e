import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { storeUsage } from '../../../test/support/model-calls.ts'
import { listAll, readAll } from '../../../test/support/read-all.ts'
import { scratchIo } from '../../../test/support/scratch.ts'
import type { ModelCall } from '../../events/event.ts'
import type { Io } from '../../platform/io.ts'
import { type Database, openDatabase } from '../../platform/sqlite.ts'
import agent from './index.ts'
import { databasePath } from './paths.ts'

const fixture = (name: string): Io => scratchIo(fileURLToPath(new URL(`./fixtures/${name}`, import.meta.url)))

function change(io: Io, body: (database: Database) => void): void {
  const database = openDatabase(databasePath(io))
  body(database)
  database.close()
}

function callsOf(io: Io, native: string): ModelCall[] {
  const head = listAll(agent, io).heads.find(({ native_id }) => native_id === native)!
  return readAll(agent, head, io).events.flatMap(({ call }) => call ?? [])
}

/** The sum of usage_ledger, which has a row for each model call. */
const LEDGER = { input: 2732, output: 112, cache_read: 0, cache_write: 0, reasoning: 0 }

test('each answer is a call: the total is that of the ledger, and the sums of sessions are not added', () => {
  const { total, calls } = storeUsage(agent, fixture('1.52.0'))
  expect(total).toEqual(LEDGER)
  expect(calls.size).toBe(16)
})

test('a fork, which is a copy of the messages with their ids and times, adds nothing', () => {
  const io = fixture('1.52.0')
  change(io, (database) => {
    database.exec(`INSERT INTO sessions (id, name, working_dir, created_at, updated_at)
      SELECT 'fork', name, working_dir, created_at, updated_at FROM sessions WHERE id = '20261115_3'`)
    database.exec(`INSERT INTO messages (message_id, session_id, role, content_json, created_timestamp, metadata_json)
      SELECT message_id, 'fork', role, content_json, created_timestamp, metadata_json FROM messages WHERE session_id = '20261115_3'`)
  })
  const { total, sessions } = storeUsage(agent, io)
  expect(total).toEqual(LEDGER)
  expect(sessions.fork).toEqual(sessions['20261115_3'])
})

test('versions that keep only the sums of a session: one event, marked as a sum, with the cost of the session', () => {
  const io = fixture('handmade-schema-13')
  change(io, (database) => {
    const columns = database.prepare("SELECT name FROM pragma_table_info('sessions')").all() as { name: string }[]
    if (!columns.some(({ name }) => name === 'accumulated_cost'))
      database.exec('ALTER TABLE sessions ADD COLUMN accumulated_cost REAL')
    database.exec('UPDATE sessions SET accumulated_cost = 0.0009225 WHERE accumulated_input_tokens > 0')
  })
  const sums = listAll(agent, io).heads.map(({ native_id }) => callsOf(io, native_id))
  expect(sums.filter((calls) => calls.length > 0)).toEqual(expect.arrayContaining([[{ cost: 923, is_sum: true }]]))
  expect(sums.flat().every(({ is_sum, id }) => is_sum === true && id === undefined)).toBe(true)
})
