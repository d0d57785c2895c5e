import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { asObject, asString } from '../../native/narrow.ts'
import { readRegularFile } from '../../native/regular-file.ts'
import type { Io } from '../../platform/io.ts'
import { type LivingProcess, livingProcess } from '../../platform/process.ts'
import { claudeRoot } from './paths.ts'

/** How many live processes are inspected at most. Dead ones cost only a system call. */
const MAX_PROCESSES = 256

/** `sessions/<pid>.json`, one per process: removed at exit, but left after kill -9. */
export function live(io: Io, nativeIds: readonly string[]): Map<string, number | false> {
  const folder = join(claudeRoot(io), 'sessions')
  let names: string[]
  try {
    names = readdirSync(folder)
  } catch {
    // A version without them: nothing is known.
    return new Map()
  }
  const open = new Map<string, number>()
  let read = 0
  for (const name of names) {
    const pid = Number(/^(\d{1,10})\.json$/.exec(name)?.[1])
    const living = pid ? livingProcess(pid) : undefined
    if (!living || read++ >= MAX_PROCESSES) continue
    const session = sessionOf(join(folder, name), living)
    if (session) open.set(session, pid)
  }
  return new Map(nativeIds.map((id) => [id, open.get(id) ?? false]))
}

/** `procStart` is the start time in /proc, which distinguishes a process from a later one with the same pid; on other systems it is a date. */
function sessionOf(path: string, living: LivingProcess): string | undefined {
  try {
    const mark = asObject(JSON.parse(readRegularFile(path, 64 * 1024).toString('utf8')))
    const start = asString(mark?.procStart)
    const isOther = start !== undefined && /^\d+$/.test(start) && living.startTicks !== undefined
    return isOther && start !== living.startTicks ? undefined : asString(mark?.sessionId)
  } catch {
    // Being written right now, or not readable for us.
    return undefined
  }
}
