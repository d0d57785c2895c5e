import { existsSync } from 'node:fs'
import { basename, dirname, isAbsolute, join } from 'node:path'
import { asCount, asString } from '../../native/narrow.ts'
import { readSettings } from '../../native/settings.ts'
import type { Io } from '../../platform/io.ts'
import { projectOf } from '../../platform/project.ts'
import type { DataPath } from '../agent.ts'

/** The agent's id, as it is in the names of Ion's task folders. */
export const AGENT = 'aider'

export const HISTORY_FILE = '.aider.chat.history.md'

/** Files of single tasks: `.aider.ion/sessions/<name>/chat.md`; aider keeps `.aider*` out of git. */
export const ION_FOLDER = '.aider.ion'
export const TASK_FOLDER: string = join(ION_FOLDER, 'sessions')
export const TASK_FILE = 'chat.md'

/** Folders under home in which people keep projects. */
export const projectRoots: ReadonlySet<string> = new Set(['projects', 'src', 'code', 'work', 'dev', 'repos', 'git'])

/** The file that the user's environment names, if any. */
export function namedFile(io: Io): string | undefined {
  const named = io.env.AIDER_CHAT_HISTORY_FILE
  return named ? (isAbsolute(named) ? named : join(io.cwd, named)) : undefined
}

export function paths(io: Io): DataPath[] {
  const path = namedFile(io) ?? join(projectOf(io.cwd), HISTORY_FILE)
  return [{ path, what: 'chat history of this project', env: ['AIDER_CHAT_HISTORY_FILE'] }]
}

/** Where aider ran: the file is in the project; for a file with another name only a repository around it says so. */
export function cwdOf(path: string): string | null {
  const folder = dirname(path)
  if (basename(path) === HISTORY_FILE) return folder
  if (ownSession(path)) return asString(readSettings(join(folder, NOTE_FILE)).cwd) ?? null
  if (isTaskFile(path)) return dirname(dirname(dirname(folder)))
  const project = projectOf(folder)
  return existsSync(join(project, '.git')) ? project : null
}

/** How much of a history was written by Ion: the note beside it says so. */
export function writtenBytes(path: string): number {
  return ownSession(path) ? (asCount(readSettings(join(dirname(path), NOTE_FILE)).written) ?? 0) : 0
}

export function isTaskFile(path: string): boolean {
  return basename(path) === TASK_FILE && dirname(dirname(path)).endsWith(TASK_FOLDER)
}

/** Beside such a history, since aider does not record where it ran. */
export const NOTE_FILE = 'session.json'

/** A history in the folder of one of Ion's tasks: see platform/task-folders.ts. */
const OWN_FILE = /[/\\]tasks[/\\][0-9a-f]{16}[/\\]aider-[^/\\]+[/\\]agent[/\\]([0-9a-f-]{36})[/\\]chat\.md$/

/** The session whose history Ion put into that file; undefined for other histories. */
export function ownSession(path: string): string | undefined {
  return OWN_FILE.exec(path)?.[1]
}
