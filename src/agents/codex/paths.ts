import { join } from 'node:path'
import { toIso } from '../../native/time.ts'
import type { Io } from '../../platform/io.ts'
import type { DataPath } from '../agent.ts'

/** `CODEX_HOME` moves everything; no XDG variable does. */
export function codexRoot(io: Io): string {
  return io.env.CODEX_HOME || join(io.home, '.codex')
}

/** Sessions in a folder for each day; anything below is found, as by Codex. */
export function sessionsFolder(io: Io): string {
  return join(codexRoot(io), 'sessions')
}

/** The folder of a day, which Codex names by local date; undefined for a time that is not one. */
export function dayFolder(time: number, io: Io): string | undefined {
  const date = toIso(time)
  return date && join(sessionsFolder(io), date.slice(0, 4), date.slice(5, 7), date.slice(8, 10))
}

export const DAY_MS = 86_400_000

/** Sessions that the user archived with `codex archive`; no folders below. */
export function archiveFolder(io: Io): string {
  return join(codexRoot(io), 'archived_sessions')
}

/** Names given with /rename. */
export function namesFile(io: Io): string {
  return join(codexRoot(io), 'session_index.jsonl')
}

/** `CODEX_SQLITE_HOME` moves only the databases. */
export function databaseFolder(io: Io): string {
  return io.env.CODEX_SQLITE_HOME || codexRoot(io)
}

export function paths(io: Io): DataPath[] {
  const databases = io.env.CODEX_SQLITE_HOME
  return [
    { path: codexRoot(io), what: 'sessions, archive, settings', env: ['CODEX_HOME'] },
    ...(databases
      ? [{ path: databases, what: 'databases, which Codex rebuilds from the sessions', env: ['CODEX_SQLITE_HOME'] }]
      : []),
    { path: join(io.home, '.codex-module'), what: 'state of the Coder module', env: [] },
  ]
}
