import { sessionId } from '../events/id.ts'
import { IonError } from '../platform/error.ts'
import { tilde } from '../platform/home.ts'
import type { Io } from '../platform/io.ts'
import { projectOf } from '../platform/project.ts'
import { DEFAULT_TASK, type Task } from '../run/task.ts'
import type { ActiveTask } from './tasks.ts'

const MIN_ID_LENGTH = 4

/** The name of a task on the command line: the agent, and the task's name unless it is the default. */
export function taskLabel({ agent, name }: Pick<Task, 'agent' | 'name'>): string {
  return name === DEFAULT_TASK ? agent : `${agent}-${name}`
}

/**
 * The task that a reference selects: an agent, a task's name, both (`<agent>-<task>`), or the beginning of a session id;
 * without a reference, the only task. Tasks of this project take precedence.
 */
export function chooseTask(
  tasks: readonly ActiveTask[],
  reference: string | undefined,
  io: Io,
  what = 'running task',
): ActiveTask {
  const named = tasksMatching(tasks, reference)
  const project = projectOf(io.cwd)
  const here = named.filter(({ task }) => task.project === project)
  const found = here.length > 0 ? here : named
  if (found.length === 1) return found[0]!
  if (found.length === 0) {
    throw new IonError('not-found', `there is no ${what}${reference === undefined ? '' : ` "${reference}"`}`, {
      hint: tasks.length > 0 ? `tasks: ${listed(tasks, io)}` : 'ion ps --all',
    })
  }
  const exact = found.filter(({ task }) => taskLabel(task) === reference)
  if (exact.length === 1) return exact[0]!
  throw new IonError('usage', reference === undefined ? 'there are several tasks' : `"${reference}" is ambiguous`, {
    hint: `one of: ${listed(found, io)}`,
  })
}

export function tasksMatching(tasks: readonly ActiveTask[], reference: string | undefined): readonly ActiveTask[] {
  return reference === undefined ? tasks : tasks.filter((one) => matches(one, reference))
}

function matches({ task, state }: ActiveTask, reference: string): boolean {
  const { agent, name } = task
  if ([agent, name, `${agent}-${name}`, `${agent}:${name}`, `${agent}/${name}`].includes(reference)) return true
  if (reference.length < MIN_ID_LENGTH || !state.session) return false
  const { native_id } = state.session
  return native_id.startsWith(reference) || sessionId(agent, native_id).startsWith(reference.toLowerCase())
}

function listed(tasks: readonly ActiveTask[], io: Io): string {
  const several = new Set(tasks.map(({ task }) => task.project)).size > 1
  return tasks
    .slice(0, 8)
    .map(({ task, state }) => {
      const id = state.session ? ` (${sessionId(task.agent, state.session.native_id).slice(0, 8)})` : ''
      return `${task.agent}-${task.name}${id}${several ? ` in ${tilde(task.project, io)}` : ''}`
    })
    .join(', ')
}
