import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { sessionId } from '../events/id.ts'
import { replaceFile } from '../platform/atomic-file.ts'
import type { Io } from '../platform/io.ts'
import { taskFolders } from '../platform/task-folders.ts'
import { ledgerStamp, readLedger } from './ledger.ts'
import type { Task } from './task.ts'
import { type TaskState, taskState } from './task-state.ts'

export interface KnownTask {
  readonly task: Task
  readonly state: TaskState
}

const FILE = 'task.json'

/** Records which task the folder belongs to: the folder's name is never parsed. */
export function writeTaskFile({ agent, project, name, folder }: Task): void {
  const file = join(folder, FILE)
  if (!existsSync(file)) replaceFile(file, `${JSON.stringify({ agent, project, name })}\n`)
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
  const task =
    cached?.known.task ?? ({ ...JSON.parse(readFileSync(join(folder, FILE), 'utf8')), folder } as unknown as Task)
  const known = { task, state: taskState(readLedger(folder).entries) }
  cache.set(folder, { stamp, known })
  return known
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
