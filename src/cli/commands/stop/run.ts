import { chooseTask, taskLabel } from '../../../host/find.ts'
import { DEFAULT_GRACE_MS, stopTask } from '../../../host/stop.ts'
import { type ActiveTask, activeTask, activeTasks, isRunning } from '../../../host/tasks.ts'
import { type ExitKind, IonError } from '../../../platform/error.ts'
import { readLedger } from '../../../run/ledger.ts'
import { taskState } from '../../../run/task-state.ts'
import { serverOf, stopServer } from '../../../server/registry.ts'
import type { Context, Options } from '../../command.ts'

export async function run(args: readonly unknown[], options: Options, context: Context): Promise<ExitKind> {
  const { io, out } = context
  const [references = []] = args as [(readonly string[])?]
  const graceMs = graceOf(options.grace)
  const all = activeTasks(io)
  const chosen = chooseAll(all, references, options.all === true, context)
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
    const word = taskLabel(at.task)
    if (isRunning(again(at))) left.push(word)
    else if (outcome === 'ended') out.write(`stopped ${word}\n`)
    else if (outcome === 'killed') out.write(`killed ${word}, which did not end by itself\n`)
  }
  if (left.length === 0) return 'ok'
  throw new IonError('failed', `still running: ${left.join(', ')}`, { hint: 'ion ps' })
}

/** With nothing named and nothing running, also stale files are looked after; that is no error. */
function chooseAll(
  tasks: readonly ActiveTask[],
  references: readonly string[],
  isAll: boolean,
  { io }: Context,
): ActiveTask[] {
  if (isAll && references.length > 0) {
    throw new IonError('usage', 'either --all or the names of tasks', { hint: 'ion ps' })
  }
  const running = tasks.filter((at) => isRunning(at) || serverOf(at.task.folder, io) !== undefined)
  if (isAll || running.length === 0) return [...tasks]
  if (references.length === 0) return [chooseTask(running, undefined, io)]
  return [...new Set(references.flatMap((reference) => chooseOne(tasks, running, reference, io) ?? []))]
}

/** One that is known and has ended is no error: stopping twice is fine. */
function chooseOne(
  tasks: readonly ActiveTask[],
  running: readonly ActiveTask[],
  reference: string,
  io: Context['io'],
): ActiveTask | undefined {
  try {
    return chooseTask(running, reference, io)
  } catch (error) {
    if (!(error instanceof IonError) || error.kind !== 'not-found') throw error
    return chooseTask(tasks, reference, io, 'task')
  }
}

function again({ task }: ActiveTask): ActiveTask {
  return activeTask(task, taskState(readLedger(task.folder).entries))
}

function graceOf(given: unknown): number {
  if (typeof given !== 'string') return DEFAULT_GRACE_MS
  const seconds = Number(given)
  if (given.trim() !== '' && Number.isFinite(seconds) && seconds >= 0 && seconds <= 3600) return seconds * 1000
  throw new IonError('usage', `"${given}" is no number of seconds`, { hint: 'ion stop --grace 20' })
}
