import { taskLabel } from '../../../host/label.ts'
import { DEFAULT_GRACE_MS, stopTask } from '../../../host/stop.ts'
import { type ActiveTask, activeTask, isRunning } from '../../../host/tasks.ts'
import { IonError } from '../../../platform/error.ts'
import { describeMode } from '../../../run/lease.ts'
import type { RunRequest } from '../../../run/request.ts'
import type { Context } from '../../command.ts'
import { reporterOf } from './execute.ts'

/** Stops what Ion runs on the task, as `ion stop` does, so that two agents never write to one session. */
export async function stopPrevious(request: RunRequest, context: Context): Promise<void> {
  const { agent, task } = request
  const previous = activeTask(task)
  if (!isRunning(previous)) return
  const reporter = reporterOf(request, context)
  reporter.notice(`stopping the ${agent.title} that ${describe(previous)}`)
  if ((await stopTask(previous, DEFAULT_GRACE_MS, context.io)) === 'killed')
    reporter.notice('it did not exit in time and was killed')
  const { holder, orphans } = activeTask(task)
  // A new holder is another process, which the run itself will report.
  const [left] = holder?.pid === previous.holder?.pid && holder ? [holder] : orphans.map(({ process }) => process)
  if (!left) return
  throw new IonError('refused', `${agent.title} could not be stopped: it is still running (pid ${left.pid})`, {
    hint: `ion ps; ion stop ${taskLabel(task)}`,
  })
}

function describe({ holder, orphans }: ActiveTask): string {
  if (holder) return `is running ${describeMode(holder.way)} (pid ${holder.pid})`
  return `was left behind by an earlier run (pid ${orphans.map(({ process }) => process.pid).join(', ')})`
}
