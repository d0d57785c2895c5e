import { columnNames, tableNames } from '../../native/database.ts'
import { decode, named, type RowsHeader } from '../../native/rows.ts'
import { type Database, isSqliteError, openDatabase, type Statement } from '../../platform/sqlite.ts'
import { createSchema } from '../schema.ts'

/**
 * A temporary database in which the rows of a snapshot are created as a restore would do it, so that a schema or a row that
 * SQLite does not accept is known before anything is written. Most sessions of an agent have the same schema: it is created
 * once, and each session's rows are rolled back.
 */
export class Rehearsal {
  #database: Database | undefined
  #schema: string | undefined
  #statements: Statement[] = []
  #isBegun = false

  /** Throws when the schema is invalid, or does not have these tables with these columns. */
  begin(header: RowsHeader): void {
    this.end()
    const database = this.#withSchema(header.schema)
    const known = tableNames(database)
    for (const { table, columns } of [...header.tables, ...header.bookkeeping]) {
      if (!known.has(table)) throw new Error(`the schema has no table "${table}"`)
      const own = columnNames(database, table)
      const isSame = own.size === columns.length && columns.every((column) => own.has(column))
      if (!isSame) throw new Error(`the columns of "${table}" are not those of its schema`)
    }
    this.#statements = [...header.tables, ...header.bookkeeping].map(({ table, columns }) =>
      database.prepare(
        `INSERT INTO ${named(table)} (${columns.map(named).join(', ')}) VALUES (${columns.map(() => '?').join(', ')})`,
      ),
    )
    database.exec('BEGIN')
    this.#isBegun = true
  }

  /** Throws when the table does not accept the row. */
  insert(table: number, values: readonly unknown[]): void {
    try {
      this.#statements[table]!.run(...values.map(decode))
    } catch (error) {
      if (!isSqliteError(error)) throw error
      throw new Error(`a row that the database does not accept: ${(error as Error).message}`, { cause: error })
    }
  }

  /** The rows of this session are forgotten. */
  end(): void {
    if (this.#isBegun) this.#database?.exec('ROLLBACK')
    this.#isBegun = false
  }

  close(): void {
    this.#isBegun = false
    this.#statements = []
    this.#database?.close()
    this.#database = undefined
    this.#schema = undefined
  }

  #withSchema(statements: readonly string[]): Database {
    const schema = JSON.stringify(statements)
    if (this.#database && this.#schema === schema) return this.#database
    this.close()
    // Without a name, SQLite keeps it in memory as long as it is small, and removes its file.
    const database = openDatabase('')
    this.#database = database
    // Rows may refer to rows that only the real database has.
    database.exec('PRAGMA foreign_keys = OFF; PRAGMA trusted_schema = OFF')
    createSchema(database, statements)
    this.#schema = schema
    return database
  }
}
