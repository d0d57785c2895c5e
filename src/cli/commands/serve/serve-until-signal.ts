import { DEFAULT_GRACE_MS, stopTask } from '../../../host/stop.ts'
import { activeTask } from '../../../host/tasks.ts'
import type { Io } from '../../../platform/io.ts'
import { readLedger } from '../../../run/ledger.ts'
import { taskState } from '../../../run/task-state.ts'
import type { RunningServer } from '../../../server/serve-task.ts'
import type { ServeOrder } from './serve-config.ts'

const SIGNALS: readonly NodeJS.Signals[] = ['SIGTERM', 'SIGINT', 'SIGHUP']

/** Waits for a signal, then ends the server, and the agent too where this start has started it. Bounded. */
export async function serveUntilSignal(
  { task, ownsAgent }: ServeOrder,
  serving: RunningServer,
  io: Io,
): Promise<NodeJS.Signals> {
  const signal = await new Promise<NodeJS.Signals>((resolve) => {
    for (const name of SIGNALS) process.on(name, () => resolve(name))
    // Scripts for agentapi ask by this signal to save; here everything is saved already, and Node would open a debugger.
    if (process.platform !== 'win32') process.on('SIGUSR1', () => {})
  })
  await serving.close()
  if (ownsAgent) await stopTask(activeTask(task, taskState(readLedger(task.folder).entries)), DEFAULT_GRACE_MS, io)
  return signal
}
