import { existsSync } from 'node:fs'
import { basename, join, resolve } from 'node:path'
import { sessionId } from '../events/id.ts'
import { IonError } from '../platform/error.ts'
import { gitIdentity } from '../platform/git-identity.ts'
import { tasksFolder, tilde } from '../platform/home.ts'
import type { Io } from '../platform/io.ts'
import { tryListNames } from '../platform/list-dir.ts'
import { projectOf } from '../platform/project.ts'
import { type FolderIdentity, folderIdentity, isSameFolder } from '../platform/project-identity.ts'
import { ledgerFile, readLedger } from './ledger.ts'
import type { ProjectMove } from './locate-task.ts'
import { isMovedHere, isOtherProject, type MoveCandidate } from './moved-project.ts'
import { isAmong } from './prompt.ts'
import type { RunRequest } from './request.ts'
import { type TaskState, taskState } from './task-state.ts'
import { readTaskFile, type TaskFile } from './tasks.ts'

/** Another repository at the path of the task. */
export async function doubtReplaced(request: RunRequest, io: Io): Promise<RunRequest> {
  const { task, command, agent } = request
  const recorded = readTaskFile(task.folder)?.identity
  const folder = folderIdentity(task.project)
  const git = await gitIdentity(task.project, io)
  if (!isOtherProject(recorded, { ...(folder ? { folder } : {}), ...(git ? { git } : {}) })) return request
  const { session } = stateAt(task.folder)
  const name = session ? `session ${sessionId(agent.id, session.native_id)}` : 'it'
  const place = tilde(task.project, io)
  return {
    ...request,
    doubt: {
      kind: 'refused',
      reason: `the repository in ${place} is not the one in which this task was started: their histories have no commit in common`,
      hint: `${command} --new "…" starts a new session here; ${command} --same-project resumes ${name}`,
      question: `The repository in ${place} is not the one in which this task was started. Resume ${name} here anyway?`,
    },
  }
}

/** The request for the task at its old place, which is still to be moved. */
function withMove(request: RunRequest, moved: ProjectMove, folder: string): RunRequest {
  return { ...request, task: { ...moved.task, folder }, moved }
}

interface OldTask extends MoveCandidate {
  readonly file: TaskFile
  readonly folder: string
  readonly state: TaskState
}

/** A task of that agent and name whose project was moved here, or may have been. */
export async function findMoved(request: RunRequest, io: Io): Promise<RunRequest> {
  const { task } = request
  const folder = folderIdentity(task.project)
  const candidates = [...oldTasks(request, folder, io)]
  if (candidates.length === 0) return request
  const git = candidates.some(({ identity }) => identity?.git) ? await gitIdentity(task.project, io) : undefined
  const here = { project: task.project, ...(folder ? { folder } : {}), ...(git ? { git } : {}) }
  const judged = candidates.map((candidate) => ({ candidate, likely: isMovedHere(candidate, here) }))
  const sure = judged.filter(({ likely }) => likely === 'sure').map(({ candidate }) => candidate)
  const same = sure.find(({ identity }) => isSameFolder(identity?.folder, folder)) ?? (sure.length === 1 && sure[0])
  if (same) return withMove(request, moveOf(same, request), same.folder)
  const likely = sure.length > 0 ? sure : judged.filter((one) => one.likely).map(({ candidate }) => candidate)
  return likely.length > 0 ? doubtMoved(request, likely, io) : request
}

