import { sessionId } from '../events/id.ts'
import type { Io } from '../platform/io.ts'
import { type Holder, taskHolder } from '../run/lease.ts'
import { type RunMode, readLedger } from '../run/ledger.ts'
import { type RunningAgent, runningAgents } from '../run/run-processes.ts'
import type { Task } from '../run/task.ts'
import { pendingRun, type RunState, type TaskState, taskState } from '../run/task-state.ts'
import { asSeenHere, knownTasks } from '../run/tasks.ts'
import { askState } from './ask.ts'
import { readHostFile } from './file.ts'

/** A task, and the process that works on it. */
export interface ActiveTask {
  readonly task: Task
  readonly state: TaskState
  /** The Ion that holds the task; undefined if none does. */
  readonly holder: Holder | undefined
  /** Running agents of a task that nobody holds: their Ion was killed. */
  readonly orphans: readonly RunningAgent[]
}

export function isRunning({ holder, orphans }: ActiveTask): boolean {
  return holder !== undefined || orphans.length > 0
}

/** An agent in the background that nobody stopped ended with an error, or before its prompt arrived. */
export function hasFailed(at: ActiveTask): boolean {
  const last = at.state.runs.at(-1)
  if (isRunning(at) || last?.mode !== 'detached' || last.program === undefined || last.exit?.stopped) return false
  return dueRun(at.state) === last || (last.exit !== undefined && last.exit.code !== 0)
}

/** The run whose prompt the next start sends: not one that the agent answered without storing it. */
function dueRun(state: TaskState): RunState | undefined {
  const run = pendingRun(state)
  return run?.unstored === undefined ? run : undefined
}

/** All tasks, running ones first, then the most recently active. */
export function activeTasks(io: Io): ActiveTask[] {
  const all = [...knownTasks(io)].map(({ task, state }) => activeTask(asSeenHere(task, io), state))
  return all.sort((a, b) => Number(isRunning(b)) - Number(isRunning(a)) || newer(a.state.lastAt, b.state.lastAt))
}

/** By default as its ledger says now. */
export function activeTask(task: Task, state: TaskState = taskState(readLedger(task.folder).entries)): ActiveTask {
  const holder = taskHolder(task.folder)
  return { task, state, holder, orphans: holder ? [] : runningAgents(state) }
}

function newer(a = '', b = ''): number {
  return a < b ? 1 : a > b ? -1 : 0
}

/** One task as `ion ps --json` prints it: a contract. */
export interface TaskRow {
  readonly agent: string
  readonly task: string
  readonly project: string
  /** The mode; null if it is not running. */
  readonly way: RunMode | null
  /**
   * `working`: it prints. `waiting`: it has printed nothing for a while, or shows a dialog. `running`: in a terminal or
   * headless, where Ion cannot tell. `starting`: no agent yet. `silent`: its host does not answer. `orphan`: the agent is
   * running, its Ion was killed. `failed`: an agent in the background ended with an error, or without its prompt. `ended`:
   * nothing is running.
   */
  readonly state: 'working' | 'waiting' | 'running' | 'starting' | 'silent' | 'orphan' | 'failed' | 'ended'
  /** The id of the dialog that waits for the user; null if none is known. */
  readonly waiting_for: string | null
  readonly asks: string | null
  /** The question on its screen; null if Ion can read none. */
  readonly question: string | null
  readonly session_id: string | null
  readonly native_id: string | null
  /** Process id of the Ion that holds the task. */
  readonly pid: number | null
  readonly agent_pid: number | null
  /** Number of attached terminals; null where none can be. */
  readonly clients: number | null
  readonly since: string | null
  /** The last exit of the agent: its code, or the signal's name. */
  readonly exit: number | string | null
  /** The last prompt is not known to have arrived in the session; if nothing is running, the next start sends it. */
  readonly prompt_due: boolean
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
    question: null,
    session_id: native === null ? null : sessionId(task.agent, native),
    native_id: native,
    pid: holder?.pid ?? null,
    agent_pid: orphans[0]?.process.pid ?? (holder && !last?.exit ? (last?.process?.pid ?? null) : null),
    clients: null,
    since: holder?.since ?? orphans[0]?.run.plannedAt ?? last?.plannedAt ?? null,
    exit: last?.exit ? (last.exit.code ?? last.exit.signal) : null,
    prompt_due: dueRun(state) !== undefined,
  }
  if (!holder) return { ...base, state: orphans.length > 0 ? 'orphan' : hasFailed(at) ? 'failed' : 'ended' }
  if (holder.way !== 'detached') return { ...base, state: 'running', exit: null }
  const host = readHostFile(task.folder)
  if (!host || host.pid !== holder.pid) return { ...base, state: 'starting', exit: null }
  const answer = await askState(host, ANSWER_MS)
  if (!answer) return { ...base, state: 'silent', exit: null }
  const { dialog, agent_pid, clients } = answer
  const asked = {
    waiting_for: dialog?.id ?? null,
    asks: dialog?.asks ?? null,
    question: answer.question?.text || null,
  }
  return { ...base, state: answer.state, ...asked, agent_pid, clients, exit: null }
}
