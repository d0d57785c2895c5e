import { basename, dirname, join } from 'node:path'
import { isProblem, type Problem } from '../../events/item.ts'
import { tableNames, withNativeDatabase } from '../../native/database.ts'
import type { ReadContext } from '../../native/read-context.ts'
import { filesIn, listFolder, subfolders } from '../../native/walk.ts'
import { activeDatabase, dataFolder } from './paths.ts'

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
  const folder = dataFolder(reading.io)
  for (const name of filesIn(folder, /^opencode(-.+)?\.db$/, reading)) {
    if (typeof name !== 'string') yield name
    else if (join(folder, name) !== active) yield join(folder, name)
  }
}

/** Files that describe a session of the JSON trees: `storage/`, then `project/<name>/storage/`. */
export function* treePaths(reading: ReadContext): Generator<string | Problem> {
  const folder = dataFolder(reading.io)
  yield* sessionFiles(join(folder, 'storage'), reading)
  for (const project of subfolders(join(folder, 'project'), reading)) {
    if (typeof project !== 'string') yield project
    else yield* sessionFiles(join(folder, 'project', project, 'storage'), reading)
  }
}

/** In `session/<project id>/`, or `session/info/` in the oldest layout, with messages and parts beside it. */
function* sessionFiles(storage: string, reading: ReadContext): Generator<string | Problem> {
  for (const folder of subfolders(join(storage, 'session'), reading)) {
    if (typeof folder !== 'string') yield folder
    else if (folder !== 'message' && folder !== 'part') {
      for (const name of filesIn(join(storage, 'session', folder), /^[^.].*\.json$/, reading)) {
        yield typeof name === 'string' ? join(storage, 'session', folder, name) : name
      }
    }
  }
}

/** Where a session of a tree has its messages, and each message its parts. */
export interface Tree {
  readonly session: string
  readonly messages: string
  readonly parts: (message: string) => string
}

export function treeOf(sessionFile: string): Tree {
  const session = basename(sessionFile, '.json')
  const folder = dirname(dirname(sessionFile))
  if (basename(dirname(sessionFile)) === 'info') {
    return {
      session,
      messages: join(folder, 'message', session),
      parts: (message) => join(folder, 'part', session, message),
    }
  }
  const storage = dirname(folder)
  return {
    session,
    messages: join(storage, 'message', session),
    parts: (message) => join(storage, 'part', message),
  }
}

interface Owners {
  /** Session ids of each database, in their order. */
  readonly databases: ReadonlyMap<string, ReadonlySet<string>>
  /** The first file of each session of the trees. */
  readonly trees: ReadonlyMap<string, string>
}

/** Computed once per ReadContext: a session in several places is listed from the first of them. */
const known = new WeakMap<ReadContext, Owners>()

/** True when a place of higher priority has this session too. */
export function isSuperseded(session: string, path: string, reading: ReadContext): boolean {
  let owners = known.get(reading)
  if (!owners) known.set(reading, (owners = findOwners(reading)))
  for (const [database, sessions] of owners.databases) {
    if (database === path) return false
    if (sessions.has(session)) return true
  }
  const first = owners.trees.get(session)
  return first !== undefined && first !== path
}

function findOwners(reading: ReadContext): Owners {
  const databases = new Map<string, Set<string>>()
  for (const path of databasePaths(reading)) if (typeof path === 'string') databases.set(path, sessionIds(path))
  const trees = new Map<string, string>()
  for (const path of treePaths(reading)) {
    if (typeof path !== 'string') continue
    const { session } = treeOf(path)
    if (!trees.has(session)) trees.set(session, path)
  }
  return { databases, trees }
}

function sessionIds(path: string): Set<string> {
  const rows = withNativeDatabase(path, (database) =>
    tableNames(database).has('session') ? database.prepare('SELECT id FROM session').all() : [],
  )
  // A database that cannot be read has nothing; listing it reports the problem.
  return new Set([...rows].flatMap((row) => (isProblem(row) ? [] : [(row as { id: string }).id])))
}
