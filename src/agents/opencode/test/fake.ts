import { randomUUID } from 'node:crypto'
import {
  type FakeAgent,
  type FakeCall,
  type FakeWorld,
  parseArguments,
  withFakeDatabase,
} from '../../../../test/fake-agent/fake.ts'
import type { Database } from '../../../platform/sqlite.ts'
import { activeDatabase } from '../paths.ts'

const VERSION = '1.18.33'
const MODEL = { providerID: 'fake', modelID: 'fake' }

/** Behaves like 1.18.33: see ../README.md. */
export const fake: FakeAgent = {
  version: VERSION,
  inputBox: `\n  ┃\n  ┃  \n  ┃\n  ┃  Build · Fake\n  ╹${'▀'.repeat(40)}\x1b[3A\r\x1b[5C`,
  parse,
  has: (session, world) => folderOf(session, world) !== undefined,
  // The row is written before the first prompt.
  create(_call, world) {
    const id = newId('ses')
    const time = Date.parse(world.now())
    within(world, (database) =>
      database
        .prepare(
          'INSERT INTO session (id, directory, title, version, time_created, time_updated) VALUES (?, ?, ?, ?, ?, ?)',
        )
        .run(id, folder(world), `New session - ${world.now()}`, VERSION, time, time),
    )
    return id
  },
  // Stored before the model is called.
  prompt: (session, text, world) => addMessage(session, { role: 'user', agent: 'build', model: MODEL }, text, world),
  answer: (session, text, world) =>
    addMessage(session, { role: 'assistant', mode: 'build', finish: 'stop', ...MODEL }, text, world),
  // Only now: the first line is printed with the first text of the model.
  output: (sessionID, text) =>
    ['step_start', 'text', 'step_finish']
      .map((type) => `${JSON.stringify({ type, sessionID, part: type === 'text' ? { type, text } : { type } })}\n`)
      .join(''),
}

function parse(argv: readonly string[], world: FakeWorld): FakeCall {
  const { options, positional: words } = parseArguments(argv, ['session', 's', 'format', 'm', 'model', 'agent'])
  const isRun = words[0] === 'run'
  const resume = options.get('session') ?? options.get('s')
  const prompt = isRun
    ? words.slice(1).map(asQuoted).join(' ') || world.stdin()
    : resume === undefined
      ? typed(options.get('prompt') ?? '')
      : // Opened with a session, it does not send the prompt.
        ''
  if (isRun && prompt.trim() === '') return refused('Error: You must provide a message or a command')
  const home = resume === undefined ? undefined : folderOf(resume, world)
  if (isRun && home !== undefined && home !== folder(world)) return refused('(from another folder it hangs)')
  const text = `Error: Session not found${isRun ? '' : `: ${resume}`}`
  return {
    interactive: !isRun,
    ...(prompt === '' ? {} : { prompt }),
    ...(resume === undefined ? {} : { resume, unknown: { text, code: 1 } }),
  }
}

function refused(text: string): FakeCall {
  return { interactive: false, refusal: { text, code: 1 } }
}

function asQuoted(word: string): string {
  return word.includes(' ') ? `"${word.replaceAll('"', '\\"')}"` : word
}

/** Quotes around it are stripped, and a command is replaced by its text. */
function typed(text: string): string {
  return text.startsWith('/') ? 'Create or update AGENTS.md' : text.replace(/^(["'])(.*)\1$/s, '$2')
}

/** It trusts PWD more than its working directory. */
function folder({ io, cwd }: FakeWorld): string {
  return io.env.PWD ?? cwd
}

function folderOf(session: string, world: FakeWorld): string | undefined {
  return within(world, (database) => {
    const row = database.prepare('SELECT directory FROM session WHERE id = ?').get(session)
    return (row as { directory: string } | undefined)?.directory
  })
}

/** A message and its one part. */
function addMessage(session: string, data: object, text: string, world: FakeWorld): void {
  const message = newId('msg')
  const time = Date.parse(world.now())
  within(world, (database) => {
    database.exec('BEGIN IMMEDIATE')
    database
      .prepare('INSERT INTO message VALUES (?, ?, ?, ?, ?)')
      .run(message, session, time, time, JSON.stringify({ ...data, time: { created: time } }))
    database
      .prepare('INSERT INTO part VALUES (?, ?, ?, ?, ?, ?)')
      .run(newId('prt'), message, session, time, time, JSON.stringify({ type: 'text', text }))
    database.prepare('UPDATE session SET time_updated = ? WHERE id = ?').run(time, session)
    database.exec('COMMIT')
  })
}

let lastId = 0

/** The low 48 bits of the time and a counter, so that ids sort by age; then 14 letters. */
function newId(kind: 'ses' | 'msg' | 'prt'): string {
  lastId = Math.max(lastId + 1, Date.now() * 4096)
  const time = lastId.toString(16).slice(-12)
  return `${kind}_${time}${randomUUID().replaceAll('-', '').slice(0, 14)}`
}

function within<T>(world: FakeWorld, body: (database: Database) => T): T {
  return withFakeDatabase(activeDatabase(world.io), SCHEMA, body)
}

/** The part of its schema that a session needs. */
const SCHEMA = `
  CREATE TABLE IF NOT EXISTS session (id TEXT PRIMARY KEY, parent_id TEXT, directory TEXT, title TEXT, version TEXT,
    model TEXT, time_created INTEGER, time_updated INTEGER, time_archived INTEGER);
  CREATE TABLE IF NOT EXISTS message (id TEXT PRIMARY KEY, session_id TEXT, time_created INTEGER, time_updated INTEGER,
    data TEXT);
  CREATE TABLE IF NOT EXISTS part (id TEXT PRIMARY KEY, message_id TEXT, session_id TEXT, time_created INTEGER,
    time_updated INTEGER, data TEXT);`
