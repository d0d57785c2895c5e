import { type SessionHead, sessionName } from '../events/session.ts'
import { IonError } from '../platform/error.ts'
import type { Io } from '../platform/io.ts'
import type { RunRequest } from './request.ts'
import { runningAgents } from './run-processes.ts'
import { DEFAULT_TASK, type Task } from './task.ts'
import { knownTasks } from './tasks.ts'

/** What is said about a session that another one takes the place of. */
export function replaced(head: SessionHead, how: string): string {
  return `session ${sessionName(head)} ${how}; it is archived: ion restore ${head.id} --replace restores it`
}

/** Two of them in one folder would overwrite each other's session with every answer. */
export function refuseBusyFolder({ agent, task: own }: RunRequest, cwd: string, io: Io): void {
  for (const { task, state } of knownTasks(io)) {
    if (task.agent !== agent.id || task.folder === own.folder) continue
    const running = runningAgents(state).find(({ run }) => run.cwd === cwd)
    if (!running) continue
    throw new IonError(
      'refused',
      `${agent.title} has one session per folder, and task ${task.name} is running in ${cwd} (pid ${running.process.pid})`,
      { hint: `ion stop ${label(task)}, or work in another folder` },
    )
  }
}

function label({ agent, name }: Task): string {
  return name === DEFAULT_TASK ? agent : `${agent}-${name}`
}
