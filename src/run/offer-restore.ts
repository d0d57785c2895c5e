import { Archive } from '../archive/archive.ts'
import { sessionId } from '../events/id.ts'
import { IonError } from '../platform/error.ts'
import { localTime } from '../platform/local-time.ts'
import { restore } from '../vault/restore.ts'
import { Vault } from '../vault/vault.ts'
import type { RunContext } from './request.ts'

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
  const what = `session ${id.slice(0, 8)} is gone from the store of ${agent.title}; Ion has a copy from ${localTime(version.at)}`
  const isWanted = request.restore || ((await reporter.confirm?.(`${what}. Restore it and continue?`)) ?? false)
  if (!isWanted) {
    throw new IonError('refused', what, {
      hint: `${command} --restore restores it and continues; --new starts the task again in a new session`,
    })
  }
  const archive = new Archive(io)
  try {
    const vault = new Vault(io)
    restore({ ...copy, agent, parts: version.parts, content: vault.content.bind(vault), io })
  } finally {
    archive.close()
  }
  reporter.notice(`restored session ${id.slice(0, 8)} as of ${localTime(version.at)}`)
  return true
}
