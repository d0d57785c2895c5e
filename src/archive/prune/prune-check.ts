import { agents } from '../../agents/_registry.ts'
import type { Agent } from '../../agents/agent.ts'
import type { IonEvent } from '../../events/event.ts'
import { isProblem, isTransient } from '../../events/item.ts'
import type { SessionHead } from '../../events/session.ts'
import { HashSet } from '../../native/hash-set.ts'
import { readContext } from '../../native/read-context.ts'
import type { Io } from '../../platform/io.ts'

/**
 * Why the archive, in the log at `path`, does not give every event of the session that is in the agent's store now; undefined when it does. Both
 * are read for it, from the disk and to their ends.
 */
export function missingInArchive(agent: Agent, head: SessionHead, path: string, io: Io): string | undefined {
  const archive = agents.find(({ isArchive }) => isArchive)!
  const known = new HashSet()
  for (const item of archive.read({ ...head, path }, readContext(io))) {
    if (isProblem(item)) return `its archive cannot be read: ${item.problem}`
    known.add(keyOf(item.event))
  }
  for (const item of agent.read(head, readContext(io))) {
    if (isProblem(item)) {
      if (isTransient(item)) return item.problem
      // A record that is no record is in the exact copy.
      continue
    }
    // True when it was not there.
    if (known.add(keyOf(item.event))) return 'its archive does not have all of it'
  }
  return undefined
}

/**
 * The same for two readings of an event that say the same; its place in the log says nothing, and neither does a time that
 * was only guessed. The header is that of the first time, whatever the session is called now.
 */
function keyOf(event: IonEvent): string {
  const { type, seq: _seq, timestamp, ...rest } = event
  return type === 'session_start' ? type : JSON.stringify([type, event.timestamp_guessed ? '' : timestamp, rest])
}
