import { randomBytes } from 'node:crypto'
import { existsSync, readFileSync, renameSync } from 'node:fs'
import { copyFile, link, open, rename, rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import { privateFolder, syncFolder } from '../platform/atomic-file.ts'
import { messageOf } from '../platform/error.ts'
import type { Role } from './contract.ts'
import type { AssignedIds } from './message-ids.ts'

/** A message as AgentAPI's state file has it. */
export interface StoredMessage {
  readonly id: number
  readonly message: string
  readonly role: Role
  readonly time: string
}

/**
 * The chat that `ion serve` saves across restarts: AgentAPI's state file, version 1, with an addition that AgentAPI ignores
 * when it reads the file. (The state files that agentapi itself wrote are imported by archive/ and rotated by run/.)
 */
export interface SavedState {
  readonly version: 1
  readonly messages: readonly StoredMessage[]
  readonly initial_prompt: string
  readonly initial_prompt_sent: boolean
  /** Missing in a file of AgentAPI itself. */
  readonly ion?: {
    /** The native id of the session that the ids belong to. */
    readonly session: string | null
    /** The id of each message of the session, so that they stay the same after a restart. */
    readonly book: AssignedIds
    /** How many of the messages are from before this session. */
    readonly earlier: number
  }
}

export type Loaded =
  | { readonly how: 'loaded'; readonly state: SavedState; readonly note?: string }
  | { readonly how: 'none' }
  /** It could not be read, and was renamed. */
  | { readonly how: 'bad'; readonly why: string; readonly renamedTo: string }

export function previousOf(file: string): string {
  return `${file}.previous`
}

/**
 * The state, or the previous one if it is damaged. A damaged file is renamed first, so that it is not overwritten.
 */
export function loadState(file: string, now: Date): Loaded {
  const current = tryLoad(file)
  if (typeof current === 'object') return { how: 'loaded', state: current }
  const renamedTo = `${file}.bad-${now.toISOString().replace(/[:.]/g, '-')}`
  if (current !== undefined) renameSync(file, renamedTo)
  const previous = tryLoad(previousOf(file))
  if (typeof previous !== 'object')
    return current === undefined ? { how: 'none' } : { how: 'bad', why: current, renamedTo }
  if (current === undefined) return { how: 'loaded', state: previous }
  return { how: 'loaded', state: previous, note: `the state file was damaged (${current}); using the previous one` }
}

/** The state, or the previous one, for another process than the server: nothing is renamed. Undefined if no state was saved. */
export function readState(file: string): SavedState | undefined {
  return [file, previousOf(file)].map(tryLoad).find((state) => typeof state === 'object')
}

/** Durable when it returns, and atomic; the previous file is kept. */
export async function saveState(file: string, state: SavedState): Promise<void> {
  privateFolder(dirname(file))
  const unique = randomBytes(6).toString('hex')
  const [fresh, before] = [`${file}.${unique}.tmp`, `${file}.${unique}.before`]
  try {
    const handle = await open(fresh, 'wx', 0o600)
    try {
      for (const piece of serialized(state)) await handle.writeFile(piece)
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

const PIECE = 256 * 1024

/** In pieces, so that readers are served while a large chat is saved. */
function* serialized({ version, messages, ...rest }: SavedState): Generator<string> {
  let text = `{"version":${version},"messages":[`
  for (const [at, message] of messages.entries()) {
    text += `${at === 0 ? '' : ','}${JSON.stringify(message)}`
    if (text.length < PIECE) continue
    yield text
    text = ''
  }
  yield `${text}],${JSON.stringify(rest).slice(1)}\n`
}

/** The state, undefined if there is no file, or what is wrong with it. */
function tryLoad(file: string): SavedState | string | undefined {
  let text: string
  try {
    text = readFileSync(file, 'utf8')
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ENOENT' ? undefined : messageOf(error)
  }
  try {
    return parseState(JSON.parse(text))
  } catch (error) {
    return messageOf(error)
  }
}

function parseState(value: Partial<SavedState> | null): SavedState {
  if (!value || typeof value !== 'object') throw new Error('not a state file')
  if (value.version !== 1) throw new Error(`unknown version ${value.version} of a state file`)
  const messages = Array.isArray(value.messages) ? value.messages : []
  if (!messages.every(isStoredMessage)) throw new Error('invalid message')
  const { initial_prompt = '', initial_prompt_sent = false, ion } = value
  return { version: 1, messages, initial_prompt, initial_prompt_sent, ...(isIonState(ion) ? { ion } : {}) }
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

function isIonState(ion: SavedState['ion']): ion is NonNullable<SavedState['ion']> {
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

/** Changes within this time are saved together. */
const DEBOUNCE_MS = 250
/** Saving takes up to this share of the time, however large the state is. */
const MAX_SHARE = 0.1

/** Saves the state soon after each change, one save at a time. */
export class StateWriter {
  readonly #file: string
  readonly #state: () => SavedState
  readonly #onError: (message: string) => void
  #timer: NodeJS.Timeout | undefined
  #saving: Promise<void> | undefined
  #notBefore = 0
  #isFailing = false

  constructor(file: string, state: () => SavedState, onError: (message: string) => void) {
    this.#file = file
    this.#state = state
    this.#onError = onError
  }

  changed(): void {
    if (this.#timer) return
    const wait = Math.max(DEBOUNCE_MS, this.#notBefore - performance.now())
    this.#timer = setTimeout(() => {
      this.#timer = undefined
      void this.#save()
    }, wait)
    this.#timer.unref()
  }

  /** Saves a last time. */
  async close(): Promise<void> {
    clearTimeout(this.#timer)
    await this.#saving
    await this.#save()
  }

  async #save(): Promise<void> {
    if (this.#saving) {
      this.changed()
      return
    }
    const began = performance.now()
    this.#saving = saveState(this.#file, this.#state()).then(
      () => {
        this.#isFailing = false
      },
      (error) => {
        if (!this.#isFailing) this.#onError(`cannot save the state: ${messageOf(error)}`)
        this.#isFailing = true
      },
    )
    await this.#saving
    this.#saving = undefined
    this.#notBefore = performance.now() + (performance.now() - began) * (1 / MAX_SHARE - 1)
  }
}
