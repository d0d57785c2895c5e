import { findAgent } from '../../agents/find.ts'
import { chooseTask, listTasks, tasksMatching } from '../../host/find.ts'
import { labelWithProject } from '../../host/label.ts'
import { refuseMisspeltAgent } from '../../host/misspelt.ts'
import { DEFAULT_GRACE_MS, stopTask } from '../../host/stop.ts'
import { type ActiveTask, activeTask, activeTasks, isRunning } from '../../host/tasks.ts'
import { attempt, IonError } from '../../platform/error.ts'
import { tilde } from '../../platform/home.ts'
import { leaseHolder } from '../../platform/lease.ts'
import { plain } from '../../platform/plain-text.ts'
import { projectOf } from '../../platform/project.ts'
import { currentReplica, replicaLease } from '../../replica/status.ts'
import { serverOf, stopServer } from '../../server/registry.ts'
import type { Context, Run } from '../command.ts'
import type { stop } from '../definitions/running.ts'

export const run: Run<typeof stop> = async ([references], options, context) => {
  const { io, out, err } = context
  const graceMs = parseGrace(options.grace)
  if (options.all && references.length > 0) {
    throw new IonError('usage', '--all cannot be combined with tasks', { hint: 'ion ps' })
  }
  const all = activeTasks(io)
  for (const reference of references) refuseMisspeltAgent(all, reference, io)
  const isUp = (at: ActiveTask): boolean => isRunning(at) || serverOf(at.task.folder, io) !== undefined
  // Everything is resolved before anything is stopped.
  const chosen = options.all ? all : chooseTasks(all, references, isUp, io)
  if (!chosen.some(isUp)) {
    out.write(`${plain(options.all ? 'nothing is running' : nothingStopped(chosen, references, io))}\n`)
    const running = all.filter(isUp)
    // Named so that it can be stopped, and left alone.
    if (running.length > 0) out.write(`running:\n  ${plain(listTasks(running, all, io, SEARCH.command, '\n  '))}\n`)
  }
  const outcomes = await Promise.all(
    chosen.map(async (at) => {
      // Also one that is not stored any more: nobody else says so for an agent in the background.
      const isReplicated = isUp(at) && currentReplica(at.task.folder) !== undefined
      const isStoring = leaseHolder(replicaLease(at.task.folder)) !== undefined
      const outcome = await stopTask(at, graceMs, io)
      const server = serverOf(at.task.folder, io)
      if (server) await stopServer(server)
      if (isReplicated || isStoring) {
        const { finishReplica } = await import('./run/replica.ts')
        await finishReplica(at.task.folder, (line) => err.write(`ion: ${plain(`${at.task.agent}: ${line}`)}\n`))
      }
      return { at, outcome: server && outcome === 'not running' ? 'ended' : outcome }
    }),
  )
  const left: string[] = []
  for (const { at, outcome } of outcomes) {
    const label = plain(labelWithProject(at.task, io))
    if (isRunning(activeTask(at.task))) left.push(label)
    else if (outcome === 'ended') out.write(`stopped ${label}\n`)
    else if (outcome === 'killed') out.write(`killed ${label}, which did not exit in time\n`)
  }
  if (left.length === 0) return 'ok'
  throw new IonError('failed', `still running: ${left.join(', ')}`, { hint: 'ion ps' })
}

type IsUp = (at: ActiveTask) => boolean

/** If nothing is named and nothing is running here, all tasks of this project, so that stale files are removed. */
function chooseTasks(
  tasks: readonly ActiveTask[],
  references: readonly string[],
  isUp: IsUp,
  io: Context['io'],
): readonly ActiveTask[] {
  if (references.length > 0) return [...new Set(references.flatMap((one) => chooseNamed(one, tasks, isUp, io)))]
  const here = tasksMatching(tasks, undefined, io)
  return here.some(isUp) ? [chooseTask(here.filter(isUp), undefined, io, SEARCH)] : here
}

const SEARCH = { command: 'ion stop' }

/** An agent or a task that is not running is not an error: stopping twice is fine. */
function chooseNamed(
  reference: string,
  tasks: readonly ActiveTask[],
  isUp: IsUp,
  io: Context['io'],
): readonly ActiveTask[] {
  const found = tasksMatching(tasks, reference, io)
  if (found.some(isUp)) return [chooseTask(found.filter(isUp), reference, io, SEARCH)]
  const isKnown = found.length > 0 || attempt(() => findAgent(reference)) !== undefined
  return isKnown ? found : [chooseTask(tasks, reference, io, { ...SEARCH, what: 'task' })]
}

function nothingStopped(ended: readonly ActiveTask[], references: readonly string[], io: Context['io']): string {
  const here = tilde(projectOf(io.cwd), io)
  if (references.length === 0) return `nothing is running in ${here}`
  const names =
    ended.length > 0 ? ended.map(({ task }) => labelWithProject(task, io)) : [`${references.join(', ')} in ${here}`]
  return `not running: ${names.join(', ')}`
}

function parseGrace(text: string | undefined): number {
  if (text === undefined) return DEFAULT_GRACE_MS
  const seconds = Number(text)
  if (text.trim() !== '' && Number.isFinite(seconds) && seconds >= 0 && seconds <= 3600) return seconds * 1000
  throw new IonError('usage', `invalid --grace "${text}": expected seconds`, { hint: 'ion stop --grace 20' })
}
