// Writes the files of a sample home: text, JSON and SQLite, with the time of their last change.
import { mkdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { type Database, openDatabase } from '../../src/platform/sqlite.ts'

export type { Database }

/** One agent's part of the demo's home. */
export class SampleHome {
  readonly root: string
  /** When each file was last changed, by its path in the home. */
  readonly times: Record<string, string> = {}

  constructor(root: string) {
    this.root = root
  }

  text(path: string, text: string, time: number): void {
    const file = this.#file(path, time)
    writeFileSync(file, text)
    utimesSync(file, time / 1000, time / 1000)
  }

  json(path: string, value: unknown, time: number): void {
    this.text(path, `${JSON.stringify(value, null, 2)}\n`, time)
  }

  lines(path: string, records: readonly unknown[], time: number): void {
    this.text(path, records.map((record) => `${JSON.stringify(record)}\n`).join(''), time)
  }

  /** Equal statements give equal bytes. */
  database(path: string, time: number, fill: (database: Database) => void): void {
    const file = this.#file(path, time)
    rmSync(file, { force: true })
    const database = openDatabase(file)
    database.exec('PRAGMA journal_mode = DELETE')
    database.exec('BEGIN')
    fill(database)
    database.exec('COMMIT')
    database.close()
    utimesSync(file, time / 1000, time / 1000)
  }

  #file(path: string, time: number): string {
    this.times[path] = new Date(time).toISOString()
    mkdirSync(dirname(join(this.root, path)), { recursive: true })
    return join(this.root, path)
  }
}

/** `insert(database, 'table', { column: value })`; objects are stored as JSON. */
export function insert(database: Database, table: string, row: Readonly<Record<string, unknown>>): void {
  const values = Object.values(row).map((value) =>
    value !== null && typeof value === 'object' && !(value instanceof Uint8Array) ? JSON.stringify(value) : value,
  )
  const names = Object.keys(row)
  database
    .prepare(`INSERT INTO ${table} (${names.join(', ')}) VALUES (${names.map(() => '?').join(', ')})`)
    .run(...(values as Parameters<ReturnType<Database['prepare']>['run']>))
}
