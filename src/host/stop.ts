import type { Io } from '../platform/io.ts'
import { isHolder } from '../platform/lease.ts'
import { isAlive, type ProcessIdentity, signalProcess, waitForExit } from '../platform/process.ts'
import { takeTask, taskHolder } from '../run/lease.ts'
import { appendEntry, readLedger } from '../run/ledger.ts'
import { runningAgents } from '../run/run-processes.ts'
import type { Task } from '../run/task.ts'
import { type TaskState, taskState } from '../run/task-state.ts'
import { askStop } from './ask.ts'
import { readHostFile, removeHostFile } from './file.ts'
import type { ActiveTask } from './tasks.ts'

export type Stopped = 'ended' | 'killed' | 'not running'

/** How long an agent may take to end by itself. */
export const DEFAULT_GRACE_MS = 10_000
/** After a kill, the system needs a moment to take a process away. */
const AFTERMATH_MS = 3000

/** Ends a task: asks, waits for the grace, kills. Always bounded. Throws nothing: what is still there is told by `isAlive`. */
export async function stopTask(at: ActiveTask, graceMs: number, io: Io): Promise<Stopped> {
  const { task, holder, orphans } = at
  if (!holder) {
    removeHostFile(task.folder)
    return orphans.length > 0 ? stopOrphans(at, graceMs, io) : 'not running'
  }
  const host = holder.way === 'detached' ? readHostFile(task.folder) : undefined
  const end = performance.now() + graceMs + AFTERMATH_MS
  const answer = host?.pid === holder.pid ? await askStop(host, graceMs, graceMs + AFTERMATH_MS) : undefined
  // It did not answer, or is no host: an Ion that gets this signal ends its agent first.
  if (answer === undefined) signalProcess(holder, 'SIGTERM')
  if (await waitForExit([holder], Math.max(AFTERMATH_MS, end - performance.now()))) {
    return (await finish(task, end - AFTERMATH_MS - performance.now())) ? 'ended' : 'killed'
  }
  for (const { process } of runningAgents(stateOf(task))) signalGroup(process, 'SIGKILL')
  if (!(await waitForExit([holder], AFTERMATH_MS))) signalProcess(holder, 'SIGKILL')
  await waitForExit([holder], AFTERMATH_MS)
  await finish(task, 0)
  return 'killed'
}

/** When its Ion has gone. True when the agent had gone with it, or did within the time that is left of the grace. */
async function finish(task: Task, withinMs: number): Promise<boolean> {
  const left = runningAgents(stateOf(task)).map(({ process }) => process)
  // Somebody has started the task anew meanwhile, and what lives may be theirs.
  if (taskHolder(task.folder)) return true
  const isEnded = await waitForExit(left, withinMs)
  if (!isEnded) for (const mark of left) signalGroup(mark, 'SIGKILL')
  await waitForExit(left, AFTERMATH_MS)
  removeHostFile(task.folder)
  return isEnded
}

function stateOf({ folder }: Task): TaskState {
  return taskState(readLedger(folder).entries)
}

/** Agents whose Ion was killed: nobody else writes down how they end. */
async function stopOrphans({ task, orphans }: ActiveTask, graceMs: number, io: Io): Promise<Stopped> {
  const marks = orphans.map(({ process }) => process)
  for (const mark of marks) signalGroup(mark, 'SIGTERM')
  const isEnded = await waitForExit(marks, graceMs)
  if (!isEnded) for (const mark of marks) signalGroup(mark, 'SIGKILL')
  await waitForExit(marks, AFTERMATH_MS)
  const lease = takeTask(task.folder, 'detached', io.now())
  if (isHolder(lease)) return isEnded ? 'ended' : 'killed'
  try {
    for (const { run, process } of orphans) {
      if (isAlive(process) || run.exit) continue
      const how = isEnded ? 'SIGTERM' : 'SIGKILL'
      appendEntry(task.folder, { type: 'exited', run: run.run, code: null, signal: how }, io)
    }
  } finally {
    lease.release()
  }
  return isEnded ? 'ended' : 'killed'
}

/** An agent in the background leads a group of its own; one in a terminal does not. */
function signalGroup(mark: ProcessIdentity, name: NodeJS.Signals): void {
  if (!isAlive(mark)) return
  try {
    if (process.platform !== 'win32') process.kill(-mark.pid, name)
  } catch {
    signalProcess(mark, name)
  }
}
