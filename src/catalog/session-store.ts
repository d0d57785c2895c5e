import type { SessionHead, Summary } from '../events/session.ts'
import { projectOf } from '../platform/project.ts'
import type { Database, Statement } from '../platform/sqlite.ts'
import type { Counted } from './line-scan.ts'

/** A session as it was found, ready to be written. */
export interface FoundSession {
  readonly head: SessionHead
  readonly summary: Summary
  readonly scan: Counted | undefined
}

/** What the catalogue knows of a session from an earlier look. */
export interface KnownSession {
  readonly key: number
  readonly revision: string
  readonly scan: string | null
}

/** Fields that have a column of their own; the rest of the head is kept as JSON. */
const columnsOfHead = [
  'id', 'agent', 'native_id', 'title', 'cwd', 'created_at', 'updated_at', 'model', 'bytes', 'path', 'revision',
  'resumable', 'parent_session', 'forked_from', 'hidden',
] as const // biome-ignore format: a list

/** Writes and forgets sessions. Statements are prepared once. */
export class SessionStore {
  readonly #known: Statement
  readonly #upsert: Statement
  readonly #ofSource: Statement
  readonly #forget: Statement
  readonly #forgetWords: Statement
  readonly #forgetPassages: Statement

  constructor(database: Database) {
    this.#known = database.prepare(
      'SELECT key, revision, scan FROM session WHERE store = ? AND path = ? AND native_id = ?',
    )
    this.#upsert = database.prepare(upsertSql())
    this.#ofSource = database.prepare('SELECT key, path, native_id FROM session WHERE source = ?')
    this.#forget = database.prepare('DELETE FROM session WHERE key = ?')
    this.#forgetWords = database.prepare('DELETE FROM words WHERE rowid IN (SELECT id FROM passage WHERE session = ?)')
    this.#forgetPassages = database.prepare('DELETE FROM passage WHERE session = ?')
  }

  known(store: string, head: SessionHead): KnownSession | undefined {
    return this.#known.get(store, head.path, head.native_id) as KnownSession | undefined
  }

  put(source: number, store: string, { head, summary, scan }: FoundSession): void {
    const { tokens } = summary
    this.#upsert.run(
      source,
      store,
      head.id,
      head.agent,
      head.native_id,
      head.title ?? summary.first_prompt,
      head.cwd,
      head.cwd === null ? null : projectOf(head.cwd),
      earliest(head.created_at, summary.created_at),
      // A head may only know the file's time, which copying changes; the last event's own time is better.
      summary.updated_at ?? head.updated_at,
      summary.messages,
      summary.tool_calls,
      tokens.input,
      tokens.output,
      tokens.cache_read,
      tokens.cache_write,
      tokens.reasoning,
      summary.model ?? head.model,
      head.bytes,
      head.path,
      head.resumable ? 1 : 0,
      summary.problems,
      head.parent_session ?? null,
      head.forked_from ?? null,
      head.hidden ? 1 : 0,
      head.revision,
      JSON.stringify(restOfHead(head)),
      scan ? JSON.stringify({ mark: scan.mark, state: scan.state }) : null,
    )
  }

  /** Forgets the sessions of a source that were not among `found` (keys made by `identity`). */
  keepOnly(source: number, found: ReadonlySet<string>): number {
    let removed = 0
    for (const row of this.#ofSource.all(source) as { key: number; path: string; native_id: string }[]) {
      if (found.has(identity(row.path, row.native_id))) continue
      this.forgetText(row.key)
      this.#forget.run(row.key)
      removed++
    }
    return removed
  }

  forgetText(key: number): void {
    this.#forgetWords.run(key)
    this.#forgetPassages.run(key)
  }
}

export function identity(path: string, nativeId: string): string {
  return `${path}\n${nativeId}`
}

function upsertSql(): string {
  const columns = [
    'source', 'store', 'id', 'agent', 'native_id', 'title', 'cwd', 'project', 'created_at', 'updated_at',
    'messages', 'tool_calls', 'input', 'output', 'cache_read', 'cache_write', 'reasoning', 'model', 'bytes', 'path',
    'resumable', 'problems', 'parent_session', 'forked_from', 'hidden', 'revision', 'head', 'scan',
  ] // biome-ignore format: a list
  return `INSERT INTO session(${columns.join(', ')}) VALUES (${columns.map(() => '?').join(', ')})
    ON CONFLICT(store, path, native_id) DO UPDATE SET ${columns.map((name) => `${name} = excluded.${name}`).join(', ')}`
}

function restOfHead(head: SessionHead): Partial<SessionHead> {
  const rest: Record<string, unknown> = { ...head }
  for (const name of columnsOfHead) delete rest[name]
  // The title as the store has it: the column may hold the first prompt instead.
  return { ...rest, title: head.title, created_at: head.created_at, updated_at: head.updated_at, model: head.model }
}

function earliest(a: string | null, b: string | null): string | null {
  return a === null || b === null ? (a ?? b) : a < b ? a : b
}
