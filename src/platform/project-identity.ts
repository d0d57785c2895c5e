import { statSync } from 'node:fs'
import { attempt } from './error.ts'

/** By what a project is recognised after it was moved, and a different one at the same path is not mistaken for it. */
export interface ProjectIdentity {
  readonly folder?: FolderIdentity
  readonly git?: GitIdentity
}

/** A folder, whatever its path. As text: inode numbers and nanoseconds are too large for a number. */
export interface FolderIdentity {
  readonly dev: string
  readonly ino: string
  /** Nanoseconds since 1970; `0` where the file system does not say. An inode number is soon used again, this is not. */
  readonly born: string
}

export interface GitIdentity {
  /**
   * The first commits of its history. Left out for a shallow clone, before the first commit and without the git program;
   * empty where finding them took too long.
   */
  readonly roots?: readonly string[]
  /** Hash of the address of the remote `origin`, without credentials. */
  readonly remote?: string
  /** A linked worktree: it has the history of another checkout. */
  readonly worktree?: true
}

/** Undefined if there is no folder at this path. */
export function folderIdentity(path: string): FolderIdentity | undefined {
  const stat = attempt(() => statSync(path, { bigint: true }))
  return stat?.isDirectory() ? { dev: `${stat.dev}`, ino: `${stat.ino}`, born: `${stat.birthtimeNs}` } : undefined
}

/** Device numbers may change with a reboot, so they count only where the time of creation is unknown. */
export function isSameFolder(a: FolderIdentity | undefined, b: FolderIdentity | undefined): boolean {
  if (!a || !b || a.ino !== b.ino) return false
  return a.born === '0' || b.born === '0' ? a.dev === b.dev : a.born === b.born
}

/** The first commits are known for both, and one is in both. */
export function hasSameHistory(a: GitIdentity | undefined, b: GitIdentity | undefined): boolean {
  return a?.roots?.some((commit) => b?.roots?.includes(commit)) ?? false
}

/** The first commits are known for both, and none is in both. */
export function hasOtherHistory(a: GitIdentity | undefined, b: GitIdentity | undefined): boolean {
  return Boolean(a?.roots?.length && b?.roots?.length) && !hasSameHistory(a, b)
}
