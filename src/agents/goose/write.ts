import { existsSync } from 'node:fs'
import { uuidV5 } from '../../events/id.ts'
import { isProblem } from '../../events/item.ts'
import { tableNames, withNativeDatabase } from '../../native/database.ts'
import type { Database } from '../../platform/sqlite.ts'
import type { Refusal } from '../start.ts'
import type { Message, NewSession, SessionWriter, WriteTarget, WrittenSession } from '../write.ts'
import { databasePath } from './paths.ts'

const VERSION = '1.52.0'

/** The schemas that were seen, by the number in `schema_version`. */
const SCHEMAS = { oldest: 13, newest: 16 }

/**
 * Rows of Goose's database. Provider, model, mode and extensions are left out: Goose takes those of its settings when it resumes
 * the session.
 */
export const writer: SessionWriter = {
  proven: { oldest: VERSION, newest: VERSION },
  budget: 76_000,
  calls: 'kept',
  images: true,
  prepare,
}

function prepare({ io }: WriteTarget): Refusal | ((session: NewSession) => WrittenSession) {
  const path = databasePath(io)
  if (!existsSync(path)) return { why: `${path} does not exist`, hint: 'start goose once, then try again' }
  const [schema] = withNativeDatabase(path, (database) => [schemaOf(database)])
  if (schema === undefined || isProblem(schema)) {
    return { why: schema?.problem ?? `${path} cannot be read`, hint: 'ion doctor' }
  }
  if (schema > SCHEMAS.newest) {
    return {
      why: `its database has schema ${schema}, which is newer than this version of Ion knows (${SCHEMAS.newest})`,
      hint: 'update Ion',
    }
  }
  if (schema < SCHEMAS.oldest) {
    return {
      why: `its database has schema ${schema}, which is older than this version of Ion knows (${SCHEMAS.oldest})`,
      hint: `update Goose to ${VERSION}, start goose once, then try again`,
    }
  }
  const now = io.now().getTime()
  return (session) => write(session, now)
}

/** 0 for a database without one, such as one that Goose was stopped while creating. */
function schemaOf(database: Database): number {
  if (!tableNames(database).has('schema_version')) return 0
  const row = database.prepare('SELECT max(version) AS version FROM schema_version').get()
  return Number((row as { version: unknown }).version ?? 0)
}

/** The session's id is the UUID: Goose accepts any text, and its own numbers are free to be taken while this is written. */
function write({ id, cwd, title, at, messages }: NewSession, now: number): WrittenSession {
  let last = 0
  /** In seconds. Never before the previous message, nor after the next prompt. */
  const next = (timestamp: string): number => {
    last = Math.max(last, Math.floor(Math.min(Date.parse(timestamp), now) / 1000))
    return last
  }
  const rows = messages
    .flatMap((message) => rowsOf(message))
    .map(({ name, timestamp, role, content, isSummary }) => {
      const seconds = next(timestamp)
      return {
        message_id: `msg_${uuidV5(`${id}/${name}`)}`,
        session_id: id,
        role,
        content_json: JSON.stringify(content),
        created_timestamp: seconds,
        timestamp: sqliteTime(seconds * 1000),
        metadata_json: JSON.stringify({ userVisible: !isSummary, agentVisible: true }),
      }
    })
  const time = sqliteTime(Date.parse(at))
  return {
    nativeId: id,
    parts: [
      {
        kind: 'rows',
        root: 'sessions',
        path: 'sessions.db',
        tables: [
          {
            table: 'sessions',
            where: { id },
            rows: [
              // Otherwise Goose asks a model for a name.
              { id, name: title, user_set_name: 1, working_dir: cwd, created_at: time, updated_at: time },
            ],
          },
          { table: 'messages', where: { session_id: id }, numbered: 'id', rows },
        ],
      },
    ],
  }
}

interface MessageRow {
  readonly name: string
  readonly timestamp: string
  readonly role: 'user' | 'assistant'
  readonly content: readonly object[]
  /** For the model alone, as Goose writes what a compaction leaves. */
  readonly isSummary?: boolean
}

/** Results of tools are a row of the user. */
function rowsOf(message: Message): MessageRow[] {
  const { id, timestamp } = message
  if (message.role === 'user') {
    const content = message.content.map((block) =>
      block.type === 'text' ? block : { type: 'image', data: block.data, mimeType: block.media_type ?? 'image/png' },
    )
    return [{ name: id, timestamp, role: 'user', content, isSummary: message.isSummary ?? false }]
  }
  const calls = message.content.filter((block) => block.type === 'call')
  const said: MessageRow = {
    name: id,
    timestamp,
    role: 'assistant',
    content: message.content.map((block) => {
      if (block.type === 'text') return block
      const value = { name: block.name, arguments: block.input }
      return { type: 'toolRequest', id: block.id, toolCall: { status: 'success', value } }
    }),
  }
  if (calls.length === 0) return [said]
  const content = calls.map(({ id: call, output, isError }) => ({
    type: 'toolResponse',
    id: call,
    toolResult: { status: 'success', value: { content: [{ type: 'text', text: output }], isError } },
  }))
  return [said, { name: `${id}/results`, timestamp: calls.at(-1)!.timestamp, role: 'user', content }]
}

/** `2026-11-15 19:00:49`, in UTC. */
function sqliteTime(ms: number): string {
  return new Date(ms).toISOString().slice(0, 19).replace('T', ' ')
}
