import { readdirSync, statSync } from 'node:fs'
import { basename, join } from 'node:path'
import { attempt } from '../../platform/error.ts'
import type { Io } from '../../platform/io.ts'
import { couldHaveWritten, isZombie } from '../../platform/process.ts'
import type { SafetyCopy, StartRequest } from '../start.ts'
import { sessionFolders } from './paths.ts'

/** `inuse.<pid>.lock` in the session's folder; left after kill -9. The old single files have none. */
export function live(io: Io, nativeIds: readonly string[]): Map<string, number | false> {
  const found = new Map<string, number | false>()
  for (const id of nativeIds) {
    if (basename(id) !== id) continue
    const folder = sessionFolders(io).map((root) => join(root, id))
    const open = folder.map(holderOf).find((each) => each !== undefined)
    if (open !== undefined) found.set(id, open)
  }
  return found
}

/** Undefined where the folder does not exist. */
function holderOf(folder: string): number | false | undefined {
  try {
    return locksIn(folder).find(({ pid, path }) => couldHaveWritten(pid, statSync(path).mtimeMs))?.pid ?? false
  } catch {
    return undefined
  }
}

/**
 * Locks of processes that were killed and still have a pid. Copilot believes that those live, and asks whether to resume a
 * session that is in use; other locks that are left it removes.
 */
export function* locksToRemove(
  kind: 'cold' | 'warm',
  { session, io }: Pick<StartRequest, 'session' | 'io'>,
): Generator<SafetyCopy> {
  if (kind === 'cold') return
  for (const root of sessionFolders(io)) {
    const locks = attempt(() => locksIn(join(root, session))) ?? []
    for (const { pid, path } of locks) if (isZombie(pid)) yield { name: basename(path), path, move: true }
  }
}

function locksIn(folder: string): { readonly pid: number; readonly path: string }[] {
  return readdirSync(folder).flatMap((name) => {
    const pid = /^inuse\.(\d{1,10})\.lock$/.exec(name)?.[1]
    return pid === undefined ? [] : [{ pid: Number(pid), path: join(folder, name) }]
  })
}
