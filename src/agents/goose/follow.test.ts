import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type Change, expectToBeFollowed, followed, headOf } from '../../../test/suites/test-following.ts'
import { scratchIo } from '../../../test/support/scratch.ts'
import { isEvent } from '../../events/item.ts'
import { readContext } from '../../native/read-context.ts'
import { type Database, openDatabase } from '../../platform/sqlite.ts'
import agent from './index.ts'

const fixture = fileURLToPath(new URL('./fixtures/1.52.0/', import.meta.url))
const path = '.local/share/goose/sessions/sessions.db'
const nativeId = '20261116_1'

const begin: Change = (database) =>
  database.exec(`INSERT INTO sessions (id, name, working_dir) VALUES ('${nativeId}', 'orders', '/home/dev/shop')`)

/** A different length each time: changes in place are detected by length. */
function content(kind: number, call: string, step: number): string {
  const text = 'x'.repeat(200 * step)
  const items = [
    { type: 'text', text },
    { type: 'thinking', thinking: text },
    { type: 'toolRequest', id: call, toolCall: { status: 'success', value: { name: 'shell', arguments: { text } } } },
    { type: 'toolResponse', id: call, toolResult: { status: 'success', value: { content: [{ type: 'text', text }] } } },
  ]
  if (kind === items.length) return JSON.stringify([])
  return kind > items.length ? `not JSON ${text}` : JSON.stringify([items[kind], items[0]])
}

const kinds = fc.constantFrom(0, 0, 0, 1, 2, 3, 4, 5)
/** Only a few, so that some repeat. */
const ids = fc.constantFrom(null, 'm1', 'm1', 'm2')
const calls = fc.constantFrom('call1', 'call2')
const roles = fc.constantFrom('user', 'assistant', 'system')
const times = fc.integer({ min: -2, max: 2 })

function nth(database: Database, number: number): number {
  const rows = database.prepare(`SELECT id FROM messages WHERE session_id = '${nativeId}' ORDER BY id`).all()
  return (rows[number % Math.max(1, rows.length)] as { id: number } | undefined)?.id ?? -1
}

const add = fc.tuple(kinds, ids, calls, roles, times, fc.nat(9)).map(
  ([kind, id, call, role, time, tokens]): Change =>
    (database, step) => {
      const metadata = { userVisible: tokens !== 1, usage: { inputTokens: tokens, outputTokens: tokens } }
      database
        .prepare(`INSERT INTO messages (message_id, session_id, role, content_json, created_timestamp, metadata_json)
          VALUES (?, '${nativeId}', ?, ?, ?, ?)`)
        .run(id, role, content(kind, call, step), 1794769000 + step + time, tokens ? JSON.stringify(metadata) : null)
    },
)

const edit = fc.tuple(fc.nat(30), kinds, ids, calls).map(
  ([row, kind, id, call]): Change =>
    (database, step) => {
      const statement = database.prepare('UPDATE messages SET content_json = ?, message_id = ? WHERE id = ?')
      statement.run(content(kind, call, step), id, nth(database, row))
    },
)

const remove = fc.nat(30).map(
  (row): Change =>
    (database) => {
      database.prepare('DELETE FROM messages WHERE id = ?').run(nth(database, row))
    },
)

const change = fc.oneof(
  { arbitrary: add, weight: 5 },
  { arbitrary: edit, weight: 2 },
  { arbitrary: remove, weight: 2 },
  // Like a compaction.
  fc.constant<Change>((database) =>
    database.exec(`BEGIN;
      CREATE TEMP TABLE kept AS SELECT * FROM messages WHERE session_id = '${nativeId}';
      DELETE FROM messages WHERE session_id = '${nativeId}';
      UPDATE temp.kept SET id = NULL;
      INSERT INTO messages SELECT * FROM temp.kept;
      DROP TABLE temp.kept;
      COMMIT`),
  ),
  fc.nat(99).map(
    (tokens): Change =>
      (database) =>
        database.exec(`UPDATE sessions SET accumulated_input_tokens = ${tokens} WHERE id = '${nativeId}'`),
  ),
)

test('a session followed through any changes is archived as if captured after each', () => {
  expectToBeFollowed({ agent, fixture, database: path, begin, nativeId, change })
})

test('only new rows of a long session are read; older changes are found in the scope `all`', () => {
  const io = scratchIo(fixture)
  const database = openDatabase(join(io.home, path))
  begin(database, 0)
  const insert = database.prepare(`INSERT INTO messages (message_id, session_id, role, content_json, created_timestamp)
    VALUES (?, '${nativeId}', 'user', ?, ?)`)
  const say = (number: number): void => {
    insert.run(`m${number}`, JSON.stringify([{ type: 'text', text: `text ${number}` }]), 1794769000 + number)
  }
  for (let number = 0; number < 100; number++) say(number)
  const reported = followed(agent, nativeId, io)
  const start = `${nativeId}:start`
  expect(reported('tail')).toEqual([start, ...Array.from({ length: 100 }, (_, number) => `m${number}`)])
  say(100)
  expect(reported('tail')).toEqual([start, 'm100'])
  expect(reported('all')).toEqual([start])
  const edit = database.prepare('UPDATE messages SET content_json = ? WHERE message_id = ?')
  edit.run(JSON.stringify([{ type: 'text', text: 'another text' }]), 'm3')
  edit.run(JSON.stringify([{ type: 'text', text: 'yet another text' }]), 'm97')
  expect(reported('tail')).toEqual([start, 'm97'])
  expect(reported('all')).toEqual([start, 'm3'])
  const { until } = agent.rows!.added(join(io.home, path))!
  say(101)
  expect(agent.rows!.added(join(io.home, path), until)).toEqual({ until: until + 1, sessions: [nativeId] })
  database.close()
})

test('rows with the same id are renumbered when one is removed', () => {
  const io = scratchIo(fixture)
  const database = openDatabase(join(io.home, path))
  begin(database, 0)
  for (const text of ['a', 'b', 'c']) {
    database.exec(`INSERT INTO messages (message_id, session_id, role, content_json, created_timestamp)
      VALUES ('m', '${nativeId}', 'user', '[{"type":"text","text":"${text}"}]', 1794769000)`)
  }
  const head = headOf(agent, nativeId, io)
  const follower = agent.rows!.follow(head)!
  const reported = (): string[] =>
    [...follower.more(head, readContext(io), 'all')].flatMap((item) => (isEvent(item) ? item.event.id : []))
  expect(reported()).toEqual([`${nativeId}:start`, 'm', 'm~2', 'm~3'])
  database.exec(`DELETE FROM messages WHERE id = ${nth(database, 1)}`)
  expect(reported()).toEqual([`${nativeId}:start`, 'm', 'm~2'])
  database.close()
})
