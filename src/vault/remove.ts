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
import { openDatabase, transaction } from '../platform/sqlite.ts'
import { placeOf } from './part-content.ts'
import { remove } from './restore-rows.ts'

const BUSY_MS = 10_000

/**
 * Takes a session out of the agent's store; whoever calls this has made sure that it can be put back. Gives the paths of
 * what it was in: nothing, where it is only in files with other sessions. Files and rows that those need stay.
 */
export function removeParts(agent: Agent, head: SessionHead, io: Io): string[] {
  const keep = agent.backup
  if (!keep) throw new Error(`sessions of ${agent.title} cannot be put back, so none is taken away`)
  const parts: BackupPart[] = []
  for (const part of keep.parts(head, readContext(io))) {
    if (isProblem(part)) throw new Error(part.problem)
    if (!part.shared && !(part.kind === 'file' && part.hasOthers)) parts.push(part)
  }
  // The rows first: with them the agent itself no longer sees the session.
  const removed = parts.filter((part) => part.kind === 'rows').map((part) => removeRows(part, keep, io))
  for (const part of parts) {
    if (part.kind !== 'file') continue
    const path = placeOf(part, keep, io)
    if (!existsSync(path)) continue
    rmSync(path)
    if (part.form === 'database') for (const ending of ['-wal', '-shm']) rmSync(path + ending, { force: true })
    removeEmpty(dirname(path), keep.roots(io)[part.root]!)
    removed.push(path)
  }
  return removed
}

function removeRows(part: BackupPart & { kind: 'rows' }, keep: BackupSpec, io: Io): string {
  const path = placeOf(part, keep, io)
  const database = openDatabase(path)
  try {
    database.exec(`PRAGMA busy_timeout = ${BUSY_MS}`)
    transaction(database, () => {
      const known = tableNames(database)
      for (const table of part.tables.toReversed()) {
        if (!table.shared && known.has(table.table)) remove(database, table)
      }
    })
  } finally {
    database.close()
  }
  return path
}

/** Folders that are empty now, up to the root, which stays. */
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
