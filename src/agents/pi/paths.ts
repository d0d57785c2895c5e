import { join } from 'node:path'
import type { Io } from '../../platform/io.ts'
import type { DataPath } from '../agent.ts'

/**
 * `PI_CODING_AGENT_DIR` is the folder of settings, with the sessions in it; `PI_CODING_AGENT_SESSION_DIR` has the files of
 * all projects side by side. The setting `sessionDir` and the option `--session-dir` are not followed.
 */
export function paths(io: Io): DataPath[] {
  const what = 'sessions, by project'
  const env = ['PI_CODING_AGENT_DIR', 'PI_CODING_AGENT_SESSION_DIR']
  return [
    { path: sessionsFolder(io), what, env },
    { path: agentFolder(io), what: 'settings, credentials', env: ['PI_CODING_AGENT_DIR'] },
  ]
}

export function sessionsFolder(io: Io): string {
  return io.env.PI_CODING_AGENT_SESSION_DIR || join(agentFolder(io), 'sessions')
}

/** Whether the files of all projects are in one folder. */
export function isFlat(io: Io): boolean {
  return Boolean(io.env.PI_CODING_AGENT_SESSION_DIR)
}

/** The name that Pi gives to the folder of a project. */
export function projectFolder(cwd: string): string {
  return `--${cwd.replace(/^[/\\]/, '').replace(/[/\\:]/g, '-')}--`
}

export function agentFolder(io: Io): string {
  return io.env.PI_CODING_AGENT_DIR || join(io.home, '.pi', 'agent')
}
