import { readdirSync, statSync } from 'node:fs'
import { basename, join } from 'node:path'
import type { Io } from '../../platform/io.ts'
import { couldHaveWritten } from '../../platform/process.ts'
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
    for (const name of readdirSync(folder)) {
      const pid = /^inuse\.(\d{1,10})\.lock$/.exec(name)?.[1]
      if (pid !== undefined && couldHaveWritten(Number(pid), statSync(join(folder, name)).mtimeMs)) return Number(pid)
    }
    return false
  } catch {
    return undefined
  }
}
