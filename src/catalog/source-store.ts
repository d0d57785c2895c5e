import { statSync } from 'node:fs'
import type { Source } from '../agents/agent.ts'
import type { Problem } from '../events/item.ts'
import type { FileStamp } from '../native/walk.ts'
import { type Database, type Statement, transaction } from '../platform/sqlite.ts'
import { getMeta, setMeta } from './connection.ts'

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
    const stamp = retry ? RETRY + stampText(source) : stampText(source)
    const { changes, lastInsertRowid } = this.#insert.run(agent, source.path, stamp)
    if (Number(changes) === 1) return { id: Number(lastInsertRowid), isNew: true }
    return { id: (this.#update.get(stamp, agent, source.path) as { id: number }).id, isNew: false }
  }

  remove(agent: string, id: number): void {
    this.#database.prepare('DELETE FROM source WHERE id = ?').run(id)
    this.#clearErrors.run(id, agent)
  }

  /** As of the last full comparison: counting a hundred thousand rows would take longer than everything else. */
  count(agent: string): number {
    return Number(getMeta(this.#database, `sources:${agent}`) ?? 0)
  }

  setCount(agent: string, count: number): void {
    if (this.count(agent) !== count) setMeta(this.#database, `sources:${agent}`, String(count))
  }

  all(agent: string): Map<string, KnownSource> {
    const rows = this.#database.prepare('SELECT id, path, stamp FROM source WHERE agent = ?').all(agent)
    const known = new Map<string, KnownSource>()
    for (const row of rows as KnownSource[]) known.set(row.path, row)
    return known
  }

  at(agent: string, paths: readonly string[]): KnownSource[] {
    this.#at ??= this.#database.prepare('SELECT id, path, stamp FROM source WHERE agent = ? AND path = ?')
    const find = this.#at
    return paths.flatMap((path) => find.all(agent, path) as KnownSource[])
  }

  /** The sources of the newest sessions, and those that could not be read last time. */
  hot(agent: string, most: number): KnownSource[] {
    const newest = this.#database
      .prepare(
        `SELECT source.id, source.path, source.stamp FROM session JOIN source ON source.id = session.source
         WHERE session.store = ? ORDER BY session.updated_at DESC LIMIT ?`,
      )
      .all(agent, most) as KnownSource[]
    const failed = this.#database
      .prepare(`SELECT id, path, stamp FROM source WHERE agent = ? AND stamp >= '${RETRY}' AND stamp < '0'`)
      .all(agent) as KnownSource[]
    return [...new Map([...newest, ...failed].map((row) => [row.id, row])).values()]
  }

  foldersChanged(agent: string): boolean {
    return this.#folders(agent).some(([path, mtime]) => folderTime(path) !== mtime)
  }

  setFolders(agent: string, folders: readonly ListedFolder[], now: Date): void {
    const settled = now.getTime() - SETTLED_MS
    const wanted = new Map(folders.map(([path, mtime]) => [path, mtime > settled ? NEVER_SETTLED : mtime]))
    const known = this.#folders(agent)
    if (known.length === wanted.size && known.every(([path, mtime]) => wanted.get(path) === mtime)) return
    const insert = this.#database.prepare('INSERT INTO folder(agent, path, mtime) VALUES (?, ?, ?)')
    transaction(this.#database, () => {
      this.#database.prepare('DELETE FROM folder WHERE agent = ?').run(agent)
      for (const [path, mtime] of wanted) insert.run(agent, path, mtime)
    })
  }

  /** Replaces the errors of one source. */
  setErrors(agent: string, source: number, problems: readonly Problem[]): void {
    this.#clearErrors.run(source, agent)
    for (const { path, problem, code, errno } of problems) {
      this.#putError.run(agent, source, path, problem, code, errno ?? null)
    }
  }

  /** Replaces the errors met while listing folders, which belong to no source. */
  setListingErrors(agent: string, problems: readonly Problem[]): void {
    const known = this.#database
      .prepare('SELECT count(*) AS n FROM source_error WHERE source = 0 AND agent = ?')
      .get(agent)
    if (problems.length === 0 && (known as { n: number }).n === 0) return
    transaction(this.#database, () => this.setErrors(agent, 0, problems))
  }

  #folders(agent: string): ListedFolder[] {
    const rows = this.#database.prepare('SELECT path, mtime FROM folder WHERE agent = ?').all(agent)
    return (rows as { path: string; mtime: number }[]).map(({ path, mtime }) => [path, mtime])
  }
}

function folderTime(path: string): number {
  try {
    return statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0
  } catch {
    return 0
  }
}

/** Precedes the stamp of a source that must be read again even if its files are unchanged: permissions are not in the stamp. */
const RETRY = '!'

export function lastWritten(source: Source): number {
  return Math.max(...source.files.map((file) => file.mtimeMs))
}

/** The numbers of the file, in the usual case of one; otherwise those of each file with its path. */
export function stampText({ path, files }: Source): string {
  const [only] = files
  if (files.length === 1 && only?.path === path) return numbers(only).join(' ')
  return JSON.stringify(files.map((file) => [file.path, ...numbers(file)]))
}

function numbers({ dev, ino, size, mtimeMs }: FileStamp): number[] {
  return [dev, ino, size, mtimeMs]
}

/** The files that a stored stamp describes. */
export function stampedFiles(path: string, stored: string): string[] {
  const stamp = stored.replace(RETRY, '')
  return stamp.startsWith('[') ? (JSON.parse(stamp) as [string][]).map(([file]) => file) : [path]
}