/** The tasks of that agent and name whose folder is no longer at its path; those used last come first. */
function oldTasks({ task, prompt }: RunRequest, here: FolderIdentity | undefined, io: Io): OldTask[] {
  const found: OldTask[] = []
  for (const project of tryListNames(tasksFolder(io))) {
    const folder = join(tasksFolder(io), project, basename(task.folder))
    const file = folder === task.folder ? undefined : readTaskFile(folder)
    if (!file || file.agent !== task.agent || file.name !== task.name) continue
    const folderThere = folderIdentity(file.project)
    if (folderThere && !isSameFolder(file.identity?.folder, here)) continue
    const state = stateAt(folder)
    if (!state.session && state.runs.length === 0) continue
    const given = state.runs.flatMap((run) => run.prompt ?? [])
    const hasSamePrompt = prompt !== undefined && isAmong(prompt, given, folder)
    const { project: path, identity } = file
    found.push({ file, folder, state, project: path, identity, folderThere, hasSamePrompt })
  }
  return found.sort((a, b) => (b.state.lastAt ?? '').localeCompare(a.state.lastAt ?? ''))
}

function moveOf({ project }: OldTask, { task }: RunRequest): ProjectMove {
  return { from: project, to: task.project, task }
}

function doubtMoved(request: RunRequest, candidates: readonly OldTask[], io: Io): RunRequest {
  const { agent, command, task } = request
  const [first] = candidates as [OldTask, ...OldTask[]]
  const place = tilde(first.project, io)
  const name = first.state.session ? `session ${sessionId(agent.id, first.state.session.native_id)}` : 'its task'
  const ways = candidates.slice(0, 3).map(({ project }) => `${command} --moved-from ${typed(project, io)}`)
  const doubted = withMove(request, moveOf(first, request), first.folder)
  const { moved, ...rest } = doubted
  return {
    ...rest,
    doubt: {
      kind: 'refused',
      reason: `${tilde(task.project, io)} may be what was ${place}, which has a task of ${agent.title} and does not exist any more`,
      hint: `${ways.join(', or ')} resumes it here; ${command} --new "…" starts a new session`,
      question: `${place} does not exist any more. Was it moved to ${tilde(task.project, io)}, and should ${name} be resumed here?`,
      ...(moved ? { moved } : {}),
    },
  }
}

/** The task of the project that the user says was moved. */
export function movedByChoice(request: RunRequest, movedFrom: string, io: Io): RunRequest {
  const { task, agent, command } = request
  const path = resolve(io.cwd, movedFrom)
  const real = existsSync(path) ? projectOf(path) : path
  const found = tryListNames(tasksFolder(io))
    .map((project) => join(tasksFolder(io), project, basename(task.folder)))
    .map((folder) => ({ folder, file: readTaskFile(folder) }))
    .find(({ file }) => file?.agent === task.agent && file.name === task.name && file.project === real)
  if (found?.folder === task.folder || (!found && hasMovedFrom(task.folder, real))) return request
  if (!found?.file) {
    throw new IonError('not-found', `there is no task "${task.name}" of ${agent.title} in ${tilde(real, io)}`, {
      hint: 'ion ps --all shows where the tasks are',
    })
  }
  const there = folderIdentity(real)
  if (there && (!found.file.identity || isSameFolder(found.file.identity.folder, there))) {
    throw new IonError('refused', `${tilde(real, io)} still exists: its task was not moved`, {
      hint: `a copy is a project of its own: ${command} "…" without --moved-from`,
    })
  }
  if (existsSync(ledgerFile(task.folder))) {
    const { session } = stateAt(found.folder)
    const id = session && sessionId(agent.id, session.native_id)
    throw new IonError('refused', `this folder already has a task "${task.name}" of ${agent.title}`, {
      hint: id ? `ion --resume ${id} --here resumes the other one beside it` : `use another name: --task <name>`,
    })
  }
  return withMove(request, { from: real, to: task.project, task }, found.folder)
}

/** The same command again, after the task was moved. */
function hasMovedFrom(folder: string, path: string): boolean {
  return readTaskFile(folder)?.moved_from?.includes(path) ?? false
}

function stateAt(folder: string): TaskState {
  return taskState(readLedger(folder).entries)
}

/** A path as it can be typed in a shell. */
function typed(path: string, io: Io): string {
  const short = tilde(path, io)
  return /^[\w@%+=:,./~-]+$/.test(short) ? short : `'${path.replaceAll("'", "'\\''")}'`
}
