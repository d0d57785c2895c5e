import { existsSync, realpathSync } from 'node:fs'
import { dirname, join } from 'node:path'

const known = new Map<string, string>()

/**
 * The project of a folder: the real path of the git top level, else of the folder itself.
 * A folder that no longer exists is its own project, by the recorded path.
 */
export function projectOf(cwd: string): string {
  const cached = known.get(cwd)
  if (cached !== undefined) return cached
  const project = findProject(cwd)
  known.set(cwd, project)
  return project
}

function findProject(cwd: string): string {
  let real: string
  try {
    real = realpathSync(cwd)
  } catch {
    return cwd
  }
  for (let dir = real; ; dir = dirname(dir)) {
    // `.git` is a file in worktrees and submodules.
    if (existsSync(join(dir, '.git'))) return dir
    if (dirname(dir) === dir) return real
  }
}

/** Whether `path` is `folder` or below it. */
export function isWithin(path: string | null, folder: string): boolean {
  return path === folder || path?.startsWith(prefixOf(folder)) === true
}

/** What every path below `folder` starts with. */
export function prefixOf(folder: string): string {
  return folder.endsWith('/') ? folder : `${folder}/`
}

/** A project's old and new path. */
export interface FolderMove {
  readonly from: string
  readonly to: string
}

/** Where a folder of the project is now; it may be recorded with a path from before a move. */
export function currentFolder(cwd: string, moves: readonly FolderMove[]): string {
  for (const { from, to } of moves) {
    const moved = cwd === from ? to : cwd.startsWith(prefixOf(from)) ? join(to, cwd.slice(from.length)) : undefined
    if (moved !== undefined && (existsSync(moved) || !existsSync(cwd))) return moved
  }
  return cwd
}
