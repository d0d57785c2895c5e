import { readdirSync, readFileSync, readlinkSync, statSync } from 'node:fs'
import { basename, join } from 'node:path'
import { attempt } from '../../platform/error.ts'
import type { Io } from '../../platform/io.ts'
import { codexRoot } from './paths.ts'

/**
 * `thread-writer-locks/<id>.lock`: the writer of a session holds a lock on this file, the background process too. It is
 * removed at a clean exit and stays after kill -9, but then nobody holds the lock. Lock holders are known only on Linux.
 */
export function live(io: Io, nativeIds: readonly string[]): Map<string, number | false> {
  const found = new Map<string, number | false>()
  const folder = join(codexRoot(io), 'thread-writer-locks')
  const files = attempt(() => new Set(readdirSync(folder)))
  // A version without them: nothing is known.
  if (!files) return found
  let held: ReadonlyMap<string, readonly number[]> | undefined
  for (const id of nativeIds) {
    if (basename(id) !== id) continue
    if (!files.has(`${id}.lock`)) {
      found.set(id, false)
      continue
    }
    held ??= attempt(heldLocks)
    if (held) found.set(id, holderOf(join(folder, `${id}.lock`), held) ?? false)
  }
  return found
}

/** `3: FLOCK  ADVISORY  WRITE 15663 fe:00:10315424 0 EOF`: pids by inode. Throws where there is no such list. */
function heldLocks(): Map<string, number[]> {
  const held = new Map<string, number[]>()
  const text = readFileSync('/proc/locks', 'latin1')
  for (const [, pid, inode] of text.matchAll(/^\d+: FLOCK +\w+ +WRITE +(\d+) [0-9a-f]+:[0-9a-f]+:(\d+) /gm)) {
    held.set(inode!, [...(held.get(inode!) ?? []), Number(pid)])
  }
  return held
}

function holderOf(path: string, held: ReadonlyMap<string, readonly number[]>): number | undefined {
  const inode = attempt(() => statSync(path, { bigint: true }).ino)
  return held.get(String(inode))?.find((pid) => mayHaveOpen(pid, path))
}

/** Inodes are unique only within a file system, and the list's device is not always the one that `stat` returns. */
function mayHaveOpen(pid: number, path: string): boolean {
  const folder = `/proc/${pid}/fd`
  const descriptors = attempt(() => readdirSync(folder))
  // Another user's process: trust the list.
  if (!descriptors) return true
  const target = (name: string): string | undefined => attempt(() => readlinkSync(join(folder, name)))
  return descriptors.some((name) => basename(target(name) ?? '') === basename(path))
}
