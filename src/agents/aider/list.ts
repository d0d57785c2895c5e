import { type Dirent, lstatSync, realpathSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { sessionId } from '../../events/id.ts'
import { isProblem, type Problem } from '../../events/item.ts'
import type { SessionHead } from '../../events/session.ts'
import { isLink } from '../../native/link-boundary.ts'
import { cannotRead } from '../../native/problem.ts'
import type { ReadContext } from '../../native/read-context.ts'
import { toIso } from '../../native/time.ts'
import { type FileStamp, FOLDER_FOR_FILE, listFolder, noteFile, stampOf } from '../../native/walk.ts'
import { attempt } from '../../platform/error.ts'
import { tasksFolder } from '../../platform/home.ts'
import { projectOf } from '../../platform/project.ts'
import { agentFolder, isTaskFolderOf } from '../../platform/task-folders.ts'
import type { Source } from '../agent.ts'
import { type Conversation, conversationsOf } from './conversations.ts'
import {
  AGENT,
  cwdOf,
  HISTORY_FILE,
  ION_FOLDER,
  isTaskFile,
  namedFile,
  ownSession,
  projectRoots,
  TASK_FILE,
  TASK_FOLDER,
} from './paths.ts'
import { localTime } from './records.ts'

/** The search stops after this many folders below the project roots of a home. */
const MAX_FOLDERS = 2000

/** Aider has no central store: Ion's tasks, the file named by the variable, the current project, the home, and the usual project folders. */
export function* sources(reading: ReadContext): Generator<Source | Problem> {
  const seen = new Set<string>()
  for (const found of candidates(reading)) {
    if (typeof found !== 'string') {
      yield found
      continue
    }
    // A repository may contain a link to anything; only the user may name such a file.
    if (isLink(found) && found !== namedFile(reading.io)) {
      yield {
        code: 'not_regular_file',
        problem: 'a link in place of a chat history, which is not followed',
        path: found,
      }
      continue
    }
    const stamp = stampOf(found, reading)
    if (!stamp || seen.has(`${stamp.dev}:${stamp.ino}`)) continue
    seen.add(`${stamp.dev}:${stamp.ino}`)
    const path = realPath(found)
    yield { path, files: [{ ...stamp, path }] }
  }
}

/** The id is made from the path, so it must not depend on how Ion got there. */
function realPath(path: string): string {
  try {
    return realpathSync(path)
  } catch {
    return path
  }
}

function* candidates(reading: ReadContext): Generator<string | Problem> {
  const { io } = reading
  yield* ownHistories(reading)
  const named = namedFile(io)
  if (named) yield named
  for (const folder of new Set([io.cwd, currentProject(reading), io.home])) yield* filesOf(folder, reading)
  yield* nearHome(
    [...projectRoots].sort().flatMap((name) => ownFolder(join(io.home, name), reading)),
    reading,
  )
}

/** A folder above becomes the project when it becomes a repository; one directly below the root does not. */
function currentProject(reading: ReadContext): string {
  const project = projectOf(reading.io.cwd)
  for (let folder = reading.io.cwd; dirname(folder) !== dirname(dirname(folder)); folder = dirname(folder)) {
    noteFile(join(folder, '.git'), reading)
    if (folder === project) break
  }
  return project
}

/** The path if it is a folder and not a link to one. */
function ownFolder(path: string, reading: ReadContext): string[] {
  if (attempt(() => lstatSync(path, { throwIfNoEntry: false }))?.isDirectory()) return [path]
  noteFile(path, reading)
  return []
}

/** The histories in a folder, without listing it: in a home or a project, something else changes all the time. */
function* filesOf(folder: string, reading: ReadContext): Generator<string | Problem> {
  const path = join(folder, HISTORY_FILE)
  try {
    const stat = lstatSync(path, { throwIfNoEntry: false })
    if (!stat?.isFile()) noteFile(path, reading)
    if (stat) yield stat.isDirectory() ? { ...FOLDER_FOR_FILE, path } : path
    if (ownFolder(join(folder, ION_FOLDER), reading).length > 0) yield* taskFiles(folder, reading)
  } catch (error) {
    yield cannotRead(folder, error, 'cannot read the folder')
  }
}

/** The histories of Ion's tasks: `<project>/aider-<task>/agent/<uuid>/chat.md`. */
function* ownHistories(reading: ReadContext): Generator<string | Problem> {
  const tasks = tasksFolder(reading.io)
  for (const project of foldersAmong([...listFolder(tasks, reading)])) {
    for (const task of foldersAmong([...listFolder(join(tasks, project), reading)])) {
      if (!isTaskFolderOf(AGENT, task)) continue
      const own = agentFolder(join(tasks, project, task))
      for (const session of foldersAmong([...listFolder(own, reading)])) yield join(own, session, TASK_FILE)
    }
  }
}

/** The roots, their folders, and the folders of those: the nearer first, since the number of folders is limited. */
function* nearHome(roots: readonly string[], reading: ReadContext): Generator<string | Problem> {
  let left = MAX_FOLDERS
  let level = roots
  for (let depth = 0; depth <= 2; depth++) {
    const next: string[] = []
    for (const folder of level) {
      if (left-- === 0) {
        yield {
          code: 'search_limit',
          problem: `looked for chat histories in ${MAX_FOLDERS} folders and stopped here`,
          path: folder,
        }
        return
      }
      const entries = [...listFolder(folder, reading)]
      yield* filesAmong(folder, entries, reading)
      for (const name of foldersAmong(entries)) next.push(join(folder, name))
    }
    level = next
  }
}

function* filesAmong(
  folder: string,
  entries: readonly (Dirent | Problem)[],
  reading: ReadContext,
): Generator<string | Problem> {
  for (const entry of entries) {
    if (isProblem(entry)) yield entry
    else if (entry.name === HISTORY_FILE) {
      const path = join(folder, entry.name)
      yield entry.isDirectory() ? { ...FOLDER_FOR_FILE, path } : path
    } else if (entry.name === ION_FOLDER && entry.isDirectory()) yield* taskFiles(folder, reading)
  }
}

function* taskFiles(folder: string, reading: ReadContext): Generator<string | Problem> {
  const tasks = join(folder, TASK_FOLDER)
  for (const task of listFolder(tasks, reading)) {
    if (isProblem(task)) yield task
    else if (task.isDirectory()) yield join(tasks, task.name, TASK_FILE)
  }
}

/** Never through links, nor into hidden folders or node_modules. */
function foldersAmong(entries: readonly (Dirent | Problem)[]): string[] {
  return entries.flatMap((entry) =>
    !isProblem(entry) && entry.isDirectory() && !entry.name.startsWith('.') && entry.name !== 'node_modules'
      ? [entry.name]
      : [],
  )
}

/** Each conversation of the file that has a prompt. Headings can be anywhere, so the file is read; answers are not kept. */
export function* heads(source: Source, reading: ReadContext): Generator<SessionHead | Problem> {
  const stamp = source.files[0]
  if (!stamp) return
  const { conversations, problems } = conversationsOf(source.path, reading)
  // A bad line is reported when its conversation is read.
  yield* problems.filter(({ line }) => line === undefined)
  const sessions = conversations.filter(({ prompts }) => prompts > 0)
  for (const conversation of sessions) yield conversationHead(conversation, conversation === sessions.at(-1), stamp)
}

function conversationHead(conversation: Conversation, isLast: boolean, stamp: FileStamp): SessionHead {
  const { path, ino, mtimeMs } = stamp
  const created_at = localTime(conversation.started)
  return {
    id: sessionId('aider', conversation.native),
    agent: 'aider',
    native_id: conversation.native,
    path,
    title: conversation.title,
    cwd: cwdOf(path),
    created_at,
    // Aider writes no other time: for all but the last conversation the start is all there is.
    updated_at: isLast ? (toIso(mtimeMs) ?? null) : created_at,
    model: conversation.model,
    bytes: conversation.end - conversation.offset,
    revision: `${ino}:${conversation.offset}:${conversation.end}`,
    agent_version: conversation.version,
    format: isTaskFile(path) || ownSession(path) ? 'task-markdown' : 'markdown',
    // A restore reads the whole file, so it continues after the last conversation.
    resumable: isLast,
  }
}
