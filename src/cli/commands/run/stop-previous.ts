import { taskLabel } from '../../../host/find.ts'
import { DEFAULT_GRACE_MS, stopTask } from '../../../host/stop.ts'
import { type ActiveTask, activeTask, isRunning } from '../../../host/tasks.ts'
import { IonError } from '../../../platform/error.ts'
import { whereFrom } from '../../../run/busy-errors.ts'
import { readLedger } from '../../../run/ledger.ts'
import type { RunRequest } from '../../../run/request.ts'
import { taskState } from '../../../run/task-state.ts'
import type { Context } from '../../command.ts'
import { voiceOf } from './execute.ts'

/** Ends what Ion itself runs on the task, as `ion stop` does, so that no two agents write one session. */
export async function endEarlier(request: RunRequest, context: Context): Promise<void> {
  const { agent, task } = request
  const at = lookAgain(request)
  if (!isRunning(at)) return
  const voice = voiceOf(request, context)
  voice.notice(`ends the ${agent.title} that ${whichOne(at)}`)
  if ((await stopTask(at, DEFAULT_GRACE_MS, context.io)) === 'killed') voice.notice('it did not end by itself: killed')
  const { holder, orphans } = lookAgain(request)
  // One that holds the task by now is another, which the run itself meets.
  const [left] = holder?.pid === at.holder?.pid && holder ? [holder] : orphans.map(({ process }) => process)
  if (!left) return
  throw new IonError('refused', `${agent.title} cannot be ended: it is still running (pid ${left.pid})`, {
    hint: `ion ps; ion stop ${taskLabel(task)}`,
  })
}

function lookAgain({ task }: RunRequest): ActiveTask {
  return activeTask(task, taskState(readLedger(task.folder).entries))
}

function whichOne({ holder, orphans }: ActiveTask): string {
  if (holder) return `is running ${whereFrom(holder.way)} (pid ${holder.pid})`
  return `an earlier run left behind (pid ${orphans.map(({ process }) => process.pid).join(', ')})`
}
