import { createRequire } from 'node:module'

export type Value = null | number | bigint | string | Uint8Array

/** The part of the API that `node:sqlite` and `@photostructure/sqlite` share and that Ion uses. */
export interface Statement {
  run(...values: Value[]): { changes: number | bigint; lastInsertRowid: number | bigint }
  get(...values: Value[]): unknown
  all(...values: Value[]): unknown[]
  iterate(...values: Value[]): IterableIterator<unknown>
  setReadBigInts(on: boolean): void
}

export interface Database {
  exec(sql: string): void
  prepare(sql: string): Statement
  close(): void
}

interface Driver {
  readonly DatabaseSync: new (path: string, options: { readOnly: boolean }) => Database
}

let driver: Driver | undefined

/** One SQLite for every Node: the one built in (22.13 and later), else a package that brings its own binaries. */
function load(): Driver {
  driver ??=
    (process.getBuiltinModule?.('node:sqlite') as Driver | undefined) ??
    (createRequire(import.meta.url)('@photostructure/sqlite') as Driver)
  return driver
}

export function openDatabase(path: string, options: { readOnly?: boolean } = {}): Database {
  const { DatabaseSync } = load()
  return new DatabaseSync(path, { readOnly: options.readOnly ?? false })
}
