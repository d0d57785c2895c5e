import { basename, dirname, join } from 'node:path'
import type { Problem } from '../../events/item.ts'
import type { SessionHead } from '../../events/session.ts'
import { columnNames, withNativeDatabase } from '../../native/database.ts'
import { readSideFile } from '../../native/file-head.ts'
import { asString } from '../../native/narrow.ts'
import type { ReadContext } from '../../native/read-context.ts'
import type { RowsPart, TableRows } from '../../native/rows.ts'
import { childrenIn, sessionTree } from '../../native/session-tree.ts'
import { filesIn } from '../../native/walk.ts'
import type { Database } from '../../platform/sqlite.ts'
import { type BackupPart, type BackupSpec, type FilePart, pathBelow } from '../backup.ts'
import { activeDatabase, dataFolder } from './paths.ts'
import { treeOf } from './tree.ts'

const ID = '[\\w-]+'

/** Tables with the column `session_id`. */
const SESSION_TABLES = ['message', 'part', 'todo', 'session_message', 'session_input', 'session_context_epoch']

/**
 * The rows of a session and of its sub-agents; for a session in one of the old trees, its files. Never `session_share`, which
 * contains a secret, nor `permission`, which has settings of a project.
 */
export const backup: BackupSpec = {
  roots: (io) => {
    const folder = dirname(activeDatabase(io))
    // Only where a variable says so: otherwise nothing would read what is restored there.
    return { data: dataFolder(io), ...(folder === dataFolder(io) ? {} : { database: folder }) }
  },
  files: {
    data: [
      /^opencode(-[\w.-]+)?\.db$/,
      new RegExp(`^storage/(session|message|part)/${ID}/${ID}\\.json$`),
      new RegExp(`^storage/(project|todo|session_diff)/${ID}\\.json$`),
      new RegExp(`^project/[^/]+/storage/session/info/${ID}\\.json$`),
      new RegExp(`^project/[^/]+/storage/session/message/${ID}/${ID}\\.json$`),
      new RegExp(`^project/[^/]+/storage/session/part/${ID}/${ID}/${ID}\\.json$`),
    ],
    database: [/^[\w.-]+\.(db|sqlite3?)$/],
  },
  mayBeLinks: ['storage', 'project'],
  tables: ['project', 'event_sequence', 'event', 'session', ...SESSION_TABLES],
  parts,
  rewrite: {
    // The oldest trees have a folder for each project, named after its path.
    path: (path, { from, to }) => path.replace(`project/${folderName(from)}/`, `project/${folderName(to)}/`),
    fields: ['directory', 'worktree', 'cwd', 'root'],
    columns: { project: ['worktree'], session: ['directory'] },
  },
}

function folderName(cwd: string): string {
  return cwd.replace(/^\//, '').replaceAll('/', '-')
}

function* parts(head: SessionHead, reading: ReadContext): Generator<BackupPart | Problem> {
  const { path } = head
  if (path.endsWith('.json')) {
    yield* treeParts(head, reading)
    return
  }
  const root = dirname(path) === dataFolder(reading.io) ? 'data' : 'database'
  if (!backup.files[root]!.some((pattern) => pattern.test(basename(path)))) return
  yield* withNativeDatabase(path, (database) => [rowsPart(head, root, database)])
}

function rowsPart(head: SessionHead, root: string, database: Database): RowsPart {
  const family = familyOf(head, database)
  const projects = new Set(family.flatMap(({ project_id }) => project_id ?? []))
  return {
    kind: 'rows',
    root,
    path: basename(head.path),
    tables: [
      ...[...projects].map((id): TableRows => ({ table: 'project', where: { id }, shared: true })),
      ...family.flatMap(({ id }) => rowsOf(id)),
    ],
    bookkeeping: ['migration', 'data_migration'],
  }
}

function rowsOf(id: string): TableRows[] {
  return [
    { table: 'event_sequence', where: { aggregate_id: id } },
    { table: 'event', where: { aggregate_id: id } },
    { table: 'session', where: { id } },
    ...SESSION_TABLES.map((table) => ({ table, where: { session_id: id } })),
  ]
}

interface Member {
  readonly id: string
  readonly project_id: string | null
}

/** The session and its sub-agents. For a sub-agent, only itself. */
function familyOf({ native_id, parent_session }: SessionHead, database: Database): Member[] {
  const columns = columnNames(database, 'session')
  const member = columns.has('project_id') ? 'session.id, session.project_id' : 'session.id, NULL AS project_id'
  const sql =
    parent_session || !columns.has('parent_id')
      ? `SELECT ${member} FROM session WHERE id = ?`
      : `WITH RECURSIVE family(id, project_id) AS (
          SELECT ${member} FROM session WHERE id = ?
          UNION SELECT ${member} FROM session JOIN family ON session.parent_id = family.id
        ) SELECT id, project_id FROM family`
  return database.prepare(sql).all(native_id) as Member[]
}

/** Some versions stored file diffs in it. */
const DESCRIPTION_LIMIT = 4 * 1024 * 1024
const TREE_FILE = /^[\w-]+\.json$/

/** All files of a session of one of the old trees, and of its sub-agents. */
function* treeParts(head: SessionHead, reading: ReadContext): Generator<FilePart | Problem> {
  const folder = dirname(head.path)
  const family = head.parent_session
    ? [head.native_id]
    : sessionTree(
        head.native_id,
        childrenIn(folder, () => links(folder, reading)),
      )
  for (const session of family) yield* filesOf(join(folder, `${session}.json`), reading)
  // In the newer tree a session's folder is named after its project, which has its own file.
  const storage = dirname(dirname(folder))
  const project = join(storage, 'project', `${basename(folder)}.json`)
  if (basename(folder) !== 'info') yield { ...file(project, reading), shared: true }
}

function* filesOf(session: string, reading: ReadContext): Generator<FilePart | Problem> {
  const tree = treeOf(session)
  yield file(session, reading)
  for (const message of filesIn(tree.messages, TREE_FILE, reading)) {
    if (typeof message !== 'string') {
      yield message
      continue
    }
    yield file(join(tree.messages, message), reading)
    const parts = tree.parts(basename(message, '.json'))
    for (const part of filesIn(parts, TREE_FILE, reading)) {
      yield typeof part === 'string' ? file(join(parts, part), reading) : part
    }
  }
  if (basename(dirname(session)) === 'info') return
  const storage = dirname(dirname(dirname(session)))
  for (const what of ['todo', 'session_diff']) yield file(join(storage, what, basename(session)), reading)
}

function file(path: string, { io }: ReadContext): FilePart {
  return { kind: 'file', root: 'data', path: pathBelow(dataFolder(io), path), form: 'whole' }
}

function* links(folder: string, reading: ReadContext): Generator<{ child: string; parent: string }> {
  for (const name of filesIn(folder, TREE_FILE, reading)) {
    if (typeof name !== 'string') continue
    const parent = asString(readSideFile(join(folder, name), reading, DESCRIPTION_LIMIT).parentID)
    if (parent) yield { child: basename(name, '.json'), parent }
  }
}
