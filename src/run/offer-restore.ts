import type { Agent } from '../agents/agent.ts'
import { Archive } from '../archive/archive.ts'
import { captureFolder, sessionsIn } from '../archive/capture-folder.ts'
import { sessionId } from '../events/id.ts'
import type { SessionHead } from '../events/session.ts'
import { IonError } from '../platform/error.ts'
import type { Io } from '../platform/io.ts'
import { localTime } from '../platform/local-time.ts'
import { currentFolder } from '../platform/project.ts'
import type { BackedUpSession, BackupVersion } from '../vault/manifest.ts'
import type { Move } from '../vault/path-rewrite.ts'
import { restore } from '../vault/restore.ts'
import { Vault } from '../vault/vault.ts'
import type { RunContext, RunRequest } from './request.ts'
import { refuseBusyFolder, replaced } from './shared-folder.ts'
import { movesOf, pinnedElsewhere } from './tasks.ts'

/**
 * The task's session is missing from the agent's store. Restores its exact copy if the user wants that, and returns true;
 * returns false if there is no copy. Otherwise throws an error that says how to restore it.
 */
export async function offerRestore({ request, io, reporter }: RunContext, native_id: string): Promise<boolean> {
  const { agent, command } = request
  const id = sessionId(agent.id, native_id)
  const copy = new Vault(io).find(agent, id)
  const version = copy?.versions.at(-1)
  if (!copy || !version) return false
  const what = `session ${id} is gone from the store of ${agent.title}; Ion has a copy from ${localTime(version.at)}`
  const isWanted = request.restore || isReplacedByTask(request, copy, io)
  if (!isWanted && !(await reporter.confirm?.(`${what}. Restore it and continue?`))) {
    throw new IonError('refused', what, {
      hint: `${command} --restore restores it and continues; --new starts the task again in a new session`,
    })
  }
  // The copy may be from before the project was moved.
  const moves = movesOf(request.task)
  const move: Move | undefined = moves.length > 0 ? (path) => currentFolder(path, moves) : undefined
  if (agent.onePerFolder && copy.cwd !== null) refuseBusyFolder(request, move?.(copy.cwd) ?? copy.cwd, io)
  for (const other of swapIn(agent, copy, version, move, io)) reporter.notice(replaced(other, 'had its place'))
  reporter.notice(`restored session ${id} as of ${localTime(version.at)}`)
  return true
}

/** Whether the session of another task has its place: Ion itself replaced it when it started that, so it restores it too. */
function isReplacedByTask({ agent, task }: RunRequest, { cwd }: BackedUpSession, io: Io): boolean {
  if (!agent.onePerFolder || cwd === null) return false
  const ofTasks = pinnedElsewhere(agent.id, task.folder, io)
  return sessionsIn(agent, cwd, io).some(({ native_id }) => ofTasks.has(native_id))
}

/**
 * Restores the copy. In a folder that has one session, another one may be in its place: that is archived first, with its
 * exact copy on disk, and only then replaced. Returns what was replaced.
 */
function swapIn(
  agent: Agent,
  copy: BackedUpSession,
  { parts }: BackupVersion,
  move: Move | undefined,
  io: Io,
): readonly SessionHead[] {
  const archive = new Archive(io)
  try {
    const folder = agent.onePerFolder && copy.cwd !== null ? (move?.(copy.cwd) ?? copy.cwd) : undefined
    const others = folder === undefined ? [] : captureFolder(archive, agent, folder, io, { except: copy.id })
    const vault = new Vault(io)
    const content = vault.content.bind(vault)
    restore({ ...copy, agent, parts, content, io, ...(move ? { move } : {}), replace: others.length > 0 })
    return others
  } catch (error) {
    // The hint of a restore names options of `ion restore`.
    if (!(error instanceof IonError) || error.kind !== 'refused') throw error
    throw new IonError('refused', error.message, {
      cause: error,
      hint: `to replace what is there: ion restore ${copy.id} --replace`,
    })
  } finally {
    archive.close()
  }
}
