import { existsSync } from 'node:fs'
import { gitIdentity } from '../platform/git-identity.ts'
import { tilde } from '../platform/home.ts'
import type { Io } from '../platform/io.ts'
import { DEFAULT_TASK, type Task } from '../run/task.ts'
import { readTaskFile } from '../run/tasks.ts'
import { readImageAbout } from './image-about.ts'
import { readLease } from './lease.ts'
import { loadNewest } from './log/read-log.ts'
import { TaskLog } from './log/task-log.ts'
import type { Sealer } from './seal/sealer.ts'
import type { ObjectStore } from './store/object-store.ts'

export const TASKS = 'tasks/'

/**
 * The prefix of a task in the store. Its first part is the repository with agent and task, its second the project's path as
 * seen from the home: a recreated workspace has the same path, and two checkouts of one repository do not.
 */
export async function taskPrefix(task: Task, sealer: Sealer, io: Io): Promise<string> {
  const [repository] = await repositories(task, sealer, io)
  return `${repository}${placeOf(task, sealer, io)}`
}

/** By its remote, by its first commit, and as a folder: a repository may get the one or the other later. */
async function repositories(task: Task, sealer: Sealer, io: Io): Promise<string[]> {
  const git = readTaskFile(task.folder)?.identity?.git ?? (await gitIdentity(task.project, io))
  const names = [git?.remote, git?.roots?.[0], ''].filter((name) => name !== undefined)
  return names.map((name) => `${TASKS}${sealer.name('task', task.agent, task.name, name)}/`)
}

function placeOf({ project }: Task, sealer: Sealer, io: Io): string {
  return sealer.name('place', tilde(project, io))
}

/**
 * The task in the store that this one continues, if it has not been used in this home: at the same path, or else the only one
 * of the same repository whose path does not exist here. Undefined if no task matches, or several do: then `notice` is called,
 * since the prompt will be sent to a new session.
 */
export async function findTask(
  task: Task,
  store: ObjectStore,
  sealer: Sealer,
  io: Io,
  notice: (line: string) => void = () => {},
): Promise<TaskLog | undefined> {
  const here = placeOf(task, sealer, io)
  const moved: { readonly log: TaskLog; readonly project: string }[] = []
  const known = await repositories(task, sealer, io)
  for (const [index, repository] of known.entries()) {
    const places = await store.folders(repository)
    if (places.includes(here)) return new TaskLog(store, sealer, `${repository}${here}`)
    // Two folders without a repository have nothing in common.
    if (index === known.length - 1) break
    for (const place of places) {
      const log = new TaskLog(store, sealer, `${repository}${place}`)
      const project = await projectOf(log)
      if (project !== undefined && !existsSync(project)) moved.push({ log, project })
    }
  }
  if (moved.length > 1) {
    const places = moved.map(({ project }) => project).join(', ')
    const named = task.name === DEFAULT_TASK ? '' : ` --task ${task.name}`
    notice(
      `${store.address} has this task of ${moved.length} other folders of the repository (${places}): ` +
        `none is continued here; ion replica restore ${task.agent}${named} --from <folder> takes one of them`,
    )
  }
  return moved.length === 1 ? moved[0]!.log : undefined
}

/** The task of that name in another folder, of the same repository or of none; undefined if the store does not have it. */
export async function findTaskFrom(
  project: string,
  task: Task,
  store: ObjectStore,
  sealer: Sealer,
  io: Io,
): Promise<TaskLog | undefined> {
  for (const repository of await repositories(task, sealer, io)) {
    for (const place of await store.folders(repository)) {
      const log = new TaskLog(store, sealer, `${repository}${place}`)
      if ((await projectOf(log)) === project) return log
    }
  }
  return undefined
}

async function projectOf(log: TaskLog): Promise<string | undefined> {
  const lease = await readLease(log)
  const loaded = lease && (await loadNewest(log, lease.document))
  return loaded && readImageAbout(loaded.state.about)?.project
}
