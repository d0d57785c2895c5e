// Sessions of a given size as four agents write them, and how each writes one more record.
import { appendFileSync, mkdirSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { openDatabase } from '../../src/platform/sqlite.ts'

const TEXT = 'the refund is checked before the order is closed, and again after it. '
/** Size of a record: a typical tool result. */
const RECORD = 4000
const TIME = '2026-11-16T10:00:00.000Z'
const CWD = '/home/dev/shop'

export interface BenchSession {
  readonly path: string
  /** Appends a record. */
  write(text?: string): void
  close(): void
}

export function claudeSession(home: string, megabytes: number): BenchSession {
  const id = '11111111-1111-4111-8111-111111111111'
  const common = { timestamp: TIME, sessionId: id, cwd: CWD, version: '2.1.325' }
  let last: string | null = null
  const record = (number: number): object => {
    const uuid = `u${number}`
    const line = { type: 'user', message: { role: 'user', content: said(number) }, uuid, parentUuid: last, ...common }
    last = uuid
    return line
  }
  return fileSession(join(home, '.claude/projects/-home-dev-shop', `${id}.jsonl`), megabytes, [], record)
}

export function codexSession(home: string, megabytes: number): BenchSession {
  const id = '01a1e085-1111-7111-8111-111111111111'
  const meta = { id, timestamp: TIME, cwd: CWD, originator: 'codex_cli', cli_version: '0.166.0' }
  const record = (number: number): object => ({
    timestamp: TIME,
    type: 'response_item',
    payload: { type: 'message', role: 'user', content: [{ type: 'input_text', text: said(number) }] },
  })
  const path = join(home, '.codex/sessions/2026/11/16', `rollout-2026-11-16T10-00-00-${id}.jsonl`)
  return fileSession(path, megabytes, [{ timestamp: TIME, type: 'session_meta', payload: meta }], record)
}

function fileSession(
  path: string,
  megabytes: number,
  first: readonly object[],
  record: (number: number) => object,
): BenchSession {
  const line = (value: object): string => `${JSON.stringify(value)}\n`
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, first.map(line).join(''))
  let number = 0
  for (let written = 0; written < megabytes * 1e6; written = statSync(path).size) {
    let text = ''
    for (let i = 0; i < 20; i++) text += line(record(number++))
    appendFileSync(path, text)
  }
  return { path, write: () => appendFileSync(path, line(record(number++))), close: () => {} }
}

interface SessionOptions {
  readonly cwd?: string
  /** Prompts and answers in turn, not only prompts. */
  readonly talk?: boolean
}

/** A database that stays open, as while the agent runs. */
export function gooseSession(
  home: string,
  megabytes: number,
  { cwd = CWD, talk = false }: SessionOptions = {},
): BenchSession {
  const path = join(home, '.local/share/goose/sessions/sessions.db')
  mkdirSync(dirname(path), { recursive: true })
  const database = openDatabase(path)
  database.exec(`PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL;
    CREATE TABLE sessions (id TEXT PRIMARY KEY, name TEXT, description TEXT, working_dir TEXT, created_at TEXT, updated_at TEXT);
    CREATE TABLE messages (id INTEGER PRIMARY KEY AUTOINCREMENT, message_id TEXT, session_id TEXT, role TEXT,
      content_json TEXT, created_timestamp INTEGER, metadata_json TEXT);
    CREATE INDEX idx_messages_session ON messages (session_id);
    CREATE INDEX idx_messages_message_id ON messages (message_id);
    CREATE INDEX idx_messages_session_created ON messages (session_id, created_timestamp, id);
    INSERT INTO sessions VALUES ('20261116_1', 'refunds', '', '${cwd}', '2026-11-16 10:00:00', '2026-11-16 10:00:00')`)
  const insert = database.prepare(`INSERT INTO messages
    (message_id, session_id, role, content_json, created_timestamp, metadata_json)
    VALUES (?, '20261116_1', ?, ?, ?, '{}')`)
  let number = 0
  const write = (text = said(number)): void => {
    const role = talk && number % 2 ? 'assistant' : 'user'
    insert.run(`m${number}`, role, JSON.stringify([{ type: 'text', text }]), 1794736800 + number)
    number++
  }
  database.exec('BEGIN')
  for (let written = 0; written < megabytes * 1e6; written += RECORD) write()
  database.exec('COMMIT')
  return { path, write, close: () => database.close() }
}

/** Messages of the model, each with a text, as they are when complete. */
export function openCodeSession(
  home: string,
  megabytes: number,
  { cwd = CWD, talk = false }: SessionOptions = {},
): BenchSession {
  const path = join(home, '.local/share/opencode/opencode.db')
  const session = 'ses_11111111111111111111111111'
  mkdirSync(dirname(path), { recursive: true })
  const database = openDatabase(path)
  database.exec(`PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL;
    CREATE TABLE session (id TEXT PRIMARY KEY, directory TEXT, title TEXT, version TEXT, time_created INTEGER, time_updated INTEGER);
    CREATE TABLE message (id TEXT PRIMARY KEY, session_id TEXT, time_created INTEGER, time_updated INTEGER, data TEXT);
    CREATE TABLE part (id TEXT PRIMARY KEY, message_id TEXT, session_id TEXT, time_created INTEGER, time_updated INTEGER, data TEXT);
    CREATE INDEX message_session_time_created_id_idx ON message (session_id, time_created, id);
    CREATE INDEX part_message_id_id_idx ON part (message_id, id);
    CREATE INDEX part_session_idx ON part (session_id);
    INSERT INTO session VALUES ('${session}', '${cwd}', 'Refunds', '1.18.33', 1794736800000, 1794736800000)`)
  const addMessage = database.prepare(`INSERT INTO message VALUES (?, '${session}', ?, ?, ?)`)
  const addPart = database.prepare(`INSERT INTO part VALUES (?, ?, '${session}', ?, ?, ?)`)
  let number = 0
  const add = (text = said(number)): void => {
    const [time, id] = [1794736800000 + number, String(number).padStart(12, '0')]
    const role = talk && number % 2 === 0 ? 'user' : 'assistant'
    const info = { role, modelID: 'model-1', providerID: 'one', time: { created: time, completed: time } }
    addMessage.run(`msg_${id}`, time, time, JSON.stringify(info))
    addPart.run(`prt_${id}0`, `msg_${id}`, time, time, JSON.stringify({ type: 'step-start' }))
    addPart.run(`prt_${id}1`, `msg_${id}`, time, time, JSON.stringify({ type: 'text', text }))
    number++
  }
  const write = (text?: string): void => {
    database.exec('BEGIN')
    add(text)
    database.exec('COMMIT')
  }
  database.exec('BEGIN')
  for (let written = 0; written < megabytes * 1e6; written += RECORD) add()
  database.exec('COMMIT')
  return { path, write, close: () => database.close() }
}

function said(number: number): string {
  return `${number}: ${TEXT.repeat(RECORD / TEXT.length)}`
}
