import { fileURLToPath } from 'node:url'
import { ReadError } from '../../events/item.ts'
import { asArray, asObject, asString } from '../../native/narrow.ts'
import { toIso } from '../../native/time.ts'
import { messageOf } from '../../platform/error.ts'

/** A complete thread: a local file of early 2026, or what `amp threads export` prints today. */
export type Thread = Readonly<Record<string, unknown>>

/** Ids go into file names and command lines, so nothing else is accepted as one. */
export const THREAD_ID = /^T-[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

/** Throws when it is not a thread. */
export function parseThread(text: string): Thread {
  const thread = asObject(parseJson(text))
  if (!thread || !Array.isArray(thread.messages)) throw new ReadError('invalid_record', 'not a thread: no messages')
  return thread
}

/** Throws with a message that says what is wrong, not only where. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    throw new ReadError('not_json', `not JSON: ${messageOf(error).slice(0, 120)}`, error)
  }
}

/** The folder the thread was started in. */
export function cwdOf(thread: Thread): string | null {
  const [tree] = asArray(asObject(asObject(thread.env)?.initial)?.trees) ?? []
  return folderOf(asObject(tree)?.uri)
}

export function folderOf(uri: unknown): string | null {
  try {
    return fileURLToPath(asString(uri) ?? '')
  } catch {
    return null
  }
}

export function versionOf(thread: Thread): string | null {
  return asString(asObject(asObject(asObject(thread.env)?.initial)?.platform)?.clientVersion) ?? null
}

/** The time of the last message that has one. */
export function updatedAt(thread: Thread): string | null {
  const times = ledger(thread).map((event) => toIso(event.timestamp))
  for (const message of asArray(thread.messages) ?? []) {
    times.push(toIso(asObject(asObject(message)?.meta)?.sentAt), toIso(asObject(asObject(message)?.usage)?.timestamp))
  }
  return (
    times
      .filter((time) => time !== undefined)
      .sort()
      .at(-1) ?? null
  )
}

/** What each request to a model cost, and when. */
export function ledger(thread: Thread): readonly Readonly<Record<string, unknown>>[] {
  return (asArray(asObject(thread.usageLedger)?.events) ?? []).map((event) => asObject(event) ?? {})
}
