import { basename, dirname, join } from 'node:path'
import { isProblem, type Problem } from '../../events/item.ts'
import { tableNames, withNativeDatabase } from '../../native/database.ts'
import { oncePerRead, type ReadContext } from '../../native/read-context.ts'
import { foldersIn, listFolder, pathsIn } from '../../native/walk.ts'
import { activeDatabase, dataFolder } from './paths.ts'
import { JSON_FILE } from './tree.ts'

/**
 * The places that may have sessions, in order of priority: the database in use, those of other channels, the JSON tree from
 * before the database, and the tree of each project from before that. Older ones were copied into newer ones and left in
 * place.
 */

/** The database in use first, then the rest of `opencode.db` and `opencode-<channel>.db`. */
export function* databasePaths(reading: ReadContext): Generator<string | Problem> {
  const active = activeDatabase(reading.io)
  for (const entry of listFolder(dirname(active), reading)) {
    if (isProblem(entry)) yield entry
    else if (entry.name === basename(active) && !entry.isDirectory()) yield active
  }
  for (const path of pathsIn(dataFolder(reading.io), /^opencode(-.+)?\.db$/, reading)) if (path !== active) yield path
}

/** Files that describe a session of the JSON trees: `storage/`, then `project/<name>/storage/`. */
export function* treePaths(reading: ReadContext): Generator<string | Problem> {
  const folder = dataFolder(reading.io)
  yield* sessionFiles(join(folder, 'storage'), reading)
  for (const project of foldersIn(join(folder, 'project'), reading)) {
    if (typeof project !== 'string') yield project
    else yield* sessionFiles(join(project, 'storage'), reading)
  }
}

/** In `session/<project id>/`, or `session/info/` in the oldest layout, with messages and parts beside it. */
function* sessionFiles(storage: string, reading: ReadContext): Generator<string | Problem> {
  for (const folder of foldersIn(join(storage, 'session'), reading)) {
    if (typeof folder !== 'string') yield folder
    else if (!['message', 'part'].includes(basename(folder))) yield* pathsIn(folder, JSON_FILE, reading)
  }
}

interface Owners {
  /** Session ids of each database, in their order. */
  readonly databases: ReadonlyMap<string, ReadonlySet<string>>
  /** The first file of each session of the trees. */
  readonly trees: ReadonlyMap<string, string>
}

/** True when a place of higher priority has this session too: it is listed from the first of them. */
export function isSuperseded(session: string, path: string, reading: ReadContext): boolean {
  const { databases, trees } = ownersOf(reading)
  for (const [database, sessions] of databases) {
    if (database === path) return false
    if (sessions.has(session)) return true
  }
  const first = trees.get(session)
  return first !== undefined && first !== path
}

const ownersOf = oncePerRead((reading): Owners => {
  const databases = new Map<string, Set<string>>()
  for (const path of databasePaths(reading)) if (typeof path === 'string') databases.set(path, sessionIds(path))
  const trees = new Map<string, string>()
  for (const path of treePaths(reading)) {
    if (typeof path !== 'string') continue
    const session = basename(path, '.json')
    if (!trees.has(session)) trees.set(session, path)
  }
  return { databases, trees }
})

function sessionIds(path: string): Set<string> {
  const rows = withNativeDatabase(path, (database) =>
    tableNames(database).has('session') ? database.prepare('SELECT id FROM session').all() : [],
  )
  // A database that cannot be read has nothing; listing it reports the problem.
  return new Set([...rows].flatMap((row) => (isProblem(row) ? [] : [(row as { id: string }).id])))
}
