import { isProblem, type Problem } from '../../events/item.ts'
import type { SessionHead } from '../../events/session.ts'
import { databaseStamps, withNativeDatabase } from '../../native/database.ts'
import type { ReadContext } from '../../native/read-context.ts'
import type { Source } from '../agent.ts'
import { databaseHeads } from './list-database.ts'
import { treeHead, treeStamps } from './list-tree.ts'
import { activeDatabase } from './paths.ts'
import { databasePaths, isSuperseded, treePaths } from './stores.ts'

export function* sources(reading: ReadContext): Generator<Source | Problem> {
  for (const path of databasePaths(reading)) {
    if (typeof path !== 'string') yield path
    else yield { path, files: databaseStamps(path) }
  }
  for (const path of treePaths(reading)) {
    if (typeof path !== 'string') yield path
    else yield { path, files: treeStamps(path, reading) }
  }
}

export function* heads(source: Source, reading: ReadContext): Generator<SessionHead | Problem> {
  const { path } = source
  const found = path.endsWith('.json')
    ? treeHead(source, reading)
    : withNativeDatabase(path, (database) => databaseHeads(database, path, path === activeDatabase(reading.io)))
  for (const head of found) if (isProblem(head) || !isSuperseded(head.native_id, path, reading)) yield head
}
