import { findAgent } from '../agents/find.ts'
import { sessionId } from '../events/id.ts'
import { attempt, IonError } from '../platform/error.ts'
import { tilde } from '../platform/home.ts'
import type { Io } from '../platform/io.ts'
import { projectOf } from '../platform/project.ts'
import { isHere, labelWithProject, referenceTo, taskLabel } from './label.ts'
import type { ActiveTask } from './tasks.ts'

const MIN_ID_LENGTH = 4
const SHORT_ID_LENGTH = 8
/** How many tasks a message lists. */
const MAX_LISTED = 8

export interface TaskSearch {
  /** The command that is typed again with a better reference: `ion stop`. */
  readonly command: string
  /** What is looked for, for messages. */
  readonly what?: string
  /** Names also mean tasks of other projects. */
  readonly everywhere?: boolean
  /** Which tasks can be chosen. The others still count for what a name means, so that it never slips to another task. */
  readonly among?: (at: ActiveTask) => boolean
}

/**
 * The task that a reference selects: an agent (its main task if it has one), a task's name or both (`<agent>-<task>`) of
 * this project, or the beginning of a session id of any project; without a reference, the only task of this project.
 */
export function chooseTask(
  tasks: readonly ActiveTask[],
  reference: string | undefined,
  io: Io,
  { command, what = 'running task', everywhere = false, among = () => true }: TaskSearch,
): ActiveTask {
  const found = tasksMatching(tasks, reference, io, everywhere).filter(among)
  if (found.length === 1) return found[0]!
  if (found.length === 0) {
    const named = reference === undefined ? '' : ` "${reference}"`
    const where = everywhere ? '' : ` in ${tilde(projectOf(io.cwd), io)}`
    throw new IonError('not-found', `there is no ${what}${named}${where}`, {
      hint: nearest(tasks.filter(among), reference, io, command),
    })
  }
  throw new IonError('usage', reference === undefined ? 'there are several tasks' : `"${reference}" is ambiguous`, {
    hint: `one of: ${listTasks(found, tasks, io, command)}`,
  })
}

/** Names mean tasks of this project unless `everywhere`; a session id means its task wherever that is. */
export function tasksMatching(
  tasks: readonly ActiveTask[],
  reference: string | undefined,
  io: Io,
  everywhere = false,
): readonly ActiveTask[] {
  const reached = everywhere ? tasks : tasks.filter(({ task }) => isHere(task, io))
  if (reference === undefined) return reached
  const named = reached.filter((one) => isNamed(one, reference))
  const labelled = named.filter((one) => isLabelled(one, reference))
  if (labelled.length > 0) return labelled
  if (named.length > 0) return named
  const withId = tasks.filter((one) => hasId(one, reference))
  const withIdHere = withId.filter(({ task }) => isHere(task, io))
  return withIdHere.length > 0 ? withIdHere : withId
}

function isNamed({ task: { agent, name } }: ActiveTask, reference: string): boolean {
  if ([agent, name, `${agent}-${name}`, `${agent}:${name}`, `${agent}/${name}`].includes(reference)) return true
  return attempt(() => findAgent(reference))?.id === agent
}

/** Exactly this task's label: an agent's name is the label of its main task. */
function isLabelled({ task }: ActiveTask, reference: string): boolean {
  if (taskLabel(task) === reference) return true
  return taskLabel(task) === task.agent && attempt(() => findAgent(reference))?.id === task.agent
}

function hasId({ task, state }: ActiveTask, reference: string): boolean {
  if (reference.length < MIN_ID_LENGTH || !state.session) return false
  const { native_id } = state.session
  return native_id.startsWith(reference) || sessionId(task.agent, native_id).startsWith(reference.toLowerCase())
}

/** Tasks of that name if all are in other projects, else those of this project, else all. */
function nearest(tasks: readonly ActiveTask[], reference: string | undefined, io: Io, command: string): string {
  const named = reference === undefined ? tasks : tasks.filter((one) => isNamed(one, reference))
  const isElsewhere = named.length > 0 && !named.some(({ task }) => isHere(task, io))
  if (isElsewhere) return `in other projects: ${listTasks(named, tasks, io, command)}`
  const here = tasks.filter(({ task }) => isHere(task, io))
  if (here.length > 0) return `tasks here: ${listTasks(here, tasks, io, command)}`
  return tasks.length > 0 ? `tasks: ${listTasks(tasks, tasks, io, command)}` : 'ion ps --all'
}

/** The tasks with their projects and what to type for each; ids are unique among `all`. */
export function listTasks(
  tasks: readonly ActiveTask[],
  all: readonly ActiveTask[],
  io: Io,
  command: string,
  separator = ', ',
): string {
  const listed = tasks.slice(0, MAX_LISTED).map((at) => {
    const reference = referenceTo(at.task, shortId(at, all), io)
    const next = reference === undefined ? 'no session id yet: change to its folder' : `${command} ${reference}`
    return `${labelWithProject(at.task, io)} (${next})`
  })
  const more = tasks.length - listed.length
  return [...listed, ...(more > 0 ? [`${more} more (ion ps)`] : [])].join(separator)
}

/** At least eight characters, and as many as no other task's id begins with: ids that begin with the time share eight. */
function shortId(at: ActiveTask, all: readonly ActiveTask[]): string | undefined {
  const id = idOf(at)
  if (id === undefined) return undefined
  const others = all.map(idOf).filter((other) => other !== undefined && other !== id)
  let length = SHORT_ID_LENGTH
  while (length < id.length && others.some((other) => other!.startsWith(id.slice(0, length)))) length++
  return id.slice(0, length)
}

function idOf({ task, state }: ActiveTask): string | undefined {
  return state.session && sessionId(task.agent, state.session.native_id)
}
