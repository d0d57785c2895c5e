import { existsSync, rmdirSync, rmSync } from 'node:fs'
import { dirname } from 'node:path'
import type { Agent } from '../agents/agent.ts'
import type { BackupPart, BackupSpec } from '../agents/backup.ts'
import { isProblem } from '../events/item.ts'
import type { SessionHead } from '../events/session.ts'
import { tableNames } from '../native/database.ts'
import { readContext } from '../native/read-context.ts'
import { syncFolder } from '../platform/atomic-file.ts'
import type { Io } from '../platform/io.ts'
import { storePath } from './part-content.ts'
import { deleteRows, inTransaction } from './restore-rows.ts'

/**
 * Removes a session, or those of its parts that `isWanted` names, from the agent's store; the caller has made sure that it
 * can be restored. Returns the paths of its files and databases. Files and rows that other sessions need are kept.
 */
export function removeParts(
  agent: Agent,
  head: SessionHead,
  io: Io,
  isWanted: (part: BackupPart) => boolean = () => true,
): string[] {
  const { backup } = agent
  if (!backup) throw new Error(`sessions of ${agent.title} cannot be restored, so none is removed`)
  const parts: BackupPart[] = []
  for (const part of backup.parts(head, readContext(io))) {
    if (isProblem(part)) throw new Error(part.problem)
    if (isRemovable(part) && isWanted(part)) parts.push(part)
  }
  // Rows first: without them the agent no longer lists the session.
  const removed = parts.filter((part) => part.kind === 'rows').map((part) => removeRows(part, backup, io))
  for (const part of parts) {
    if (part.kind !== 'file') continue
    const path = storePath(part, backup, io)
    if (!existsSync(path)) continue
    rmSync(path)
    if (part.form === 'database') for (const ending of ['-wal', '-shm']) rmSync(path + ending, { force: true })
    removeEmpty(dirname(path), backup.roots(io)[part.root]!)
    removed.push(path)
  }
  return removed
}

function isRemovable(part: BackupPart): boolean {
  return !part.shared && !(part.kind === 'file' && part.hasOthers)
}

function removeRows(part: BackupPart & { kind: 'rows' }, backup: BackupSpec, io: Io): string {
  const path = storePath(part, backup, io)
  inTransaction(path, (database) => {
    const known = tableNames(database)
    for (const table of part.tables.toReversed()) {
      if (!table.shared && known.has(table.table)) deleteRows(database, table)
    }
  })
  return path
}

/** Removes folders that are now empty, up to but not including the root. */
function removeEmpty(folder: string, root: string): void {
  for (let at = folder; at !== root && at.startsWith(root); at = dirname(at)) {
    try {
      rmdirSync(at)
    } catch {
      syncFolder(at)
      return
    }
  }
}
