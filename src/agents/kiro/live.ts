import { statSync } from 'node:fs'
import { basename, join } from 'node:path'
import { asObject } from '../../native/narrow.ts'
import { readRegularFile } from '../../native/regular-file.ts'
import { stampOf } from '../../native/walk.ts'
import { isMissing } from '../../platform/error.ts'
import type { Io } from '../../platform/io.ts'
import { couldHaveWritten } from '../../platform/process.ts'
import { sessionsFolder } from './paths.ts'

/** Engine v2 has `<id>.lock` with its pid while a session is open. The other engines leave no trace. */
export function live(io: Io, nativeIds: readonly string[]): Map<string, number | false> {
  const folder = join(sessionsFolder(io), 'cli')
  const found = new Map<string, number | false>()
  for (const id of nativeIds) {
    const isOfEngine =
      basename(id) === id && (stampOf(join(folder, `${id}.json`)) ?? stampOf(join(folder, `${id}.jsonl`)))
    const open = isOfEngine ? holderOf(join(folder, `${id}.lock`)) : undefined
    if (open !== undefined) found.set(id, open)
  }
  return found
}

/** Undefined for a lock without a pid. */
function holderOf(lock: string): number | false | undefined {
  try {
    const { mtimeMs } = statSync(lock)
    const pid = asObject(JSON.parse(readRegularFile(lock, 4096).toString('utf8')))?.pid
    if (typeof pid !== 'number') return undefined
    return couldHaveWritten(pid, mtimeMs) && pid
  } catch (error) {
    return isMissing(error) ? false : undefined
  }
}
