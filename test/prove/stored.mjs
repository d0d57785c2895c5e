// What an agent has stored, as a test may compare it: read here, without Ion.
import { createHash } from 'node:crypto'
import { lstatSync, readdirSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'

/** The hash of every plain file below a folder, by path. @param {string} path @param {readonly string[]} [except] names @returns {Record<string, string>} */
export function hashesBelow(path, except = []) {
  const stat = lstatSync(path, { throwIfNoEntry: false })
  if (stat?.isFile()) return { [path]: createHash('sha256').update(readFileSync(path)).digest('hex') }
  if (!stat?.isDirectory()) return {}
  return Object.assign(
    {},
    ...readdirSync(path).map((name) => (except.includes(name) ? {} : hashesBelow(join(path, name), except))),
  )
}

/** Whether a file is SQLite. @param {string} path */
export function isDatabase(path) {
  return readFileSync(path).subarray(0, 15).toString('latin1') === 'SQLite format 3'
}

/** Every row of a database that has the id in one of its columns, as text, by table. @param {string} path @param {string} id @returns {Record<string, string[]>} */
export function rowsWith(path, id) {
  const { DatabaseSync } =
    process.getBuiltinModule?.('node:sqlite') ?? createRequire(import.meta.url)('@photostructure/sqlite')
  const database = new DatabaseSync(path, { readOnly: true })
  try {
    const tables = database.prepare("SELECT name FROM sqlite_master WHERE type = 'table'").all()
    return Object.fromEntries(
      tables.map((/** @type {{ name: string }} */ { name }) => {
        const rows = database.prepare(`SELECT * FROM "${name}"`).all()
        const own = rows.filter((/** @type {object} */ row) => Object.values(row).includes(id))
        return [name, own.map((/** @type {object} */ row) => JSON.stringify(row)).sort()]
      }),
    )
  } finally {
    database.close()
  }
}
