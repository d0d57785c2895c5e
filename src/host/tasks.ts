import { sessionId } from '../events/id.ts'
import type { Io } from '../platform/io.ts'
import { type Holder, taskHolder } from '../run/lease.ts'
import type { RunMode } from '../run/ledger.ts'
import { type RunningAgent, runningAgents } from '../run/run-processes.ts'
import type { Task } from '../run/task.ts'
import type { TaskState } from '../run/task-state.ts'
import { knownTasks } from '../run/tasks.ts'
import { askState } from './ask.ts'
import { readHostFile } from './file.ts'

/** A task, and who works on it now. */
export interface ActiveTask {
  readonly task: Task
  readonly state: TaskState
  /** The Ion that has the task; undefined when none does. */
  readonly holder: Holder | undefined
  /** Agents of this task that live although nobody holds it: their Ion was killed. */
  readonly orphans: readonly RunningAgent[]
}

export function isRunning({ holder, orphans }: ActiveTask): boolean {
  return holder !== undefined || orphans.length > 0
}

/** All tasks, the running ones first, then by their last sign of life. */
export function activeTasks(io: Io): ActiveTask[] {
  const all = [...knownTasks(io)].map(({ task, state }) => activeTask(task, state))
  return all.sort((a, b) => Number(isRunning(b)) - Number(isRunning(a)) || newer(a.state.lastAt, b.state.lastAt))
}

export function activeTask(task: Task, state: TaskState): ActiveTask {
  const holder = taskHolder(task.folder)
  return { task, state, holder, orphans: holder ? [] : runningAgents(state) }
}

function newer(a = '', b = ''): number {
  return a < b ? 1 : a > b ? -1 : 0
}

/** One task as `ion ps --json` gives it: the contract. */
export interface TaskRow {
  readonly agent: string
  readonly task: string
  readonly project: string
  /** Null when it is not running. */
  readonly way: RunMode | null
  /**
   * `working`: it prints. `waiting`: it has printed nothing for a while, or shows a dialog. `running`: in a terminal or
   * without one, where Ion does not look. `starting`: no agent yet. `silent`: its host does not answer. `orphan`: the
   * agent lives, its Ion was killed. `ended`: nothing runs.
   */
  readonly state: 'working' | 'waiting' | 'running' | 'starting' | 'silent' | 'orphan' | 'ended'
  /** The dialog that waits for the user, by its id; null when none is known. */
  readonly waiting_for: string | null
  readonly asks: string | null
  readonly session_id: string | null
  readonly native_id: string | null
  /** Of the Ion that holds the task. */
  readonly pid: number | null
  readonly agent_pid: number | null
  /** How many terminals are attached; null where none can be. */
  readonly clients: number | null
  readonly since: string | null
  /** The last exit of the agent: its code, or the signal's name. */
  readonly exit: number | string | null
}

const ANSWER_MS = 1500

export async function taskRow(at: ActiveTask): Promise<TaskRow> {
  const { task, state, holder, orphans } = at
  const last = state.runs.at(-1)
  const native = state.session?.native_id ?? null
  const base = {
    agent: task.agent,
    task: task.name,
    project: task.project,
    way: holder?.way ?? orphans[0]?.run.mode ?? null,
    state: 'ended' as TaskRow['state'],
    waiting_for: null,
    asks: null,
    session_id: native === null ? null : sessionId(task.agent, native),
    native_id: native,
    pid: holder?.pid ?? null,
    agent_pid: orphans[0]?.process.pid ?? (holder && !last?.exit ? (last?.process?.pid ?? null) : null),
    clients: null,
    since: holder?.since ?? orphans[0]?.run.plannedAt ?? last?.plannedAt ?? null,
    exit: last?.exit ? (last.exit.code ?? last.exit.signal) : null,
  }
  if (!holder) return { ...base, state: orphans.length > 0 ? 'orphan' : 'ended' }
  if (holder.way !== 'detached') return { ...base, state: 'running', exit: null }
  const host = readHostFile(task.folder)
  if (!host || host.pid !== holder.pid) return { ...base, state: 'starting', exit: null }
  const answer = await askState(host, ANSWER_MS)
  if (!answer) return { ...base, state: 'silent', exit: null }
  const { dialog, agent_pid, clients } = answer
  const waiting_for = dialog?.id ?? null
  return { ...base, state: answer.state, waiting_for, asks: dialog?.asks ?? null, agent_pid, clients, exit: null }
}
