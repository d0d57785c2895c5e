import { existsSync } from 'node:fs'
import { IonError } from '../platform/error.ts'
import { tilde } from '../platform/home.ts'
import type { Io } from '../platform/io.ts'
import type { FolderMove } from '../platform/project.ts'
import { folderIdentity, isSameFolder } from '../platform/project-identity.ts'
import { ledgerFile } from './ledger.ts'
import type { RunReporter, RunRequest } from './request.ts'
import type { Task } from './task.ts'
import { readTaskFile } from './tasks.ts'

/** A task whose project was moved. Until the task is moved too, its folder and its session are those of the old path. */
export interface ProjectMove extends FolderMove {
  /** The task in its new place. */
  readonly task: Task
}

/** Why it is not certain that a task belongs to the current folder, and what to type. */
export interface ProjectDoubt {
  readonly kind: 'refused' | 'not-found'
  readonly reason: string
  readonly hint: string
  /** Yes: it does belong here. */
  readonly question: string
  /** What happens then. */
  readonly moved?: ProjectMove
}

/** What the user says about the project. */
export interface ProjectChoice {
  /** The path at which the project was. */
  readonly movedFrom: string | undefined
  /** It is the task's project although its git history is another. */
  readonly sameProject: boolean
}

/**
 * Finds the task of a request that may have been moved together with its project, and notices another project at the
 * task's path. Changes nothing. Costs a stat and a small file where the task is at its place.
 */
export async function locateTask(request: RunRequest, choice: ProjectChoice, io: Io): Promise<RunRequest> {
  const { task, isNew } = request
  const { movedFrom, sameProject } = choice
  const exists = existsSync(ledgerFile(task.folder))
  if (movedFrom === undefined && (isNew || (exists && isAtItsPlace(task, sameProject)))) return request
  const { doubtReplaced, findMoved, movedByChoice } = await import('./find-moved-task.ts')
  if (movedFrom !== undefined) return movedByChoice(request, movedFrom, io)
  return exists ? doubtReplaced(request, io) : findMoved(request, io)
}

/** Nothing speaks against it: the folder is the same, or its history cannot be compared. */
function isAtItsPlace({ folder, project }: Task, sameProject: boolean): boolean {
  const recorded = readTaskFile(folder)?.identity
  return sameProject || !recorded?.git?.roots?.length || isSameFolder(recorded.folder, folderIdentity(project))
}

/** Asks the user where it is doubtful whether the task belongs here. Throws if nobody can say yes. */
export async function resolveDoubt(request: RunRequest, { confirm }: RunReporter): Promise<RunRequest> {
  const { doubt, ...rest } = request
  if (!doubt) return request
  const isSame = (await confirm?.(doubt.question, 'no')) ?? false
  if (!isSame) throw new IonError(doubt.kind, doubt.reason, { hint: doubt.hint })
  return doubt.moved ? { ...rest, moved: doubt.moved } : rest
}

/** Moves the task after its project. Nothing happens while an agent is working on it. */
export async function followProject(request: RunRequest, io: Io, reporter: RunReporter): Promise<RunRequest> {
  const { moved } = request
  if (!moved) return request
  const { moveTask } = await import('./move-task.ts')
  const settled = moveTask(request, moved, io)
  if (!settled.moved) reporter.notice(moveNotice(moved, io))
  return settled
}

export function moveNotice({ from, to }: FolderMove, io: Io): string {
  return `the project was moved from ${tilde(from, io)} to ${tilde(to, io)}; its task and session move with it`
}
