import { readFileSync } from 'node:fs'
import {
  type FakeAgent,
  type FakeCall,
  type FakeWorld,
  parseArguments,
  withFakeDatabase,
} from '../../../../test/fake-agent/fake.ts'
import type { Database } from '../../../platform/sqlite.ts'
import { databasePath } from '../paths.ts'

/** Behaves like 1.52.0: see ../README.md. */
export const fake: FakeAgent = {
  version: '1.52.0',
  parse,
  has: (session, world) =>
    within(world, (database) => database.prepare('SELECT 1 FROM sessions WHERE id = ?').get(session) !== undefined),
  // The row is written before the first model call.
  create(call, world) {
    return within(world, (database) => {
      database.exec('BEGIN IMMEDIATE')
      const { n } = database.prepare('SELECT count(*) AS n FROM sessions').get() as { n: number }
      const id = `20261115_${n + 1}`
      database
        .prepare(
          'INSERT INTO sessions (id, name, user_set_name, working_dir, created_at, updated_at) VALUES (?, ?, 1, ?, ?, ?)',
        )
        .run(id, call.chosen ?? '', world.cwd, sqlTime(world), sqlTime(world))
      database.exec('COMMIT')
      return id
    })
  },
  prompt: (session, text, world) => addMessage(session, 'user', text, world),
  answer: (session, text, world) => addMessage(session, 'assistant', text, world),
}

function parse(argv: readonly string[]): FakeCall {
  const { options, positional: words } = parseArguments(argv, ['name', 'session-id', 'i', 't'])
  const file = options.get('i')
  const resume = options.get('session-id')
  const isSession = words[0] === 'session'
  const prompt = file === undefined ? options.get('t') : readFileSync(file, 'utf8')
  if (!isSession && prompt === undefined) {
    const text = 'Must provide either --instructions (-i), --text (-t), or --recipe'
    return { interactive: false, refusal: { text, code: 1 } }
  }
  return {
    interactive: isSession || options.has('s'),
    ...(prompt === undefined ? {} : { prompt }),
    ...(options.has('name') ? { chosen: options.get('name')! } : {}),
    ...(resume === undefined
      ? {}
      : { resume, unknown: { text: `Cannot resume session ${resume} - no such session exists`, code: 1 } }),
  }
}

function addMessage(session: string, role: 'user' | 'assistant', text: string, world: FakeWorld): void {
  within(world, (database) =>
    database
      .prepare(`INSERT INTO messages (message_id, session_id, role, content_json, created_timestamp, timestamp, metadata_json)
        VALUES (?, ?, ?, ?, ?, ?, '{"userVisible":true,"agentVisible":true}')`)
      .run(
        `m_${process.hrtime.bigint()}`,
        session,
        role,
        JSON.stringify([{ type: 'text', text }]),
        Math.floor(Date.parse(world.now()) / 1000),
        sqlTime(world),
      ),
  )
}

function within<T>(world: FakeWorld, body: (database: Database) => T): T {
  return withFakeDatabase(databasePath(world.io), SCHEMA, body)
}

function sqlTime(world: FakeWorld): string {
  return world.now().slice(0, 19).replace('T', ' ')
}

/** The part of schema 16 that a session needs. */
const SCHEMA = `
  CREATE TABLE IF NOT EXISTS sessions (id TEXT PRIMARY KEY, name TEXT DEFAULT '', description TEXT DEFAULT '',
    user_set_name BOOLEAN DEFAULT 0, session_type TEXT DEFAULT 'user', working_dir TEXT, created_at TEXT, updated_at TEXT,
    model_config_json TEXT, archived_at TEXT, parent_session_id TEXT);
  CREATE TABLE IF NOT EXISTS messages (id INTEGER PRIMARY KEY AUTOINCREMENT, message_id TEXT, session_id TEXT, role TEXT,
    content_json TEXT, created_timestamp INTEGER, timestamp TEXT, tokens INTEGER, metadata_json TEXT);`
