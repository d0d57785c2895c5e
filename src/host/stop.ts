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

/** How long an agent may take to end. */
export const DEFAULT_GRACE_MS = 10_000
/** How long a killed process may take to disappear. */
const KILL_MS = 3000

/** Stops a task: asks, waits for the grace, kills. Always returns and never throws; check afterwards what is still running. */
export async function stopTask(at: ActiveTask, graceMs: number, io: Io): Promise<Stopped> {
  const { task, holder, orphans } = at
  if (!holder) {
    removeHostFile(task.folder)
    return orphans.length > 0 ? stopOrphans(at, graceMs, io) : 'not running'
  }
  const host = holder.way === 'detached' ? readHostFile(task.folder) : undefined
  const end = performance.now() + graceMs + KILL_MS
  const answer = host?.pid === holder.pid ? await askStop(host, graceMs, graceMs + KILL_MS) : undefined
  // It did not answer, or is not a host: an Ion that gets this signal stops its agent first.
  if (answer === undefined) signalProcess(holder, 'SIGTERM')
  if (await waitForExit([holder], Math.max(KILL_MS, end - performance.now()))) {
    return (await finish(task, end - KILL_MS - performance.now())) ? 'ended' : 'killed'
  }
  for (const { process } of runningAgents(stateOf(task))) signalGroup(process, 'SIGKILL')
  if (!(await waitForExit([holder], KILL_MS))) signalProcess(holder, 'SIGKILL')
  await waitForExit([holder], KILL_MS)
  await finish(task, 0)
  return 'killed'
}

/** After its Ion has exited. True if the agent has exited too, within what is left of the grace. */
async function finish(task: Task, withinMs: number): Promise<boolean> {
  const left = runningAgents(stateOf(task)).map(({ process }) => process)
  // The task was started again in the meantime, and what is running may belong to that start.
  if (taskHolder(task.folder)) return true
  const isEnded = await waitForExit(left, withinMs)
  if (!isEnded) for (const process of left) signalGroup(process, 'SIGKILL')
  await waitForExit(left, KILL_MS)
  removeHostFile(task.folder)
  return isEnded
}

function stateOf({ folder }: Task): TaskState {
  return taskState(readLedger(folder).entries)
}

/** Agents whose Ion was killed: nobody else records how they end. */
async function stopOrphans({ task, orphans }: ActiveTask, graceMs: number, io: Io): Promise<Stopped> {
  const processes = orphans.map(({ process }) => process)
  for (const process of processes) signalGroup(process, 'SIGTERM')
  const isEnded = await waitForExit(processes, graceMs)
  if (!isEnded) for (const process of processes) signalGroup(process, 'SIGKILL')
  await waitForExit(processes, KILL_MS)
  const lease = takeTask(task.folder, 'detached', io.now())
  if (isHolder(lease)) return isEnded ? 'ended' : 'killed'
  try {
    for (const { run, process } of orphans) {
      if (isAlive(process) || run.exit) continue
      const signal = isEnded ? 'SIGTERM' : 'SIGKILL'
      appendEntry(task.folder, { type: 'exited', run: run.run, code: null, signal, stopped: true }, io)
    }
  } finally {
    lease.release()
  }
  return isEnded ? 'ended' : 'killed'
}

/** An agent in the background leads its own process group; one in a terminal does not. */
function signalGroup(leader: ProcessIdentity, signal: NodeJS.Signals): void {
  if (!isAlive(leader)) return
  try {
    if (process.platform !== 'win32') process.kill(-leader.pid, signal)
  } catch {
    signalProcess(leader, signal)
  }
}
