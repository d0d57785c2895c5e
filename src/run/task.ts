import { realpathSync } from 'node:fs'
import { join } from 'node:path'
import { IonError } from '../platform/error.ts'
import { ionHome } from '../platform/home.ts'
import type { Io } from '../platform/io.ts'
import { projectHash, projectOf } from '../platform/project.ts'

/** What `ion run` pins: an agent, a project and a name. Its folder holds all that is known of it. */
export interface Task {
  readonly agent: string
  readonly project: string
  readonly name: string
  readonly folder: string
}

export const DEFAULT_TASK = 'main'

export function tasksFolder(io: Io): string {
  return join(ionHome(io), 'tasks')
}

/** A name is part of a path: letters, digits, dot, dash and underscore, and no dot in front. */
const NAME = /^[\p{L}\p{N}_][\p{L}\p{N}._-]{0,63}$/u

export function taskOf(agent: string, cwd: string, name: string, io: Io): Task {
  if (!NAME.test(name)) {
    throw new IonError('usage', `"${name}" cannot be the name of a task`, {
      hint: 'letters, digits, "-", "_" and ".", at most 64',
    })
  }
  const project = projectOf(cwd)
  return { agent, project, name, folder: join(tasksFolder(io), projectHash(project), `${agent}-${name}`) }
}

/** The folder as the agents know it: links resolved, no slash at the end. */
export function realFolder(path: string): string {
  try {
    return realpathSync(path)
  } catch (error) {
    throw new IonError('not-found', `the folder ${path} is not there`, {
      cause: error,
      hint: `mkdir -p ${path}, or go elsewhere`,
    })
  }
}
