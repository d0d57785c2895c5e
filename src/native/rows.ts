import { ReadError } from '../events/item.ts'
import type { Database, Value } from '../platform/sqlite.ts'
import { columnNames, eachRow, LargeRow, tableNames } from './database.ts'

/** The rows of one session in a database with several. */
export interface RowsPart {
  readonly kind: 'rows'
  readonly root: string
  /** The database, below the root. */
  readonly path: string
  readonly tables: readonly TableRows[]
  /** Tables that are copied completely, such as the agent's migrations: needed to recreate a missing database. */
  readonly bookkeeping: readonly string[]
  /** The file also holds credentials: no copy of it is ever made. */
  readonly inPlace?: true
  /** Several sessions need it (see FilePart). */
  readonly shared?: never
}

export interface TableRows {
  readonly table: string
  /** The values of these columns in the session's rows. */
  readonly where: Readonly<Record<string, string | number>>
  /** A column that the database numbers automatically; its values may change. */
  readonly numbered?: string
  /** Rows that other sessions refer to as well: restored if they are missing, never replaced or removed. */
  readonly shared?: true
}

/** The first line of copied rows. Each line after it is a row: the index of its table (`tables`, then `bookkeeping`) and its values. */
export interface RowsHeader {
  readonly v: 1
  /** The SQL that created the database. */
  readonly schema: readonly string[]
  readonly tables: readonly (TableRows & { readonly columns: readonly string[] })[]
  readonly bookkeeping: readonly { readonly table: string; readonly columns: readonly string[] }[]
}

/** Integers of any size stay exact, and so do blobs. */
export type Encoded =
  | null
  | string
  | number
  | { readonly i: string }
  | { readonly f: number | string }
  | { readonly b: string }

/** All rows of a session as lines of JSON, of one moment if in a transaction. */
export function* rowLines(database: Database, part: RowsPart): Generator<string> {
  const known = tableNames(database)
  const tables = part.tables
    .filter(({ table }) => known.has(table))
    .map((rows) => ({ ...rows, columns: [...columnNames(database, rows.table)] }))
  const bookkeeping = part.bookkeeping
    .filter((table) => known.has(table))
    .map((table) => ({ table, columns: [...columnNames(database, table)] }))
  const header: RowsHeader = { v: 1, schema: schemaOf(database), tables, bookkeeping }
  yield JSON.stringify(header)
  for (const [index, { table, where, columns }] of [...tables, ...bookkeeping.map(allRows)].entries()) {
    for (const row of selected(database, table, where, columns)) yield JSON.stringify([index, ...row])
  }
}

function allRows<T extends object>(table: T): T & { where: Record<string, never> } {
  return { ...table, where: {} }
}

/** A row is copied in one piece, in several forms at a time. */
const MAX_COPIED_ROW = 64 * 1024 * 1024

/** In the order in which they were inserted. Throws for a row that is too large. */
export function* selected(
  database: Database,
  table: string,
  where: TableRows['where'],
  columns: readonly string[],
): Generator<Encoded[]> {
  const rows = eachRow(database, {
    table: named(table),
    columns: columns.map(named).join(', '),
    which: `${condition(where)} ORDER BY rowid`,
    values: Object.values(where),
    bigInts: true,
    maxBytes: MAX_COPIED_ROW,
  })
  for (const row of rows) {
    if (row instanceof LargeRow) {
      const size = `${Math.round(row.bytes / 1e6)} MB`
      throw new ReadError('too_large', `a row of the table "${table}" has ${size}, which is too much to copy`)
    }
    yield columns.map((column) => encode((row as Record<string, Value>)[column]!))
  }
}

/** ` WHERE a = ? AND b = ?`, for the values of the object in their order. */
export function condition(where: TableRows['where']): string {
  const columns = Object.keys(where)
  return columns.length === 0 ? '' : ` WHERE ${columns.map((column) => `${named(column)} = ?`).join(' AND ')}`
}

/** A table or column name, quoted for SQL: it may come from an untrusted file. */
export function named(name: string): string {
  return `"${name.replaceAll('"', '""')}"`
}

/**
 * The ordinary tables and their indexes, without what SQLite creates automatically. No agent has triggers, views or virtual
 * tables in such a database, and a restore refuses them: they would act on other sessions.
 */
function schemaOf(database: Database): string[] {
  const rows = database
    .prepare(
      `SELECT sql FROM sqlite_master WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite_%' AND type IN ('table', 'index')
        AND tbl_name IN (SELECT name FROM pragma_table_list WHERE schema = 'main' AND type = 'table') ORDER BY rowid`,
    )
    .all() as { sql: string }[]
  return rows.map(({ sql }) => sql)
}

export function encode(value: Value): Encoded {
  if (value === null || typeof value === 'string') return value
  if (typeof value === 'bigint') {
    return value >= Number.MIN_SAFE_INTEGER && value <= Number.MAX_SAFE_INTEGER ? Number(value) : { i: String(value) }
  }
  if (typeof value === 'number') {
    if (!Number.isInteger(value)) return Number.isFinite(value) ? value : { f: String(value) }
    return { f: Object.is(value, -0) ? '-0' : value }
  }
  return { b: Buffer.from(value).toString('base64') }
}

/** As `encode` wrote it; throws for anything else. */
export function decode(value: unknown): Value {
  if (value === null || typeof value === 'string') return value
  // The driver would store an integer given as a JavaScript number as REAL.
  if (typeof value === 'number') return Number.isInteger(value) ? BigInt(value) : value
  const { i, f, b } = Object(value) as { i?: unknown; f?: unknown; b?: unknown }
  if (typeof i === 'string') return BigInt(i)
  if (f !== undefined) return Number(f)
  if (typeof b === 'string') return Buffer.from(b, 'base64')
  throw new Error('not an encoded value')
}
