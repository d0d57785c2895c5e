import { join } from 'node:path'
import { readRegularFile } from '../native/regular-file.ts'
import { appendLine, privateFolder } from '../platform/atomic-file.ts'
import { IonError, isMissing, messageOf } from '../platform/error.ts'
import type { Io } from '../platform/io.ts'
import type { ProcessIdentity } from '../platform/process-identity.ts'

export type Way = 'terminal' | 'headless' | 'detached'
export type StartKind = 'cold' | 'warm'

/** A prompt without its text, which is in a file of its own. */
export interface PromptMark {
  /** SHA-256 of the exact text. */
  readonly hash: string
  /** In bytes. */
  readonly length: number
}

/** What happened, in the order in which it did. A run is one process of the task. */
export type LedgerEntry = {
  readonly at: string
  readonly run: string
} & (
  | {
      readonly type: 'planned'
      readonly decision: StartKind
      readonly reason: string
      readonly way: Way
      readonly cwd: string
      readonly args: readonly string[]
      /** The native id: chosen for a cold start, that of the session for a warm one. */
      readonly session: string
      /** The agent could not be given that id, although its adapter says that it can: an older version. */
      readonly naming?: 'told'
      /** It ends with the answer to its prompt even in a terminal, and is opened again then. */
      readonly one_turn?: true
      readonly prompt?: PromptMark
    }
  /** The agent is started next: from here on it may have the prompt. */
  | { readonly type: 'launching'; readonly program: string }
  | { readonly type: 'launched'; readonly process: ProcessIdentity }
  | {
      readonly type: 'session'
      readonly native_id: string
      /** The files of its source, to find it again without a search. */
      readonly files: readonly string[]
      readonly cwd: string
      readonly how: 'chosen' | 'told' | 'found' | 'adopted'
    }
  | { readonly type: 'prompt'; readonly hash: string; readonly state: 'handed over' | 'seen' }
  | { readonly type: 'exited'; readonly code: number | null; readonly signal: string | null }
)

export interface Ledger {
  readonly entries: readonly LedgerEntry[]
  /** Lines that could not be read: a crash tears the last one, and a later start ends it. */
  readonly bad: number
}

const FILE = 'ledger.jsonl'
const VERSION = 1

/** An entry without its time. */
export type NewsEntry = Distribute<LedgerEntry>
type Distribute<T> = T extends unknown ? Omit<T, 'at'> : never

export function ledgerFile(folder: string): string {
  return join(folder, FILE)
}

/** Appends to the ledger; it is on the disk when this returns. */
export function appendEntry(folder: string, entry: NewsEntry, io: Pick<Io, 'now'>): void {
  privateFolder(folder)
  try {
    appendLine(ledgerFile(folder), JSON.stringify({ v: VERSION, at: io.now().toISOString(), ...entry }))
  } catch (error) {
    throw new IonError('failed', `cannot write the task's ledger: ${messageOf(error)}`, {
      cause: error,
      hint: `make room or allow writing in ${folder}; nothing was lost`,
    })
  }
}

/** The ledger of a task; empty when there is none yet. */
export function readLedger(folder: string): Ledger {
  try {
    return parseLedger(readRegularFile(join(folder, FILE)).toString('utf8'))
  } catch (error) {
    if (isMissing(error)) return { entries: [], bad: 0 }
    throw new IonError('failed', `cannot read the task's ledger: ${messageOf(error)}`, {
      cause: error,
      hint: `allow reading ${join(folder, FILE)}; without it Ion cannot know what was sent`,
    })
  }
}

export function parseLedger(text: string): Ledger {
  const entries: LedgerEntry[] = []
  let bad = 0
  for (const line of text.split('\n')) {
    if (line === '') continue
    const entry = parseEntry(line)
    if (entry) entries.push(entry)
    else bad++
  }
  return { entries, bad }
}

function parseEntry(line: string): LedgerEntry | undefined {
  let value: Partial<Record<string, unknown>>
  try {
    value = JSON.parse(line)
  } catch {
    return undefined
  }
  if (!value || typeof value !== 'object') return undefined
  const { v, ...entry } = value
  if (typeof v === 'number' && v > VERSION) {
    throw new IonError('failed', 'a newer version of Ion wrote this ledger', { hint: 'update Ion' })
  }
  const known = typeof entry.at === 'string' && typeof entry.run === 'string' && typeof entry.type === 'string'
  return known ? (entry as unknown as LedgerEntry) : undefined
}
