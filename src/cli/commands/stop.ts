import { findAgent } from '../../agents/find.ts'
import { chooseTask, taskLabel, tasksMatching } from '../../host/find.ts'
import { DEFAULT_GRACE_MS, stopTask } from '../../host/stop.ts'
import { type ActiveTask, activeTask, activeTasks, isRunning } from '../../host/tasks.ts'
import { attempt, IonError } from '../../platform/error.ts'
import { serverOf, stopServer } from '../../server/registry.ts'
import type { Context, Run } from '../command.ts'
import type { stop } from '../definitions/running.ts'

export const run: Run<typeof stop> = async ([references], options, context) => {
  const { io, out } = context
  const graceMs = parseGrace(options.grace)
  const all = activeTasks(io)
  const chosen = chooseAll(all, references, options.all, context)
  const isServed = ({ task }: ActiveTask): boolean => serverOf(task.folder, io) !== undefined
  if (!chosen.some((at) => isRunning(at) || isServed(at))) out.write('nothing is running\n')
  const outcomes = await Promise.all(
    chosen.map(async (at) => {
      const outcome = await stopTask(at, graceMs, io)
      const server = serverOf(at.task.folder, io)
      if (server) await stopServer(server)
      return { at, outcome: server && outcome === 'not running' ? 'ended' : outcome }
    }),
  )
  const left: string[] = []
  for (const { at, outcome } of outcomes) {
    const label = taskLabel(at.task)
    if (isRunning(activeTask(at.task))) left.push(label)
    else if (outcome === 'ended') out.write(`stopped ${label}\n`)
    else if (outcome === 'killed') out.write(`killed ${label}, which did not exit in time\n`)
  }
  if (left.length === 0) return 'ok'
  throw new IonError('failed', `still running: ${left.join(', ')}`, { hint: 'ion ps' })
}

/** If nothing is named and nothing is running, all tasks, so that stale files are removed; that is not an error. */
function chooseAll(
  tasks: readonly ActiveTask[],
  references: readonly string[],
  isAll: boolean,
  { io }: Context,
): ActiveTask[] {
  if (isAll && references.length > 0) {
    throw new IonError('usage', '--all cannot be combined with tasks', { hint: 'ion ps' })
  }
  const running = tasks.filter((at) => isRunning(at) || serverOf(at.task.folder, io) !== undefined)
  if (references.length > 0)
    return [...new Set(references.flatMap((reference) => chooseNamed(reference, tasks, running, io)))]
  return isAll || running.length === 0 ? [...tasks] : [chooseTask(running, undefined, io)]
}

/** An agent or a task that is not running is not an error: stopping twice is fine. */
function chooseNamed(
  reference: string,
  tasks: readonly ActiveTask[],
  running: readonly ActiveTask[],
  io: Context['io'],
): readonly ActiveTask[] {
  if (tasksMatching(running, reference).length > 0) return [chooseTask(running, reference, io)]
  const ended = tasksMatching(tasks, reference)
  const isKnown = ended.length > 0 || attempt(() => findAgent(reference)) !== undefined
  return isKnown ? ended : [chooseTask(tasks, reference, io, 'task')]
}

function parseGrace(text: string | undefined): number {
  if (text === undefined) return DEFAULT_GRACE_MS
  const seconds = Number(text)
  if (text.trim() !== '' && Number.isFinite(seconds) && seconds >= 0 && seconds <= 3600) return seconds * 1000
  throw new IonError('usage', `invalid --grace "${text}": expected seconds`, { hint: 'ion stop --grace 20' })
}
