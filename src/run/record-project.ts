import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Io } from '../platform/io.ts'
import { folderIdentity, isSameFolder } from '../platform/project-identity.ts'
import type { Task } from './task.ts'
import { readTaskFile, writeTaskFile } from './tasks.ts'

/**
 * Records which task the folder belongs to, and by what its project is recognised after a move. The git history is looked
 * up while the agent starts, and only if it is new: no start waits for it. Resolves when all is recorded; never fails after
 * the first write.
 */
export function recordProject(task: Task, io: Io): Promise<void> {
  const folder = folderIdentity(task.project)
  const known = readTaskFile(task.folder)?.identity
  const isKnown = folder === undefined || isSameFolder(known?.folder, folder)
  writeTaskFile(task, isKnown ? undefined : { folder })
  if (isKnown && (known?.git?.roots || !existsSync(join(task.project, '.git')))) return Promise.resolve()
  return recordHistory(task, io)
}

async function recordHistory(task: Task, io: Io): Promise<void> {
  try {
    const { gitIdentity } = await import('../platform/git-identity.ts')
    const git = await gitIdentity(task.project, io)
    const folder = folderIdentity(task.project)
    if (git && folder) writeTaskFile(task, { folder, git })
  } catch {
    // The next start tries again.
  }
}
