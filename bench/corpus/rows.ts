// Sessions in the databases of two agents, half of the bytes each, made from a seed.
import { mkdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { type Database, openDatabase, transaction, type Value } from '../../src/platform/sqlite.ts'
import type { CorpusWorld } from './main.ts'

const BASE = Date.UTC(2025, 0, 6, 8, 0, 0)
/** Of one session, in rows. */
const ROWS = 80

/** Adds a text to a session: how, depends on the agent. */
type AddText = (session: string, text: string, row: number, time: number) => void

export function writeRows(world: CorpusWorld, out: string, megabytes: number): void {
  const half = (megabytes * 1e6) / 2
  writeStore(world, join(out, '.local/share/opencode/opencode.db'), half, opencode)
  writeStore(world, join(out, '.local/share/goose/sessions/sessions.db'), half, goose)
}

type Store = (database: Database) => { session(id: string, time: number): void; text: AddText }

function writeStore({ random, text, totals }: CorpusWorld, path: string, size: number, store: Store): void {
  mkdirSync(dirname(path), { recursive: true })
  const database = openDatabase(path)
  const { session, text: add } = store(database)
  transaction(database, () => {
    for (let bytes = 0, number = 0; bytes < size; number++) {
      const [id, time] = [random.uuid(), BASE + number * 3600e3]
      session(id, time)
      for (let row = 0; row < ROWS; row++) {
        const content = text.maybeNeedle(text.toolResult())
        add(id, content, row, time + row * 1000)
        bytes += Buffer.byteLength(content)
        totals.bytes += Buffer.byteLength(content)
        totals.lines++
      }
    }
  })
  totals.files++
  database.close()
}

function inserter(database: Database, table: string, columns: readonly string[]): (...values: Value[]) => void {
  const sql = `INSERT INTO ${table}(${columns.join(', ')}) VALUES (${columns.map(() => '?').join(', ')})`
  const statement = database.prepare(sql)
  return (...values) => void statement.run(...values)
}

const opencode: Store = (database) => {
  database.exec(`
    CREATE TABLE session (id TEXT PRIMARY KEY, parent_id TEXT, directory TEXT, title TEXT, version TEXT, model TEXT,
      time_created INTEGER, time_updated INTEGER, time_archived INTEGER);
    CREATE TABLE message (id TEXT PRIMARY KEY, session_id TEXT, time_created INTEGER, time_updated INTEGER, data TEXT);
    CREATE TABLE part (id TEXT PRIMARY KEY, message_id TEXT, session_id TEXT, time_created INTEGER,
      time_updated INTEGER, data TEXT);
    CREATE INDEX message_session ON message(session_id);
    CREATE INDEX part_message ON part(message_id);`)
  const times = ['time_created', 'time_updated']
  const session = inserter(database, 'session', ['id', 'directory', 'title', 'version', ...times])
  const message = inserter(database, 'message', ['id', 'session_id', ...times, 'data'])
  const part = inserter(database, 'part', ['id', 'message_id', 'session_id', ...times, 'data'])
  return {
    session: (id, time) => session(id, '/home/dev/src/rows', `Session ${id.slice(0, 8)}`, '1.18.33', time, time),
    text(id, text, row, time) {
      const key = `msg_${`${row}`.padStart(4, '0')}${id}`
      message(key, id, time, time, JSON.stringify({ role: row % 2 ? 'assistant' : 'user', time: { created: time } }))
      part(`prt_${key}`, key, id, time, time, JSON.stringify({ type: 'text', text }))
    },
  }
}

const goose: Store = (database) => {
  database.exec(`
    CREATE TABLE sessions (id TEXT PRIMARY KEY, name TEXT DEFAULT '', description TEXT DEFAULT '',
      user_set_name BOOLEAN DEFAULT 0, session_type TEXT DEFAULT 'user', working_dir TEXT, created_at TEXT,
      updated_at TEXT, model_config_json TEXT, archived_at TEXT, parent_session_id TEXT);
    CREATE TABLE messages (id INTEGER PRIMARY KEY AUTOINCREMENT, message_id TEXT, session_id TEXT, role TEXT,
      content_json TEXT, created_timestamp INTEGER, timestamp TEXT, tokens INTEGER, metadata_json TEXT);
    CREATE INDEX messages_session ON messages(session_id, created_timestamp, id);`)
  const session = inserter(database, 'sessions', ['id', 'name', 'working_dir', 'created_at', 'updated_at'])
  const message = inserter(database, 'messages', [
    'message_id', 'session_id', 'role', 'content_json', 'created_timestamp', 'metadata_json',
  ]) // biome-ignore format: a list
  return {
    session(id, time) {
      const at = new Date(time).toISOString().slice(0, 19).replace('T', ' ')
      session(id, `Session ${id.slice(0, 8)}`, '/home/dev/src/rows', at, at)
    },
    text(id, text, row, time) {
      const content = JSON.stringify([{ type: 'text', text }])
      message(`msg_${id}_${row}`, id, row % 2 ? 'assistant' : 'user', content, time / 1000, '{}')
    },
  }
}
