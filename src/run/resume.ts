import { randomUUID } from 'node:crypto'
import { existsSync } from 'node:fs'
import type { Agent } from '../agents/agent.ts'
import { findAgent } from '../agents/find.ts'
import type { SessionHead } from '../events/session.ts'
import { IonError } from '../platform/error.ts'
import { gitIdentity } from '../platform/git-identity.ts'
import { tilde } from '../platform/home.ts'
import type { Io } from '../platform/io.ts'
import { currentFolder, type FolderMove, isWithin, projectOf } from '../platform/project.ts'
import { folderIdentity } from '../platform/project-identity.ts'
import { hasCopy } from '../vault/manifest.ts'
import { expectedDialogs } from './facts.ts'
import { ledgerFile } from './ledger.ts'
import type { ProjectDoubt, ProjectMove } from './locate-task.ts'
import { isMovedHere } from './moved-project.ts'
import { type ComposedPlan, composePlan } from './plan.ts'
import { findProgram } from './program.ts'
import { realFolder, type Task, taskOf } from './task.ts'
import { hasSession, knownTasks, movesOf, readTaskFile, taskOfSession } from './tasks.ts'

interface StoredSession {
  readonly head: SessionHead
  /** The adapter of its store; Ion's archive has sessions of other agents. */
  readonly reader: Agent
}

/** A session that can be resumed: in which agent, folder and task. */
export interface Resumable {
  readonly agent: Agent
  readonly cwd: string
  readonly task: Task
  /** Its folder was moved here. */
  readonly moved?: ProjectMove
  /** Its folder is gone, and whether it was moved here is not known. */
  readonly doubt?: ProjectDoubt
}

/**
 * A session becomes a task named by its id, unless it already is one. Throws `refused` if it cannot be resumed.
 * `here`: the user says that its folder is now the current one.
 */
export async function toResumable({ head, reader }: StoredSession, io: Io, here = false): Promise<Resumable> {
  const { id } = head
  // Also if Ion does not know its agent, as with imported sessions.
  if (reader.id !== head.agent) {
    throw new IonError('refused', `session ${id} is only in Ion's archive`, {
      hint: hasCopy(head, io)
        ? `restore it first: ion restore ${id}; or read it: ion show ${id}`
        : `it has no exact copy to restore; to continue it in a new session: ion --resume ${id} --in <agent>; to read it: ion show ${id}`,
    })
  }
  const agent = findAgent(head.agent)
  if (!agent.start || !head.resumable) {
    throw new IonError('refused', `${agent.title} cannot resume session ${id}: ${agent.resume.note}`, {
      hint: `ion show ${id}`,
    })
  }
  const owner = taskOfSession(agent.id, head.native_id, io)
  const recorded = head.cwd ?? realFolder(io.cwd)
  const cwd = owner ? currentFolder(recorded, movesOf(owner)) : recorded
  if (!existsSync(cwd)) return movedResumable(agent, head, cwd, owner, here, io)
  if (here && head.cwd !== null) {
    throw new IonError('usage', `the folder of session ${id} still exists: ${tilde(cwd, io)}`, {
      hint: `ion --resume ${id} opens it there; --here is for a folder that was moved`,
    })
  }
  return { agent, cwd: realFolder(cwd), task: owner ?? newTask(agent, realFolder(cwd), id, io) }
}

async function movedResumable(
  agent: Agent,
  head: SessionHead,
  gone: string,
  owner: Task | undefined,
  here: boolean,
  io: Io,
): Promise<Resumable> {
  const { id } = head
  const current = realFolder(io.cwd)
  const known = await movedFrom(gone, io)
  const move = known ?? { from: owner && isWithin(gone, owner.project) ? owner.project : gone, to: projectOf(current) }
  const cwd = currentFolder(gone, [move])
  // A session that worked in a folder of the project that this one does not have works at its top.
  const placed = existsSync(cwd) ? { cwd, move } : { cwd: current, move: { from: gone, to: current } }
  const wanted = owner ? taskOf(agent.id, placed.cwd, owner.name, io) : newTask(agent, placed.cwd, id, io)
  const isTaken = wanted.folder !== owner?.folder && existsSync(ledgerFile(wanted.folder))
  const task = isTaken ? newTask(agent, placed.cwd, id, io) : wanted
  const moved: ProjectMove = { ...placed.move, task }
  const base = { agent, cwd: placed.cwd, task: { ...task, folder: owner?.folder ?? task.folder } }
  if (known || here) return { ...base, moved }
  return {
    ...base,
    doubt: {
      kind: 'not-found',
      reason: `the folder of session ${id} does not exist any more: ${gone}`,
      hint:
        `if it was moved: cd to its new place, then ion --resume ${id} --here; ion show ${id} reads the session; ` +
        `mkdir -p ${gone} creates the folder again`,
      question: `The folder of session ${id} does not exist any more: ${gone}. Was it moved, and should the session be resumed in ${placed.cwd}?`,
      moved,
    },
  }
}

/** Whether a task of any agent knows that the project which contained the folder is now the current one. */
async function movedFrom(gone: string, io: Io): Promise<FolderMove | undefined> {
  const project = projectOf(io.cwd)
  const identities = [...knownTasks(io)]
    .filter(({ task }) => isWithin(gone, task.project))
    .flatMap(({ task }) => {
      const identity = readTaskFile(task.folder)?.identity
      return identity ? [{ identity, project: task.project }] : []
    })
  if (identities.length === 0) return undefined
  const folder = folderIdentity(project)
  const git = await gitIdentity(project, io)
  const here = { project, ...(folder ? { folder } : {}), ...(git ? { git } : {}) }
  const found = identities.find(
    ({ identity, project: from }) =>
      isMovedHere({ project: from, identity, folderThere: folderIdentity(from), hasSamePrompt: false }, here) ===
      'sure',
  )
  return found && { from: found.project, to: project }
}

/** Named by the beginning of the id, or by all of it if a task of another session has that name. */
function newTask(agent: Agent, cwd: string, id: string, io: Io): Task {
  const task = taskOf(agent.id, cwd, id.slice(0, 8), io)
  return hasSession(task, io) ? taskOf(agent.id, cwd, id, io) : task
}

/** The plan to open a session in a terminal, sending nothing. Starts nothing. */
export async function planResume(stored: StoredSession, args: readonly string[], io: Io): Promise<ComposedPlan> {
  const { agent, cwd, task, moved, doubt } = await toResumable(stored, io)
  const { head } = stored
  if (moved || doubt) {
    throw new IonError('not-found', `the folder of session ${head.id} does not exist any more: ${head.cwd}`, {
      hint: `ion --resume ${head.id} in its new place moves the session there`,
    })
  }
  const openIn = agent.live?.(io, [head.native_id]).get(head.native_id)
  if (openIn) {
    throw new IonError('refused', `session ${head.id} is open in another ${agent.title} (pid ${openIn})`, {
      hint: 'close it there',
    })
  }
  const program = await findProgram(agent, io)
  const dialogs = expectedDialogs(agent, { cwd, io, args })
  const session = { head, files: [head.path] }
  return composePlan(
    { decision: 'warm', reason: `session ${head.id}`, cwd, session, prompt: undefined, notes: [] },
    { agent, task, mode: 'terminal', program, args, io, agentapi: undefined, dialogs, fresh: randomUUID },
  )
}
