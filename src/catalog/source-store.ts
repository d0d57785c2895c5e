import type { Source } from '../agents/agent.ts'
import type { Problem } from '../events/item.ts'
import { prefixOf } from '../platform/project.ts'
import { type Database, type Statement, transaction } from '../platform/sqlite.ts'
import { getMeta, setMeta } from './meta.ts'
import { retryStamp, stampText } from './stamp.ts'
import { countKey, surroundingsKey } from './store-facts.ts'
import type { Surroundings } from './surroundings.ts'

export interface KnownSource {
  readonly id: number
  readonly path: string
  readonly stamp: string
}

/** A folder with its mtime when it was listed. */
export type ListedFolder = readonly [path: string, mtimeMs: number]

/** A folder whose mtime is this recent may change again without a new mtime: file systems have coarse clocks. */
const SETTLED_MS = 2000
const NEVER_SETTLED = -1
const AFTER_ALL_PATHS = '\u{10ffff}'

/** As SQLite does. */
function byBytes(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b))
}

/** Records of the sources themselves: their stamps, the folders they are in, and what could not be read. */
export class SourceStore {
  readonly #database: Database
  readonly #insert: Statement
  readonly #update: Statement
  #at: Statement | undefined
  readonly #clearErrors: Statement
  readonly #putError: Statement

  constructor(database: Database) {
    this.#database = database
    this.#insert = database.prepare('INSERT OR IGNORE INTO source(agent, path, stamp) VALUES (?, ?, ?)')
    this.#update = database.prepare('UPDATE source SET stamp = ? WHERE agent = ? AND path = ? RETURNING id')
    this.#clearErrors = database.prepare('DELETE FROM source_error WHERE source = ? AND agent = ?')
    this.#putError = database.prepare(
      'INSERT INTO source_error(agent, source, path, problem, code, errno) VALUES (?, ?, ?, ?, ?, ?)',
    )
  }

  /**
   * Stores the stamp of a source. `retry`: the next run reads it even if it is unchanged. Returns the id of its row, and
   * whether it was not in the index before: another process may have added it in the meantime.
   */
  put(agent: string, source: Source, retry: boolean): { readonly id: number; readonly isNew: boolean } {
    const stamp = retry ? retryStamp(source) : stampText(source)
    const { changes, lastInsertRowid } = this.#insert.run(agent, source.path, stamp)
    if (Number(changes) === 1) return { id: Number(lastInsertRowid), isNew: true }
    return { id: (this.#update.get(stamp, agent, source.path) as { id: number }).id, isNew: false }
  }

  remove(agent: string, id: number): void {
    this.#database.prepare('DELETE FROM source WHERE id = ?').run(id)
    this.#clearErrors.run(id, agent)
  }

  /** As of the last listing: counting a hundred thousand rows would take longer than everything else. */
  count(agent: string): number {
    return Number(getMeta(this.#database, countKey(agent)) ?? 0)
  }

  /** Records how many sources a listing found, and what it asked of the environment. */
  setListed(agent: string, count: number, seen: Surroundings): void {
    this.#setMeta(countKey(agent), String(count))
    this.#setMeta(surroundingsKey(agent), JSON.stringify(seen))
  }

  #setMeta(key: string, value: string): void {
    if (getMeta(this.#database, key) !== value) setMeta(this.#database, key, value)
  }

  all(agent: string): Map<string, KnownSource> {
    return this.outside(agent, [])
  }

  /** Those that are not below any of these folders, none of which is below another. The others are not looked at. */
  outside(agent: string, folders: readonly string[]): Map<string, KnownSource> {
    const between = this.#database.prepare(
      'SELECT id, path, stamp FROM source WHERE agent = ? AND path >= ? AND path < ? ORDER BY path',
    )
    const known = new Map<string, KnownSource>()
    let from = ''
    for (const folder of [...folders.map(prefixOf).sort(byBytes), undefined]) {
      const rows = between.all(agent, from, folder ?? AFTER_ALL_PATHS) as KnownSource[]
      for (const row of rows) known.set(row.path, row)
      // What begins with the prefix comes before its last character's successor.
      if (folder !== undefined) from = `${folder.slice(0, -1)}0`
    }
    return known
  }

  at(agent: string, paths: readonly string[]): KnownSource[] {
    this.#at ??= this.#database.prepare('SELECT id, path, stamp FROM source WHERE agent = ? AND path = ?')
    const find = this.#at
    return paths.flatMap((path) => find.all(agent, path) as KnownSource[])
  }

  /** Whether a session is in another source too, as well as in one of these. */
  hasSecond(agent: string, paths: readonly string[]): boolean {
    const second = this.#database.prepare(
      `SELECT 1 FROM source JOIN session ON session.source = source.id JOIN session AS other ON other.id = session.id
       WHERE source.agent = ? AND source.path = ? AND other.store = session.store AND other.source <> session.source LIMIT 1`,
    )
    return paths.some((path) => second.get(agent, path) !== undefined)
  }

  folders(agent: string): ListedFolder[] {
    const rows = this.#database.prepare('SELECT path, mtime FROM folder WHERE agent = ?').all(agent)
    return (rows as { path: string; mtime: number }[]).map(({ path, mtime }) => [path, mtime])
  }

  /** Replaces the folders of an agent, except for those that are `kept`. */
  setFolders(agent: string, folders: readonly ListedFolder[], now: Date, kept: (path: string) => boolean): void {
    const settled = now.getTime() - SETTLED_MS
    const wanted = new Map(folders.map(([path, mtime]) => [path, mtime > settled ? NEVER_SETTLED : mtime]))
    const known = new Map(this.folders(agent))
    const added = [...wanted].filter(([path, mtime]) => known.get(path) !== mtime)
    const removed = [...known.keys()].filter((path) => !wanted.has(path) && !kept(path))
    if (added.length === 0 && removed.length === 0) return
    const put = this.#database.prepare('INSERT OR REPLACE INTO folder(agent, path, mtime) VALUES (?, ?, ?)')
    const remove = this.#database.prepare('DELETE FROM folder WHERE agent = ? AND path = ?')
    transaction(this.#database, () => {
      for (const [path, mtime] of added) put.run(agent, path, mtime)
      for (const path of removed) remove.run(agent, path)
    })
  }

  /** Replaces the errors of one source. */
  setErrors(agent: string, source: number, problems: readonly Problem[]): void {
    this.#clearErrors.run(source, agent)
    for (const { path, problem, code, errno } of problems) {
      this.#putError.run(agent, source, path, problem, code, errno ?? null)
    }
  }

  hasListingErrors(agent: string): boolean {
    const found = this.#database.prepare('SELECT 1 FROM source_error WHERE source = 0 AND agent = ? LIMIT 1').get(agent)
    return found !== undefined
  }

  /** Replaces the errors met while listing folders, which belong to no source. */
  setListingErrors(agent: string, problems: readonly Problem[]): void {
    if (problems.length === 0 && !this.hasListingErrors(agent)) return
    transaction(this.#database, () => this.setErrors(agent, 0, problems))
  }
}
