import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { isUuid } from '../events/id.ts'
import { type FileStamp, stampOf } from '../native/walk.ts'
import { isDiskFull, messageOf } from '../platform/error.ts'
import type { Io } from '../platform/io.ts'
import { listNames } from '../platform/list-dir.ts'
import { archiveFolder } from './archive-paths.ts'
import { coldForm, compressLog, resolveBothForms, UNFINISHED } from './log-compression.ts'

/** A session that has not changed for so long is not expected to. */
const COLD_DAYS = 30

/** So much is compressed in one go: a second or two. */
const BUDGET = 64 * 1024 * 1024

export interface CompressionResult {
  /** Logs that were compressed. */
  readonly logs: number
  /** What they took before, and take now. */
  readonly before: number
  readonly after: number
  /** Logs that are left for the next time. */
  readonly left: number
  /** What could not be done, and why. */
  readonly problems: readonly string[]
}

/**
 * Compresses the logs of sessions that have not changed for a month, the oldest first, up to a limit of bytes: a log that
 * is larger than the limit is taken alone. Clears away what a crash left. `changed` is when a session last did, in
 * milliseconds; where it is not known the log's own time counts.
 */
export function coolLogs(
  io: Io,
  changed: (id: string) => number | undefined,
  budget: number = BUDGET,
): CompressionResult {
  const limit = io.now().getTime() - COLD_DAYS * 86_400_000
  const problems: string[] = []
  const due: { readonly stamp: FileStamp; readonly age: number }[] = []
  for (const { id, path } of warmLogs(archiveFolder(io), problems)) {
    const stamp = stampOf(path)
    const age = stamp && (changed(id) ?? stamp.mtimeMs)
    if (stamp && age !== undefined && age < limit) due.push({ stamp, age })
  }
  const done = { logs: 0, before: 0, after: 0 }
  for (const { stamp } of due.sort((a, b) => a.age - b.age)) {
    if (done.logs > 0 && done.before + stamp.size > budget) continue
    try {
      done.after += compressLog(stamp.path)
      done.before += stamp.size
      done.logs++
    } catch (error) {
      problems.push(messageOf(error))
      // The next would fare no better.
      if (isDiskFull(error)) break
    }
  }
  return { ...done, left: due.length - done.logs, problems }
}

/** Logs that can be appended to, after the crashes of earlier times were settled. */
function* warmLogs(root: string, problems: string[]): Generator<{ readonly id: string; readonly path: string }> {
  for (const project of listNames(root)) {
    // The lease of the archive's writer.
    if (project.startsWith('.')) continue
    const folder = join(root, project)
    const names = new Set(listNames(folder))
    for (const name of names) {
      const path = join(folder, name)
      if (name.endsWith(UNFINISHED)) rmSync(path, { force: true })
      const id = name.replace(/\.jsonl$/, '')
      if (id === name || !isUuid(id)) continue
      try {
        if (names.has(coldForm(name))) resolveBothForms(path)
        yield { id, path }
      } catch (error) {
        problems.push(messageOf(error))
      }
    }
  }
}
