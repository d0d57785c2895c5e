import type { Agent } from '../agents/agent.ts'
import { isProblem, type ProblemCode } from '../events/item.ts'
import type { SessionHead } from '../events/session.ts'
import { readContext } from '../native/read-context.ts'
import { IonError } from '../platform/error.ts'
import type { Io } from '../platform/io.ts'
import { Vault } from '../vault/vault.ts'
import type { Archive } from './archive.ts'

/** What these hide may be the only session of the folder; any other problem is one record that is not a session. */
const HIDING: readonly ProblemCode[] = ['cannot_read', 'locked', 'damaged']

/**
 * Archives the agent's sessions in a folder, each with its exact copy, before something may overwrite them. On disk when
 * this returns. Throws `refused` when one cannot be copied, or when the only session of the folder may be hidden.
 */
export function captureFolder(
  archive: Archive,
  agent: Agent,
  cwd: string,
  io: Io,
  { except }: { readonly except?: string } = {},
): SessionHead[] {
  const sessions = sessionsIn(agent, cwd, io).filter(({ id }) => id !== except)
  const vault = new Vault(io)
  for (const head of sessions) {
    const { uncopied } = archive.capture(agent, head)
    if (uncopied !== undefined) throw notCaptured(uncopied)
    if (agent.onePerFolder && !vault.find(agent, head.id)) throw notCaptured(`session ${head.id} has no data to copy`)
  }
  archive.save()
  return sessions
}

/** The agent's sessions in a folder, as they are in its store now. */
export function sessionsIn(agent: Agent, cwd: string, io: Io): SessionHead[] {
  const reading = readContext(io)
  const found: SessionHead[] = []
  for (const source of agent.sources(reading)) {
    for (const one of isProblem(source) ? [source] : agent.heads(source, reading)) {
      if (!isProblem(one)) {
        if (one.cwd === cwd) found.push(one)
      } else if (agent.onePerFolder && (one.retryable || HIDING.includes(one.code))) {
        throw notCaptured(`${one.path}: ${one.problem}`)
      }
    }
  }
  return found
}

export function notCaptured(why: string): IonError {
  return new IonError('refused', `what exists now cannot be captured: ${why}`, { hint: 'fix that and try again' })
}
