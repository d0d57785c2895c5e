import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { sessionId } from '../events/id.ts'
import { replaceFile } from '../platform/atomic-file.ts'
import { attempt } from '../platform/error.ts'
import type { Io } from '../platform/io.ts'
import { type FolderMove, projectOf } from '../platform/project.ts'
import { folderIdentity, isSameFolder, type ProjectIdentity } from '../platform/project-identity.ts'
import { taskFolders } from '../platform/task-folders.ts'
import { ledgerStamp } from './ledger.ts'
import { readTaskState } from './session-record.ts'
import type { Task } from './task.ts'
import type { TaskState } from './task-state.ts'

export interface KnownTask {
  readonly task: Task
  readonly state: TaskState
}

const FILE = 'task.json'

/** What the folder of a task records about it: the folder's name is never parsed. */
export interface TaskFile {
  readonly agent: string
  readonly project: string
  readonly name: string
  /** By what the project is recognised when it was moved; an older Ion did not record it. */
  readonly identity?: ProjectIdentity
  /** Where the project was before, oldest first. */
  readonly moved_from?: readonly string[]
}

/** Undefined if it is missing or cannot be read. */
export function readTaskFile(folder: string): TaskFile | undefined {
  const file = attempt(() => JSON.parse(readFileSync(join(folder, FILE), 'utf8')) as Partial<TaskFile>)
  return [file?.agent, file?.project, file?.name].every((field) => typeof field === 'string')
    ? (file as TaskFile)
    : undefined
}

/** Records which task the folder belongs to, and what is new about its project. Returns what is recorded now. */
export function writeTaskFile({ agent, project, name, folder }: Task, identity?: ProjectIdentity): TaskFile {
  const before = readTaskFile(folder)
  const isMoved = before !== undefined && before.project !== project
  const earlier = (before?.moved_from ?? []).filter((path) => path !== project)
  const file: TaskFile = {
    // A newer Ion may record more.
    ...before,
    agent,
    project,
    name,
    ...(identity ? { identity } : {}),
    ...(isMoved ? { moved_from: [...earlier, before.project] } : {}),
  }
  if (JSON.stringify(file) !== JSON.stringify(before)) replaceFile(join(folder, FILE), `${JSON.stringify(file)}\n`)
  return file
}

/** Ledgers are append-only, so a task is read again only if its ledger has grown: followers ask several times a second. */
const cache = new Map<string, { readonly stamp: string; readonly known: KnownTask }>()

/** All tasks. Those whose files cannot be read are skipped. */
export function* knownTasks(io: Io): Generator<KnownTask> {
  for (const folder of taskFolders(io)) {
    try {
      yield readTask(folder)
    } catch {
      // Not a task, or incomplete.
    }
  }
}

function readTask(folder: string): KnownTask {
  const stamp = ledgerStamp(folder)
  const cached = cache.get(folder)
  if (cached?.stamp === stamp) return cached.known
  const task = cached?.known.task ?? recordedTask(folder)
  const known = { task, state: readTaskState(folder) }
  cache.set(folder, { stamp, known })
  return known
}

function recordedTask(folder: string): Task {
  const file = readTaskFile(folder)
  if (!file) throw new Error(`${folder} has no ${FILE}`)
  const { agent, project, name } = file
  return { agent, project, name, folder }
}

/** The moves of a task's project: sessions may be recorded with one of its old paths. */
export function movesOf({ folder, project }: Task): FolderMove[] {
  return (readTaskFile(folder)?.moved_from ?? []).map((from) => ({ from, to: project }))
}

/** The same task with the project where it is now, if that is the current folder: it was moved, and not used since. */
export function asSeenHere(task: Task, io: Io): Task {
  const here = projectOf(io.cwd)
  if (task.project === here || existsSync(task.project)) return task
  const recorded = readTaskFile(task.folder)?.identity?.folder
  return isSameFolder(recorded, folderIdentity(here)) ? { ...task, project: here } : task
}

/** The paths at which tasks know the current project, if it was moved and they were not used since. */
export function formerProjects(io: Io): string[] {
  const moved = [...knownTasks(io)].filter(({ task }) => asSeenHere(task, io) !== task)
  return [...new Set(moved.map(({ task }) => task.project))]
}

/** Native ids of the agent's sessions that belong to other tasks. */
export function pinnedElsewhere(agent: string, folder: string, io: Io): Set<string> {
  const pinned = new Set<string>()
  for (const { task, state } of knownTasks(io)) {
    if (task.folder !== folder && task.agent === agent && state.session) pinned.add(state.session.native_id)
  }
  return pinned
}

/** The task that this session belongs to. */
export function taskOfSession(agent: string, nativeId: string, io: Io): Task | undefined {
  for (const { task, state } of knownTasks(io)) {
    if (task.agent === agent && state.session?.native_id === nativeId) return task
  }
  return undefined
}

export function hasSession({ folder }: Task, io: Io): boolean {
  return [...knownTasks(io)].some(({ task, state }) => task.folder === folder && state.session !== undefined)
}

/** The task that has or is about to have each session, by agent and native id (`agent/id`). */
export function tasksBySession(io: Io): ReadonlyMap<string, Task> {
  const tasks = new Map<string, Task>()
  for (const { task, state } of knownTasks(io)) {
    for (const id of [state.session?.native_id, ...state.attempts.map((run) => run.session)]) {
      if (id !== undefined) tasks.set(`${task.agent}/${id}`, task)
    }
  }
  return tasks
}

/** The session id of each run, by agent and run (`agent/run`). */
export function sessionsByRun(io: Io): ReadonlyMap<string, string> {
  const sessions = new Map<string, string>()
  for (const { task, state } of knownTasks(io)) {
    for (const { run, session } of state.runs) sessions.set(`${task.agent}/${run}`, sessionId(task.agent, session))
  }
  return sessions
}
