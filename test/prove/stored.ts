// What an agent has stored, read without Ion.
import { createHash } from 'node:crypto'
import { lstatSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { openDatabase } from '../../src/platform/sqlite.ts'

/** The hash of every regular file below a path, by path; `except` are names of folders to skip. */
export function hashesBelow(path: string, except: readonly string[] = []): Record<string, string> {
  const stat = lstatSync(path, { throwIfNoEntry: false })
  if (stat?.isFile()) return { [path]: createHash('sha256').update(readFileSync(path)).digest('hex') }
  if (!stat?.isDirectory()) return {}
  const below = readdirSync(path).filter((name) => !except.includes(name))
  return Object.assign({}, ...below.map((name) => hashesBelow(join(path, name), except)))
}

/** Bytes of a file, or of all files below a folder; 0 when it does not exist. Links are not followed. */
export function bytesAt(path: string): number {
  const stat = lstatSync(path, { throwIfNoEntry: false })
  if (!stat?.isDirectory()) return stat?.isFile() ? stat.size : 0
  return readdirSync(path).reduce((sum, name) => sum + bytesAt(join(path, name)), 0)
}

export function isDatabase(path: string): boolean {
  return readFileSync(path).subarray(0, 15).toString('latin1') === 'SQLite format 3'
}

/** Every row of a database that has the id in one of its columns, as text, by table. */
export function rowsWith(path: string, id: string): Record<string, string[]> {
  const database = openDatabase(path, { readOnly: true })
  try {
    const tables = database.prepare("SELECT name FROM sqlite_master WHERE type = 'table'").all() as { name: string }[]
    return Object.fromEntries(
      tables.map(({ name }) => {
        const rows = database.prepare(`SELECT * FROM "${name}"`).all() as object[]
        const own = rows.filter((row) => Object.values(row).includes(id))
        return [name, own.map((row) => JSON.stringify(row)).sort()]
      }),
    )
  } finally {
    database.close()
  }
}
