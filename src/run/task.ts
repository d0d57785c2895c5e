import { realpathSync } from 'node:fs'
import { IonError } from '../platform/error.ts'
import type { Io } from '../platform/io.ts'
import { projectOf } from '../platform/project.ts'
import { taskFolder } from '../platform/task-folders.ts'

/** What `ion run` names: an agent, a project and a name. Its folder holds everything that is known about it. */
export interface Task {
  readonly agent: string
  readonly project: string
  readonly name: string
  readonly folder: string
}

export const DEFAULT_TASK = 'main'

/** Part of a path: letters, digits, dot, dash and underscore, not starting with a dot. */
const NAME = /^[\p{L}\p{N}_][\p{L}\p{N}._-]{0,63}$/u

export function taskOf(agent: string, cwd: string, name: string, io: Io): Task {
  if (!NAME.test(name)) {
    throw new IonError('usage', `"${name}" is not a valid task name`, {
      hint: 'letters, digits, "-", "_" and ".", up to 64',
    })
  }
  const project = projectOf(cwd)
  return { agent, project, name, folder: taskFolder(agent, project, name, io) }
}

/** The folder as the agents know it: links resolved, no trailing slash. */
export function realFolder(path: string): string {
  try {
    return realpathSync(path)
  } catch (error) {
    throw new IonError('not-found', `folder ${path} does not exist`, {
      cause: error,
      hint: `mkdir -p ${path}, or change to another folder`,
    })
  }
}
