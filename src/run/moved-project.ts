import { basename } from 'node:path'
import {
  type FolderIdentity,
  hasOtherHistory,
  hasSameHistory,
  isSameFolder,
  type ProjectIdentity,
} from '../platform/project-identity.ts'

/** A task of a project that is no longer where it was. */
export interface MoveCandidate {
  /** The recorded path of the project. */
  readonly project: string
  /** As recorded at its last start; undefined for a task of an older Ion. */
  readonly identity: ProjectIdentity | undefined
  /** What is at the recorded path now. */
  readonly folderThere: FolderIdentity | undefined
  /** It was given the same prompt. */
  readonly hasSamePrompt: boolean
}

/** The folder in which there is no task yet. */
export interface CurrentProject extends ProjectIdentity {
  readonly project: string
}

/**
 * Whether the current folder is that project under another name. `sure`: it is the same folder, or a repository with the
 * same first commit while nothing is at the old path. `doubtful`: something speaks for it. Undefined: nothing does, as for a
 * copy, another clone or another worktree of a project that is still at its path.
 */
export function isMovedHere(candidate: MoveCandidate, here: CurrentProject): 'sure' | 'doubtful' | undefined {
  const { identity, folderThere } = candidate
  if (isSameFolder(identity?.folder, here.folder)) {
    return isSameFolder(identity?.folder, folderThere) ? undefined : 'sure'
  }
  if (folderThere) return undefined
  const { git: before } = identity ?? {}
  const { git: now } = here
  if (hasOtherHistory(before, now)) return undefined
  // Worktrees have their history in common with others, so only the folder itself identifies one.
  const isWorktree = before?.worktree || now?.worktree
  const hasOtherRemote = before?.remote !== undefined && now?.remote !== undefined && before.remote !== now.remote
  if (hasSameHistory(before, now)) return isWorktree || hasOtherRemote ? doubt(candidate, here) : 'sure'
  if (!isWorktree && before?.remote !== undefined && before.remote === now?.remote) return 'doubtful'
  return doubt(candidate, here)
}

/** The same prompt in a folder of the same name: most likely a copy on another disk whose original was removed. */
function doubt({ project, identity, hasSamePrompt }: MoveCandidate, here: CurrentProject): 'doubtful' | undefined {
  return hasSamePrompt && (!identity || basename(project) === basename(here.project)) ? 'doubtful' : undefined
}

/**
 * Whether the folder at a task's path is certainly another project than the task's. A folder that was created again is not:
 * a rebuilt workspace clones its repositories again.
 */
export function isOtherProject(recorded: ProjectIdentity | undefined, now: ProjectIdentity): boolean {
  return !isSameFolder(recorded?.folder, now.folder) && hasOtherHistory(recorded?.git, now.git)
}
