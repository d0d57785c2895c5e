import type { Database } from '../platform/sqlite.ts'
import type { SourceError } from './catalog.ts'

/** What could not be read, for all agents. */
export function sourceErrors(database: Database): SourceError[] {
  return database
    .prepare('SELECT agent, path, problem, code, errno FROM source_error ORDER BY agent, path')
    .all() as SourceError[]
}
