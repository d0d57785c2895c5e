// Writing the files of a sample home: text, JSON and SQLite, with the time of their last change.
import { mkdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'

const { DatabaseSync } =
  process.getBuiltinModule?.('node:sqlite') ?? createRequire(import.meta.url)('@photostructure/sqlite')

/** A folder of samples: one agent's piece of a home. `times` gets the time of each file by its path in the home. */
export class SampleHome {
  constructor(root) {
    this.root = root
    this.times = {}
  }

  text(path, text, time) {
    writeFileSync(this.#make(path, time), text)
    utimesSync(join(this.root, path), time / 1000, time / 1000)
  }

  json(path, value, time) {
    this.text(path, `${JSON.stringify(value, null, 2)}\n`, time)
  }

  lines(path, records, time) {
    this.text(path, records.map((record) => `${JSON.stringify(record)}\n`).join(''), time)
  }

  /** `fill` gets the open database. Equal input gives equal bytes. */
  database(path, time, fill) {
    const file = this.#make(path, time)
    rmSync(file, { force: true })
    const database = new DatabaseSync(file)
    database.exec('PRAGMA journal_mode = DELETE')
    database.exec('BEGIN')
    fill(database)
    database.exec('COMMIT')
    database.close()
    utimesSync(file, time / 1000, time / 1000)
  }

  #make(path, time) {
    this.times[path] = new Date(time).toISOString()
    mkdirSync(dirname(join(this.root, path)), { recursive: true })
    return join(this.root, path)
  }
}

/** `insert(database, 'table', { column: value })`. */
export function insert(database, table, row) {
  const names = Object.keys(row)
  const values = Object.values(row).map((value) =>
    value !== null && typeof value === 'object' && !(value instanceof Uint8Array) ? JSON.stringify(value) : value,
  )
  database
    .prepare(`INSERT INTO ${table} (${names.join(', ')}) VALUES (${names.map(() => '?').join(', ')})`)
    .run(...values)
}
