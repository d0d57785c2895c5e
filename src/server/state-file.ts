import { randomBytes } from 'node:crypto'
import { existsSync, readFileSync, renameSync } from 'node:fs'
import { copyFile, link, open, rename, rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import { privateFolder, syncFolder } from '../platform/atomic-file.ts'
import { messageOf } from '../platform/error.ts'
import type { Role } from './message.ts'
import type { IdBook } from './message-ids.ts'

/** A message as AgentAPI's state file has it. */
export interface StoredMessage {
  readonly id: number
  readonly message: string
  readonly role: Role
  readonly time: string
}

/** AgentAPI's state file, version 1, and what Ion adds to it. AgentAPI reads it too, and passes by what it does not know. */
export interface SavedState {
  readonly version: 1
  readonly messages: readonly StoredMessage[]
  readonly initial_prompt: string
  readonly initial_prompt_sent: boolean
  /** Left out in a file of AgentAPI itself. */
  readonly ion?: {
    /** The native id of the session that the numbers are of. */
    readonly session: string | null
    readonly book: IdBook
    /** How many of the messages are from before this session. */
    readonly earlier: number
  }
}

export type Loaded =
  | { readonly how: 'loaded'; readonly state: SavedState; readonly note?: string }
  | { readonly how: 'none' }
  /** There was one, and nothing of it can be read; it was put aside as `asideAs`. */
  | { readonly how: 'bad'; readonly why: string; readonly asideAs: string }

export function previousOf(file: string): string {
  return `${file}.previous`
}

/**
 * The state, or the one before it where the last is damaged. A damaged file is never written over: it is put aside under
 * another name first.
 */
export function loadState(file: string, now: Date): Loaded {
  const first = tryLoad(file)
  if (first === undefined || typeof first !== 'string') {
    if (first) return { how: 'loaded', state: first }
    const previous = tryLoad(previousOf(file))
    return typeof previous === 'object' ? { how: 'loaded', state: previous } : { how: 'none' }
  }
  const asideAs = `${file}.bad-${now.toISOString().replace(/[:.]/g, '-')}`
  renameSync(file, asideAs)
  const previous = tryLoad(previousOf(file))
  if (typeof previous === 'object') {
    return { how: 'loaded', state: previous, note: `the state file was damaged (${first}); the one before it is used` }
  }
  return { how: 'bad', why: first, asideAs }
}

/** On the disk when it is done, and at every moment there is a whole one; the one before it is kept. */
export async function saveState(file: string, state: SavedState): Promise<void> {
  privateFolder(dirname(file))
  const mark = randomBytes(6).toString('hex')
  const [fresh, before] = [`${file}.${mark}.tmp`, `${file}.${mark}.before`]
  try {
    const handle = await open(fresh, 'wx', 0o600)
    try {
      await handle.writeFile(`${JSON.stringify(state)}\n`)
      await handle.sync()
    } finally {
      await handle.close()
    }
    if (existsSync(file)) {
      await link(file, before).catch(() => copyFile(file, before))
      await rename(before, previousOf(file))
    }
    await rename(fresh, file)
  } catch (error) {
    await Promise.all([rm(fresh, { force: true }), rm(before, { force: true })])
    throw error
  }
  syncFolder(dirname(file))
}

/** The state, undefined when there is no file, or why it is none. */
function tryLoad(file: string): SavedState | string | undefined {
  let text: string
  try {
    text = readFileSync(file, 'utf8')
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ENOENT' ? undefined : messageOf(error)
  }
  try {
    return checked(JSON.parse(text))
  } catch (error) {
    return messageOf(error)
  }
}

function checked(value: Partial<SavedState> | null): SavedState {
  if (!value || typeof value !== 'object') throw new Error('not a state file')
  if (value.version !== 1) throw new Error(`version ${value.version} of a state file is not known`)
  const messages = Array.isArray(value.messages) ? value.messages : []
  if (!messages.every(isStoredMessage)) throw new Error('it has something else than messages in it')
  const { initial_prompt = '', initial_prompt_sent = false, ion } = value
  return { version: 1, messages, initial_prompt, initial_prompt_sent, ...(isOurs(ion) ? { ion } : {}) }
}

function isStoredMessage(value: Partial<StoredMessage> | null): value is StoredMessage {
  return (
    !!value &&
    Number.isSafeInteger(value.id) &&
    typeof value.message === 'string' &&
    (value.role === 'user' || value.role === 'agent') &&
    typeof value.time === 'string'
  )
}

function isOurs(ion: SavedState['ion']): ion is NonNullable<SavedState['ion']> {
  return (
    !!ion &&
    (ion.session === null || typeof ion.session === 'string') &&
    Number.isSafeInteger(ion.earlier) &&
    Number.isSafeInteger(ion.book?.next) &&
    typeof ion.book.ids === 'object' &&
    ion.book.ids !== null &&
    Object.values(ion.book.ids).every(Number.isSafeInteger)
  )
}
