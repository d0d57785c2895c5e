import type { SessionHead, Summary } from '../events/session.ts'
import { projectOf } from '../platform/project.ts'
import type { Database, Statement, Value } from '../platform/sqlite.ts'
import { CallStore, type FoundCalls } from './calls/call-store.ts'
import type { Counted } from './line-scan.ts'
import { type SessionColumn, sessionColumns } from './stored-session.ts'

/** A session as read from a store, ready to be written. */
export interface FoundSession {
  readonly head: SessionHead
  readonly summary: Summary
  readonly scan: Counted | undefined
  readonly calls: FoundCalls
}

/** What the index knows about a session. */
export interface KnownSession {
  readonly native_id: string
  readonly revision: string
  readonly cwd: string | null
  readonly scan: string | null
}

/** Fields with their own column; the rest of the head is stored as JSON. */
const columnsOfHead: ReadonlySet<string> = new Set([
  'id', 'agent', 'native_id', 'title', 'cwd', 'created_at', 'updated_at', 'model', 'bytes', 'path', 'revision',
  'resumable', 'parent_session', 'forked_from', 'hidden',
]) // biome-ignore format: a list

/** Writes and deletes sessions with their model calls. Statements are prepared once. */
export class SessionStore {
  readonly #known: Statement
  readonly #put: Statement
  readonly #keys: Statement
  readonly #delete: Statement
  readonly #calls: CallStore

  constructor(database: Database) {
    this.#calls = new CallStore(database)
    this.#known = database.prepare('SELECT native_id, revision, cwd, scan FROM session WHERE source = ?')
    this.#put = database.prepare(
      `INSERT OR REPLACE INTO stored_session(${sessionColumns.join(', ')}, key)
       VALUES (${sessionColumns.map(() => '?').join(', ')}, ?)`,
    )
    this.#keys = database.prepare('SELECT key, native_id FROM session WHERE source = ?')
    this.#delete = database.prepare('DELETE FROM stored_session WHERE key = ?')
  }

  /** The sessions of a source, by their native ids. */
  known(source: number): Map<string, KnownSession> {
    return new Map((this.#known.all(source) as KnownSession[]).map((session) => [session.native_id, session]))
  }

  /** The keys of the sessions of a source, by their native ids. */
  keys(source: number): Map<string, number> {
    const rows = this.#keys.all(source) as { key: number; native_id: string }[]
    return new Map(rows.map(({ key, native_id }) => [native_id, key]))
  }

  /** Writes a session of a source; `key` is that of the row to replace. */
  put(source: PutSource, { head, summary, scan, calls }: FoundSession, key: number | undefined): void {
    const title = head.title ?? summary.first_prompt
    const created_at = earliest(head.created_at, summary.created_at)
    // A head may only know the file's mtime, which copying changes; the time of the last event is better.
    const updated_at = summary.updated_at ?? head.updated_at
    const model = summary.model ?? head.model
    const project = head.cwd === null ? null : projectOf(head.cwd)
    // In the order of sessionColumns: a test compares them.
    const row: Record<SessionColumn, Value> = {
      source: source.id,
      store: source.store,
      id: head.id,
      agent: head.agent,
      native_id: head.native_id === head.id ? null : head.native_id,
      title,
      cwd: head.cwd,
      project: project === head.cwd ? null : project,
      created_at,
      updated_at,
      messages: summary.messages,
      tool_calls: summary.tool_calls,
      input: summary.tokens.input,
      output: summary.tokens.output,
      cache_read: summary.tokens.cache_read,
      cache_write: summary.tokens.cache_write,
      reasoning: summary.tokens.reasoning,
      model,
      bytes: head.bytes,
      path: head.path === source.path ? null : head.path,
      resumable: head.resumable ? 1 : 0,
      problems: summary.problems,
      parent_session: head.parent_session ?? null,
      forked_from: head.forked_from ?? null,
      hidden: head.hidden ? 1 : 0,
      revision: head.revision,
      head: JSON.stringify(restOfHead(head, { title, created_at, updated_at, model })),
      scan: scan ? JSON.stringify(scan) : null,
    }
    const { lastInsertRowid } = this.#put.run(...Object.values(row), key ?? null)
    this.#calls.put(key ?? Number(lastInsertRowid), head, calls, key === undefined)
  }

  delete(key: number): void {
    this.#calls.delete(key)
    this.#delete.run(key)
  }
}

/** The source that a session is written for. */
export interface PutSource {
  readonly id: number
  readonly path: string
  /** The agent whose store it is in. */
  readonly store: string
}

/** Fields without a column, and those where head and row differ (a title that is only the first prompt). */
function restOfHead(head: SessionHead, row: Partial<SessionHead>): Partial<SessionHead> {
  const rest: Record<string, unknown> = {}
  for (const name in head) {
    const field = name as keyof SessionHead
    if (!columnsOfHead.has(name) || (field in row && row[field] !== head[field])) rest[name] = head[field]
  }
  return rest
}

function earliest(a: string | null, b: string | null): string | null {
  return a === null || b === null ? (a ?? b) : a < b ? a : b
}
