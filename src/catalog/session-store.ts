import type { SessionHead, Summary } from '../events/session.ts'
import { projectOf } from '../platform/project.ts'
import type { Database, Statement, Value } from '../platform/sqlite.ts'
import type { Counted } from './line-scan.ts'
import { type SessionColumn, sessionColumns } from './stored-session.ts'

/** A session as read from a store, ready to be written. */
export interface FoundSession {
  readonly head: SessionHead
  readonly summary: Summary
  readonly scan: Counted | undefined
}

/** What the index knows about a session. */
interface KnownSession {
  readonly revision: string
  readonly cwd: string | null
  readonly scan: string | null
}

/** Fields with their own column; the rest of the head is stored as JSON. */
const columnsOfHead: ReadonlySet<string> = new Set([
  'id', 'agent', 'native_id', 'title', 'cwd', 'created_at', 'updated_at', 'model', 'bytes', 'path', 'revision',
  'resumable', 'parent_session', 'forked_from', 'hidden',
]) // biome-ignore format: a list

/** Writes and deletes sessions. Statements are prepared once. */
export class SessionStore {
  readonly #known: Statement
  readonly #upsert: Statement
  readonly #ofSource: Statement
  readonly #delete: Statement

  constructor(database: Database) {
    this.#known = database.prepare('SELECT revision, cwd, scan FROM session WHERE source = ? AND native_id = ?')
    this.#upsert = database.prepare(upsertSql())
    this.#ofSource = database.prepare('SELECT key, native_id FROM session WHERE source = ?')
    this.#delete = database.prepare('DELETE FROM session WHERE key = ?')
  }

  known(source: number, head: SessionHead): KnownSession | undefined {
    return this.#known.get(source, head.native_id) as KnownSession | undefined
  }

  put(source: number, store: string, { head, summary, scan }: FoundSession): void {
    const title = head.title ?? summary.first_prompt
    const created_at = earliest(head.created_at, summary.created_at)
    // A head may only know the file's mtime, which copying changes; the time of the last event is better.
    const updated_at = summary.updated_at ?? head.updated_at
    const model = summary.model ?? head.model
    const row: Record<SessionColumn, Value> = {
      source,
      store,
      id: head.id,
      agent: head.agent,
      native_id: head.native_id,
      title,
      cwd: head.cwd,
      project: head.cwd === null ? null : projectOf(head.cwd),
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
      path: head.path,
      resumable: head.resumable ? 1 : 0,
      problems: summary.problems,
      parent_session: head.parent_session ?? null,
      forked_from: head.forked_from ?? null,
      hidden: head.hidden ? 1 : 0,
      revision: head.revision,
      head: JSON.stringify(restOfHead(head, { title, created_at, updated_at, model })),
      scan: scan ? JSON.stringify(scan) : null,
    }
    this.#upsert.run(...sessionColumns.map((name) => row[name]))
  }

  /** Deletes the sessions of a source whose native ids are not in `found`. */
  keepOnly(source: number, found: ReadonlySet<string>): number {
    let removed = 0
    for (const row of this.#ofSource.all(source) as { key: number; native_id: string }[]) {
      if (found.has(row.native_id)) continue
      this.#delete.run(row.key)
      removed++
    }
    return removed
  }
}

function upsertSql(): string {
  const values = sessionColumns.map(() => '?').join(', ')
  const updates = sessionColumns.map((name) => `${name} = excluded.${name}`).join(', ')
  return `INSERT INTO session(${sessionColumns.join(', ')}) VALUES (${values})
    ON CONFLICT(source, native_id) DO UPDATE SET ${updates}`
}

/** Fields without a column, and those where head and row differ (a title that is only the first prompt). */
function restOfHead(head: SessionHead, row: Partial<SessionHead>): Partial<SessionHead> {
  const known: Partial<SessionHead> = { ...head, ...row }
  const rest = Object.entries(head).filter(
    ([name, value]) => !columnsOfHead.has(name) || (name in row && known[name as keyof SessionHead] !== value),
  )
  return Object.fromEntries(rest)
}

function earliest(a: string | null, b: string | null): string | null {
  return a === null || b === null ? (a ?? b) : a < b ? a : b
}
