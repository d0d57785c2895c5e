import { Archive } from '../archive/archive.ts'
import { sessionId } from '../events/id.ts'
import { IonError } from '../platform/error.ts'
import type { Io } from '../platform/io.ts'
import { restore } from '../vault/restore.ts'
import { Vault } from '../vault/vault.ts'
import { timeOf } from './decide.ts'
import type { RunReporter, RunRequest } from './request.ts'

/**
 * The task's session is gone from the agent's store. True when its exact copy was put back, because the user wants it;
 * false when there is none. Otherwise refuses, and says how it is done.
 */
export async function offerRestore(
  request: RunRequest,
  native_id: string,
  io: Io,
  voice: RunReporter,
): Promise<boolean> {
  const { agent, command } = request
  const id = sessionId(agent.id, native_id)
  const kept = new Vault(io).find(agent, id)
  const version = kept?.versions.at(-1)
  if (!kept || !version) return false
  const what = `session ${id.slice(0, 8)} is gone from the store of ${agent.title}; Ion has its copy of ${timeOf(version.at)}`
  const isWanted = request.restore || ((await voice.confirm?.(`${what}. Put it back and go on?`)) ?? false)
  if (!isWanted) {
    throw new IonError('refused', what, {
      hint: `${command} --restore puts it back and goes on; --new starts the task again in a new session`,
    })
  }
  const archive = new Archive(io)
  try {
    const vault = new Vault(io)
    restore({ ...kept, agent, parts: version.parts, content: vault.content.bind(vault), io })
  } finally {
    archive.close()
  }
  voice.notice(`put back session ${id.slice(0, 8)}, as it was ${timeOf(version.at)}`)
  return true
}
