import type { Located } from '../../catalog/read-session.ts'
import { isEvent } from '../../events/item.ts'
import { readContext } from '../../native/read-context.ts'
import type { Io } from '../../platform/io.ts'
import { Pace } from '../../platform/pace.ts'
import type { TranscriptEntry } from './contract.ts'
import { entryDigest } from './entries.ts'

/** An entry with its text, input and result in full, read again from the store. Undefined if there is no such event. */
export async function entryOf({ head, reader }: Located, event: string, io: Io): Promise<TranscriptEntry | undefined> {
  const pace = new Pace(undefined)
  let found: TranscriptEntry | undefined
  for (const item of reader.read(head, readContext(io))) {
    if (pace.isDue) await pace.turn()
    if (!isEvent(item)) continue
    if (item.event.id === event) {
      found = entryDigest(item.event, true).entry
      if (found?.part.type !== 'tool_use') return found
    } else if (found && item.event.type === 'tool_result' && item.event.tool_use_id === event) {
      const { result } = entryDigest(item.event, true)
      return result ? { ...found, result } : found
    }
  }
  return found
}
