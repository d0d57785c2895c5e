import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { sessionId } from '../events/id.ts'
import { replaceFile } from '../platform/atomic-file.ts'
import type { Io } from '../platform/io.ts'
import { readLedger } from './ledger.ts'
import { type Task, tasksFolder } from './task.ts'
import { type TaskState, taskState } from './task-state.ts'

export interface KnownTask {
  readonly task: Task
  readonly state: TaskState
}

const FILE = 'task.json'

/** Writes down what the folder is the folder of: its name is not decoded. */
export function writeTaskFile({ agent, project, name, folder }: Task): void {
  const file = join(folder, FILE)
  if (!existsSync(file)) replaceFile(file, `${JSON.stringify({ agent, project, name })}\n`)
}

/** All tasks. One whose files cannot be read is passed by. */
export function* knownTasks(io: Io): Generator<KnownTask> {
  const root = tasksFolder(io)
  for (const project of names(root)) {
    for (const name of names(join(root, project))) {
      const folder = join(root, project, name)
      try {
        const task = { ...(JSON.parse(readFileSync(join(folder, FILE), 'utf8')) as Omit<Task, 'folder'>), folder }
        yield { task, state: taskState(readLedger(folder).entries) }
      } catch {
        // Not a task, or not whole yet.
      }
    }
  }
}

/** The sessions of that agent that other tasks have pinned. */
export function pinnedElsewhere(agent: string, folder: string, io: Io): Set<string> {
  const pinned = new Set<string>()
  for (const { task, state } of knownTasks(io)) {
    if (task.folder !== folder && task.agent === agent && state.session) pinned.add(state.session.native_id)
  }
  return pinned
}

/** The task that has this session pinned. */
export function taskOfSession(agent: string, nativeId: string, io: Io): Task | undefined {
  for (const { task, state } of knownTasks(io)) {
    if (task.agent === agent && state.session?.native_id === nativeId) return task
  }
  return undefined
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

function names(folder: string): string[] {
  try {
    return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => (entry.isDirectory() ? [entry.name] : []))
  } catch {
    return []
  }
}
