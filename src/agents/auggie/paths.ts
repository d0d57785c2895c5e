import { join } from 'node:path'
import type { Io } from '../../platform/io.ts'
import type { DataPath } from '../agent.ts'

/** No variable moves it; the flag `--augment-cache-dir` does, and Ion cannot know with which flags it was started. */
export function paths(io: Io): DataPath[] {
  return [{ path: join(io.home, '.augment'), what: 'sessions, tasks, settings', env: [] }]
}

export function sessionsFolder(io: Io): string {
  return join(io.home, '.augment', 'sessions')
}
