import { join } from 'node:path'
import type { Io } from '../../platform/io.ts'
import type { DataPath } from '../agent.ts'

/** `GEMINI_CLI_HOME` replaces the home folder; inside macOS' sandbox-exec the folder is below `.cache`. */
export function geminiRoot(io: Io): string {
  if (io.env.GEMINI_CLI_HOME) return join(io.env.GEMINI_CLI_HOME, '.gemini')
  if (io.env.SANDBOX === 'sandbox-exec') return join(io.home, '.cache', '.gemini')
  return join(io.home, '.gemini')
}

/** One folder for each project: named by a slug, or by the SHA-256 of the path before 0.33. */
export function tmpFolder(io: Io): string {
  return join(geminiRoot(io), 'tmp')
}

export function paths(io: Io): DataPath[] {
  return [{ path: geminiRoot(io), what: 'sessions, saved tags, settings', env: ['GEMINI_CLI_HOME', 'SANDBOX'] }]
}
