import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type Change, expectToBeFollowed, followed } from '../../../test/suites/test-following.ts'
import { scratchIo } from '../../../test/support/scratch.ts'
import { type Database, openDatabase } from '../../platform/sqlite.ts'
import agent from './index.ts'

const fixture = fileURLToPath(new URL('./fixtures/1.18.33/', import.meta.url))
const path = '.local/share/opencode/opencode.db'
const nativeId = 'ses_followed'
const TIME = 1794769000000

const begin: Change = (database) =>
  database.exec(`PRAGMA journal_mode = WAL; PRAGMA foreign_keys = ON;
    INSERT INTO session (id, project_id, slug, directory, title, version, time_created, time_updated)
    SELECT '${nativeId}', id, 'orders', '/home/dev/shop', 'Orders', '1.18.33', ${TIME}, ${TIME} FROM project LIMIT 1`)

function message(role: string, tokens: number, error: boolean): string {
  const time = { created: TIME }
  const failed = error ? { error: { name: 'APIError', data: { message: 'no' } } } : {}
  return JSON.stringify({ role, time, modelID: 'model', tokens: { input: tokens, output: 1 }, ...failed })
}

function part(kind: number, callID: string, step: number): string {
  const text = `text ${step}`
  const tool = { type: 'tool', tool: 'bash', callID }
  const parts = [
    { type: 'text', text },
    { type: 'text', text: '' },
    { type: 'step-start' },
    { ...tool, state: { status: 'running', input: { text }, time: { start: TIME + step } } },
    { ...tool, state: { status: 'completed', input: {}, output: text, time: { start: TIME, end: TIME + step } } },
  ]
  return kind < parts.length ? JSON.stringify(parts[kind]) : 'not JSON'
}

function nth(database: Database, table: string, number: number): string {
  const rows = database.prepare(`SELECT id FROM ${table} WHERE session_id = '${nativeId}' ORDER BY id`).all()
  return (rows[number % Math.max(1, rows.length)] as { id: string } | undefined)?.id ?? ''
}

const roles = fc.constantFrom('user', 'assistant', 'assistant', 'other')
/** Only a few, so that some are repeated. */
const calls = fc.constantFrom('call1', 'call2')
const kinds = fc.nat(5)
const any = fc.nat(30)

const addMessage = fc.tuple(roles, fc.integer({ min: -2, max: 2 }), fc.nat(2), fc.boolean()).map(
  ([role, time, tokens, error]): Change =>
    (database, step) => {
      database
        .prepare(`INSERT INTO message VALUES (?, '${nativeId}', ?, ?, ?)`)
        .run(`msg_${step}`, TIME + step + time, TIME + step, message(role, tokens, error))
    },
)

const addPart = fc.tuple(any, kinds, calls).map(
  ([at, kind, call]): Change =>
    (database, step) => {
      const owner = nth(database, 'message', at)
      if (!owner) return
      database
        .prepare(`INSERT INTO part VALUES (?, ?, '${nativeId}', ?, ?, ?)`)
        .run(`prt_${(step * 7) % 30}_${step}`, owner, TIME + step, TIME + step, part(kind, call, step))
    },
)

const editMessage = fc.tuple(any, roles, fc.nat(2), fc.boolean()).map(
  ([at, role, tokens, error]): Change =>
    (database, step) => {
      const statement = database.prepare('UPDATE message SET data = ?, time_updated = ? WHERE id = ?')
      statement.run(message(role, tokens, error), TIME + step, nth(database, 'message', at))
    },
)

const editPart = fc.tuple(any, kinds, calls).map(
  ([at, kind, call]): Change =>
    (database, step) => {
      const statement = database.prepare('UPDATE part SET data = ?, time_updated = ? WHERE id = ?')
      statement.run(part(kind, call, step), TIME + step, nth(database, 'part', at))
    },
)

const remove = fc.tuple(fc.constantFrom('message', 'part'), any).map(
  ([table, at]): Change =>
    (database) => {
      database.prepare(`DELETE FROM ${table} WHERE id = ?`).run(nth(database, table, at))
    },
)

const change = fc.oneof(
  { arbitrary: addMessage, weight: 3 },
  { arbitrary: addPart, weight: 5 },
  { arbitrary: editPart, weight: 3 },
  editMessage,
  remove,
)

test('a session that is followed through any changes is archived as if captured after each', () => {
  expectToBeFollowed({ agent, fixture, database: path, begin, nativeId, change })
})

test('only the new records of a long session are read; older changes when all are asked for', () => {
  const io = scratchIo(fixture)
  const database = openDatabase(join(io.home, path))
  begin(database, 0)
  const insertMessage = database.prepare(`INSERT INTO message VALUES (?, '${nativeId}', ?, ?, ?)`)
  const insertPart = database.prepare(`INSERT INTO part VALUES (?, ?, '${nativeId}', ?, ?, ?)`)
  const say = (number: number): void => {
    const time = TIME + number
    insertMessage.run(`msg_${number}`, time, time, message('assistant', 1, false))
    insertPart.run(`prt_${number}`, `msg_${number}`, time, time, part(0, '', number))
  }
  for (let number = 0; number < 100; number++) say(number)
  const reported = followed(agent, nativeId, io)
  const start = `${nativeId}:start`
  expect(reported('tail')).toEqual([start, ...Array.from({ length: 100 }, (_, number) => `prt_${number}`)])
  const { until } = agent.rows!.added(join(io.home, path))!
  say(100)
  expect(agent.rows!.added(join(io.home, path), until)).toEqual({ until: until + 1, sessions: [nativeId] })
  expect(reported('tail')).toEqual([start, 'prt_100'])
  expect(reported('all')).toEqual([start])
  const edit = database.prepare('UPDATE part SET data = ?, time_updated = time_updated + 1 WHERE id = ?')
  edit.run(part(0, '', 200), 'prt_3')
  edit.run(part(0, '', 201), 'prt_97')
  expect(reported('tail')).toEqual([start, 'prt_97'])
  expect(reported('all')).toEqual([start, 'prt_3'])
  database.close()
})
