import { tilde } from '../platform/home.ts'
import type { Io } from '../platform/io.ts'
import { projectOf } from '../platform/project.ts'
import { DEFAULT_TASK, type Task } from '../run/task.ts'

/** The name of a task on the command line: the agent, and the task's name unless it is the default. */
export function taskLabel({ agent, name }: Pick<Task, 'agent' | 'name'>): string {
  return name === DEFAULT_TASK ? agent : `${agent}-${name}`
}

/** For messages: the same label may exist in several projects. */
export function labelWithProject(task: Task, io: Io): string {
  return `${taskLabel(task)} in ${tilde(task.project, io)}`
}

/** Whether the task belongs to the project of the current folder. */
export function isHere({ project }: Pick<Task, 'project'>, io: Io): boolean {
  return project === projectOf(io.cwd)
}

/** What to type for this task from the current folder; undefined if only a session id would do and it has none yet. */
export function referenceTo(task: Task, id: string | undefined, io: Io): string | undefined {
  return isHere(task, io) ? taskLabel(task) : id
}
