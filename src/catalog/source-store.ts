import { statSync } from 'node:fs'
import type { Source } from '../agents/agent.ts'
import type { Problem } from '../events/item.ts'
import type { Database, Statement } from '../platform/sqlite.ts'
import { transaction } from './connection.ts'
import { AGAIN, stampText } from './source-stamp.ts'

export interface KnownSource {
  readonly id: number
  readonly path: string
  readonly stamp: string
}

/** A folder with its time when it was listed. */
export type ListedFolder = readonly [path: string, mtimeMs: number]

/** A folder that changed within this time of our look may change again unseen: its clock may be coarse. */
const SETTLED_MS = 2000
const NEVER_SETTLED = -1

/** What is noted of the sources themselves: their stamps, the folders they were found in, and what could not be read. */
export class SourceStore {
  readonly #database: Database
  readonly #put: Statement
  readonly #clearTrouble: Statement
  readonly #putTrouble: Statement

  constructor(database: Database) {
    this.#database = database
    this.#put = database.prepare(
      `INSERT INTO source(agent, path, stamp) VALUES (?, ?, ?)
       ON CONFLICT(agent, path) DO UPDATE SET stamp = excluded.stamp RETURNING id`,
    )
    this.#clearTrouble = database.prepare('DELETE FROM trouble WHERE source = ? AND agent = ?')
    this.#putTrouble = database.prepare('INSERT INTO trouble(agent, source, path, problem) VALUES (?, ?, ?, ?)')
  }

  /** Notes a source as it was looked at; `again` when the next run must look whatever its files say. Its row's id. */
  put(agent: string, source: Source, again: boolean): number {
    const stamp = again ? AGAIN + stampText(source) : stampText(source)
    return (this.#put.get(agent, source.path, stamp) as { id: number }).id
  }

  forget(agent: string, id: number): void {
    this.#database.prepare('DELETE FROM source WHERE id = ?').run(id)
    this.#clearTrouble.run(id, agent)
  }

  /** As the last full comparison noted it: counting a hundred thousand rows would take longer than all the rest. */
  count(agent: string): number {
    const row = this.#database.prepare('SELECT value FROM note WHERE key = ?').get(`sources:${agent}`)
    return Number((row as { value: string } | undefined)?.value ?? 0)
  }

  noteCount(agent: string, found: number): void {
    if (this.count(agent) === found) return
    const note = this.#database.prepare('INSERT OR REPLACE INTO note(key, value) VALUES (?, ?)')
    note.run(`sources:${agent}`, String(found))
  }

  all(agent: string): Map<string, KnownSource> {
    const rows = this.#database.prepare('SELECT id, path, stamp FROM source WHERE agent = ?').iterate(agent)
    const known = new Map<string, KnownSource>()
    for (const row of rows as Iterable<KnownSource>) known.set(row.path, row)
    return known
  }

  at(agent: string, paths: readonly string[]): KnownSource[] {
    const find = this.#database.prepare('SELECT id, path, stamp FROM source WHERE agent = ? AND path = ?')
    return paths.flatMap((path) => find.all(agent, path) as KnownSource[])
  }

  /** Those of the newest sessions, and those that could not be read the last time. */
  hot(agent: string, most: number): KnownSource[] {
    const newest = this.#database
      .prepare(
        `SELECT source.id, source.path, source.stamp FROM session JOIN source ON source.id = session.source
         WHERE session.store = ? ORDER BY session.updated_at DESC LIMIT ?`,
      )
      .all(agent, most) as KnownSource[]
    const failed = this.#database
      .prepare(`SELECT id, path, stamp FROM source WHERE agent = ? AND stamp >= '${AGAIN}' AND stamp < '0'`)
      .all(agent) as KnownSource[]
    return [...new Map([...newest, ...failed].map((row) => [row.id, row])).values()]
  }

  foldersChanged(agent: string): boolean {
    return this.#folders(agent).some(([path, mtime]) => folderTime(path) !== mtime)
  }

  noteFolders(agent: string, folders: readonly ListedFolder[], now: Date): void {
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

  /** What could not be read of one source, instead of what was noted before. */
  noteTrouble(agent: string, source: number, problems: readonly Problem[]): void {
    this.#clearTrouble.run(source, agent)
    for (const { path, problem } of problems) this.#putTrouble.run(agent, source, path, problem)
  }

  /** What was met while listing, which belongs to no source. */
  noteListing(agent: string, problems: readonly Problem[]): void {
    const known = this.#database.prepare('SELECT count(*) AS n FROM trouble WHERE source = 0 AND agent = ?').get(agent)
    if (problems.length === 0 && (known as { n: number }).n === 0) return
    transaction(this.#database, () => this.noteTrouble(agent, 0, problems))
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
