import type { TranscriptEntry } from '../../../server/browse/contract.ts'
import type { Message } from '../../api/contract.ts'
import type { Row } from '../../state/rows.ts'

const known = new WeakMap<TranscriptEntry, Row | null>()

/** The entries as rows of a conversation, which the chat shows as well. Their keys are the ids of the events. */
export function rowsOfEntries(entries: readonly TranscriptEntry[]): readonly Row[] {
  return entries.flatMap((entry) => {
    const row = known.get(entry) ?? rowOf(entry) ?? null
    known.set(entry, row)
    return row ?? []
  })
}

function rowOf(entry: TranscriptEntry): Row | undefined {
  const { part, event: key, role } = entry
  const message = messageOf(entry)
  switch (part.type) {
    case 'text':
      // What neither the user nor the model wrote is not a prompt.
      if (role === 'system') return { kind: 'note', key, message, subtype: 'system', text: part.text }
      return { kind: role === 'user' ? 'prompt' : 'text', key, message, text: part.text }
    case 'thinking':
      return part.text.trim() === '' ? undefined : { kind: 'thinking', key, message, text: part.text }
    case 'tool_use':
      return { kind: 'call', key, message, call: { ...part, ...timeOf(part.time ?? entry.time) }, result: entry.result }
    case 'tool_result':
      return { kind: 'result', key, message, result: part }
    case 'note':
      if (part.answer) return { kind: 'answer', key, message, answer: part.answer }
      return { kind: 'note', key, message, subtype: part.subtype, text: part.text }
    default:
      return undefined
  }
}

function timeOf(time: string | null): { time?: string } {
  return time === null ? {} : { time }
}

/** A transcript has no messages. One id for all that the agent did, so that calls in a row are folded together. */
function messageOf({ role, time, part, result }: TranscriptEntry): Message {
  const isRunning = part.type === 'tool_use' && !result
  const id = role === 'user' ? 1 : 0
  return { id, role: role === 'user' ? 'user' : 'agent', content: '', time: time ?? '', parts: [], done: !isRunning }
}

/** `updates` replace the entries with their ids; what is new is added at the end. */
export function mergedEntries(
  entries: readonly TranscriptEntry[],
  updates: readonly TranscriptEntry[],
): readonly TranscriptEntry[] {
  const changed = new Map(updates.map((entry) => [entry.event, entry]))
  const merged = entries.map((entry) => {
    const update = changed.get(entry.event)
    changed.delete(entry.event)
    return update ?? entry
  })
  return [...merged, ...changed.values()]
}
