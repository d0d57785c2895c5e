import { type Database, isSqliteError } from '../platform/sqlite.ts'

/** As SQLite stores it: the name, and either the columns of a table or the table of an index. */
const NAME = '(?:"(?:[^"]|"")*"|\'(?:[^\']|\'\')*\'|`[^`]*`|\\[[^\\]]*\\]|[\\w$]+)'
const CREATE_TABLE = new RegExp(`^CREATE TABLE ${NAME}\\s*\\(`, 'i')
const CREATE_INDEX = new RegExp(`^CREATE (?:UNIQUE )?INDEX ${NAME}\\s+ON\\s`, 'i')

/** Far more than any agent has. */
const MAX_STATEMENTS = 2000
const MAX_LENGTH = 64 * 1024

/**
 * Creates the tables and indexes of a copied database. Throws for any other statement: a trigger or a view would act on other
 * sessions later, and a table that is filled by a query might never end.
 */
export function createSchema(database: Database, statements: readonly string[]): void {
  if (statements.length > MAX_STATEMENTS) throw new Error('the schema has too many statements')
  for (const sql of statements) {
    if (sql.length > MAX_LENGTH) throw new Error('the schema has a statement that is too long')
    if (!CREATE_TABLE.test(sql) && !CREATE_INDEX.test(sql)) {
      throw new Error('the schema has a statement that creates neither a table nor an index')
    }
    try {
      database.prepare(sql).run()
    } catch (error) {
      if (!isSqliteError(error)) throw error
      throw new Error(`the schema is invalid: ${(error as Error).message}`, { cause: error })
    }
  }
}
