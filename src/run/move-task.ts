import { existsSync, renameSync, rmdirSync, rmSync } from 'node:fs'
import { dirname } from 'node:path'
import { Archive } from '../archive/archive.ts'
import { privateFolder, syncFolder } from '../platform/atomic-file.ts'
import { attempt, IonError, messageOf } from '../platform/error.ts'
import { tilde } from '../platform/home.ts'
import type { Io } from '../platform/io.ts'
import { isHolder, leaseHolder } from '../platform/lease.ts'
import { type FolderMove, isWithin } from '../platform/project.ts'
import { moveSession } from '../vault/move-session.ts'
import { Vault } from '../vault/vault.ts'
import { gatherFacts } from './facts.ts'
import { serverLease, takeTask } from './lease.ts'
import { appendEntry, ledgerFile, readLedger } from './ledger.ts'
import type { ProjectMove } from './locate-task.ts'
import type { RunRequest } from './request.ts'
import { runningAgents } from './run-processes.ts'
import { type LocatedSession, SessionLookup } from './session-lookup.ts'
import { type TaskState, taskState } from './task-state.ts'
import { pinnedElsewhere, writeTaskFile } from './tasks.ts'

/**
 * Moves a task to the new place of its project: its session in the agent's store, then its folder. Returns the request for
 * it; unchanged while an agent is working on the task, which the run then reports. Refused while a server serves it. Whatever interrupts it, the next start
 * completes it.
 */
export function moveTask(request: RunRequest, moved: ProjectMove, io: Io): RunRequest {
  const { task, mode } = request
  const lease = takeTask(task.folder, mode, io.now())
  if (isHolder(lease)) return request
  const server = leaseHolder(serverLease(task.folder))
  if (server) {
    lease.release()
    throw stillServed(request, moved, server.pid, io)
  }
  let folder = task.folder
  try {
    const state = taskState(readLedger(folder).entries)
    if (runningAgents(state).length > 0) return request
    const session = request.adopt ?? sessionOf(request, state, io)
    const now = session && moveInStore(request, session, moved, io)
    if (folder !== moved.task.folder) {
      moveFolderOf(task.folder, moved.task.folder)
      folder = moved.task.folder
    }
    writeTaskFile(moved.task)
    appendEntry(folder, { type: 'moved', run: 'moved', from: moved.from, to: moved.to }, io)
    if (now && taskState(readLedger(folder).entries).session?.native_id === now.head.native_id) {
      const { native_id, cwd } = now.head
      appendEntry(
        folder,
        { type: 'session', run: 'moved', native_id, files: now.files, cwd: cwd ?? moved.to, how: 'found' },
        io,
      )
    }
    const { moved: _, ...rest } = request
    return { ...rest, task: moved.task, ...(request.adopt && now ? { adopt: now } : {}) }
  } catch (error) {
    throw cannotMove(request, moved, error, io)
  } finally {
    lease.release(folder)
  }
}

/** Its server knows the old folders only. */
function stillServed({ command }: RunRequest, { from }: FolderMove, pid: number, io: Io): IonError {
  return new IonError(
    'refused',
    `ion serve still serves this task in ${tilde(from, io)}, where its project was (pid ${pid})`,
    {
      hint: `stop it: kill ${pid}; then ${command} again`,
    },
  )
}

function cannotMove({ agent, command }: RunRequest, { from, to }: FolderMove, error: unknown, io: Io): IonError {
  const kind = error instanceof IonError ? error.kind : 'failed'
  const where = `from ${tilde(from, io)} to ${tilde(to, io)}`
  return new IonError(kind, `the session of ${agent.title} cannot be moved ${where}: ${messageOf(error)}`, {
    cause: error,
    hint: `fix that and try again, or move the folder back; ${command} --new "…" starts a new session`,
  })
}

/** Also one that an interrupted cold start created, which is searched by the old folder for the last time. */
function sessionOf({ agent, task }: RunRequest, state: TaskState, io: Io): LocatedSession | undefined {
  const others = (): ReadonlySet<string> => pinnedElsewhere(agent.id, task.folder, io)
  const { session, news, unreadable } = gatherFacts(agent, task.folder, state, io, others)
  if (unreadable !== undefined) throw new IonError('failed', unreadable)
  for (const entry of news) appendEntry(task.folder, entry, io)
  return session
}

/** Returns the session as it is in the store afterwards. Nothing is changed before its exact copy is in the archive. */
function moveInStore(
  { agent, task }: RunRequest,
  { head, files }: LocatedSession,
  { from, to }: FolderMove,
  io: Io,
): LocatedSession {
  if (!agent.backup || head.cwd === null || !isWithin(head.cwd, from)) return { head, files }
  // Moved before, into a folder below its old one.
  if (isWithin(to, from) && isWithin(head.cwd, to)) return { head, files }
  const archive = new Archive(io)
  try {
    const { uncopied } = archive.capture(agent, head)
    archive.save()
    if (uncopied !== undefined) throw new IonError('failed', `it cannot be copied first: ${uncopied}`)
    const vault = new Vault(io)
    const version = vault.find(agent, head.id)?.versions.at(-1)
    // Nothing is stored on this machine.
    if (!version) return { head, files }
    moveSession({ agent, head, version, vault, from, to, io })
  } finally {
    archive.close()
  }
  return new SessionLookup(agent, io, task.folder).find(head.native_id) ?? { head, files }
}

/** The target may have what an earlier run left that was refused: without a ledger, nothing was ever started there. */
function moveFolderOf(from: string, to: string): void {
  if (existsSync(ledgerFile(to))) throw new IonError('refused', 'there is another task in its new place')
  privateFolder(dirname(to))
  rmSync(to, { recursive: true, force: true })
  renameSync(from, to)
  syncFolder(dirname(to))
  // The project may have other tasks.
  attempt(() => rmdirSync(dirname(from)))
}
