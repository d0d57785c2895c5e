import { basename, dirname } from 'node:path'
import { isProblem, type Problem } from '../../events/item.ts'
import type { SessionHead } from '../../events/session.ts'
import { columnNames, withNativeDatabase } from '../../native/database.ts'
import type { ReadContext } from '../../native/read-context.ts'
import type { RowsPart, TableRows } from '../../native/rows.ts'
import type { Database } from '../../platform/sqlite.ts'
import type { BackupPart, BackupSpec } from '../backup.ts'
import { backUpTree } from './backup-tree.ts'
import { activeDatabase, dataFolder } from './paths.ts'

const ID = '[\\w-]+'

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
  tables: [
    'project',
    'event_sequence',
    'event',
    'session',
    'message',
    'part',
    'todo',
    'session_message',
    'session_input',
    'session_context_epoch',
  ],
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
    yield* backUpTree(head, reading)
    return
  }
  const data = dataFolder(reading.io)
  const place =
    dirname(path) === data ? { root: 'data', path: basename(path) } : { root: 'database', path: basename(path) }
  if (!backup.files[place.root]!.some((pattern) => pattern.test(place.path))) return
  for (const part of withNativeDatabase(path, (database) => [rowsPart(head, database)])) {
    if (isProblem(part)) yield part
    else yield { ...part, ...place }
  }
}

type Rows = Omit<RowsPart, 'root' | 'path'>

function rowsPart(head: SessionHead, database: Database): Rows {
  const family = familyOf(head, database)
  const projects = new Set(family.flatMap(({ project_id }) => project_id ?? []))
  return {
    kind: 'rows',
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
    ...['message', 'part', 'todo', 'session_message', 'session_input', 'session_context_epoch'].map((table) => ({
      table,
      where: { session_id: id },
    })),
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
