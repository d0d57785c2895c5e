import { statSync } from 'node:fs'
import { join } from 'node:path'
import { parsedObject } from '../native/narrow.ts'
import { readRegularFile } from '../native/regular-file.ts'
import { appendLine, privateFolder } from '../platform/atomic-file.ts'
import { IonError, isMissing, messageOf } from '../platform/error.ts'
import type { Io } from '../platform/io.ts'
import type { ProcessIdentity } from '../platform/process.ts'
import { writeHint } from '../platform/write-hint.ts'

export type RunMode = 'terminal' | 'headless' | 'detached'
export type StartKind = 'cold' | 'warm'

/** A prompt without its text, which is in its own file. */
export interface PromptIdentity {
  /** SHA-256 of the exact text. */
  readonly hash: string
  /** In bytes. */
  readonly length: number
}

/** What happened, in order. A run is one process of the task. */
export type LedgerEntry = {
  readonly at: string
  readonly run: string
} & (
  | {
      readonly type: 'planned'
      readonly decision: StartKind
      readonly reason: string
      readonly way: RunMode
      readonly cwd: string
      readonly args: readonly string[]
      /** The native id: a new one for a cold start, the session's for a warm one. */
      readonly session: string
      /** The agent did not accept that id, although its adapter assigns ids: an older version. */
      readonly naming?: 'told'
      /** The agent ends after its prompt even in a terminal, and is then opened again. */
      readonly one_turn?: true
      readonly prompt?: PromptIdentity
    }
  /** The agent is about to be started: from here on it may have the prompt. */
  | { readonly type: 'launching'; readonly program: string }
  | { readonly type: 'launched'; readonly process: ProcessIdentity }
  | {
      readonly type: 'session'
      readonly native_id: string
      /** The files of its source, to find it again without searching. */
      readonly files: readonly string[]
      readonly cwd: string
      readonly how: 'chosen' | 'told' | 'found' | 'adopted'
    }
  | { readonly type: 'prompt'; readonly hash: string; readonly state: 'handed over' | 'seen' }
  /** The agent answered the prompt, and nothing of it is in its store. */
  | { readonly type: 'unstored'; readonly reason: string }
  /** The project's folder was moved, and the task with it. */
  | { readonly type: 'moved'; readonly from: string; readonly to: string }
  /** Everything before it happened in another home. */
  | { readonly type: 'restored' }
  | {
      readonly type: 'exited'
      readonly code: number | null
      readonly signal: string | null
      /** Ion was asked to stop the agent, so however it ended is not a failure. */
      readonly stopped?: true
    }
)

export interface Ledger {
  readonly entries: readonly LedgerEntry[]
  /** The number of lines that were skipped; a crash leaves an incomplete last line. */
  readonly bad: number
  /** What is wrong with skipped lines that are complete, for the user. */
  readonly problems: readonly string[]
  /** Entries are missing: lines were skipped, or the file is empty. */
  readonly damage: LedgerDamage | undefined
}

export interface LedgerDamage {
  /** In a few words: `is empty`. */
  readonly what: string
  /** Nothing was written since. */
  readonly isRecent: boolean
}

const VERSION = 1

/** An entry without its time. */
export type NewsEntry = Distribute<LedgerEntry>
type Distribute<T> = T extends unknown ? Omit<T, 'at'> : never

export function ledgerFile(taskFolder: string): string {
  return join(taskFolder, 'ledger.jsonl')
}

/** Changes whenever the ledger does; empty if there is none. */
export function ledgerStamp(taskFolder: string): string {
  const stat = statSync(ledgerFile(taskFolder), { throwIfNoEntry: false })
  return stat ? `${stat.ino}:${stat.size}:${stat.mtimeMs}` : ''
}

/** Appends to the ledger; the entry is on the disk when this returns. */
export function appendEntry(folder: string, entry: NewsEntry, io: Pick<Io, 'now'>): void {
  privateFolder(folder)
  try {
    appendLine(ledgerFile(folder), JSON.stringify({ v: VERSION, at: io.now().toISOString(), ...entry }))
  } catch (error) {
    throw new IonError('failed', `cannot write the task's ledger: ${messageOf(error)}`, {
      cause: error,
      hint: `${writeHint(error, folder)}; nothing was lost`,
    })
  }
}

/** The ledger of a task; empty if there is none yet. */
export function readLedger(folder: string): Ledger {
  try {
    return parseLedger(readRegularFile(ledgerFile(folder)).toString('utf8'))
  } catch (error) {
    if (isMissing(error)) return { entries: [], bad: 0, problems: [], damage: undefined }
    throw new IonError('failed', `cannot read the task's ledger: ${messageOf(error)}`, {
      cause: error,
      hint: `check permissions of ${ledgerFile(folder)}; without it Ion cannot know what was sent`,
    })
  }
}

export function parseLedger(text: string): Ledger {
  const entries: LedgerEntry[] = []
  const problems: string[] = []
  let bad = 0
  let lastIsBad = false
  for (const [index, line] of text.split('\n').entries()) {
    if (line === '') continue
    lastIsBad = false
    const { v, ...entry } = parsedObject(line.trim()) ?? {}
    if (typeof v === 'number' && v > VERSION) {
      throw new IonError('failed', 'a newer version of Ion wrote this ledger', { hint: 'update Ion' })
    }
    const invalid = invalidField(entry)
    if (invalid === undefined) entries.push(entry as unknown as LedgerEntry)
    // An entry that this version does not know is not an error.
    else if (invalid === 'type' && isText(entry.type)) continue
    else {
      bad++
      lastIsBad = true
      if (Object.keys(entry).length > 0) problems.push(`line ${index + 1}: "${invalid}" is missing or invalid`)
    }
  }
  const isEmpty = text.trim() === ''
  if (bad === 0 && !isEmpty) return { entries, bad, problems, damage: undefined }
  const what = isEmpty ? 'is empty' : `has ${bad} unreadable ${bad === 1 ? 'line' : 'lines'}`
  return { entries, bad, problems, damage: { what, isRecent: lastIsBad || isEmpty } }
}

type Fields = Partial<Record<string, unknown>>
type Check = (value: unknown) => boolean

const isText = (value: unknown): value is string => typeof value === 'string'
const isNumber: Check = (value) => typeof value === 'number'
const isTexts: Check = (value) => Array.isArray(value) && value.every(isText)
const isOneOf =
  (...allowed: readonly unknown[]): Check =>
  (value) =>
    allowed.includes(value)
const orNull =
  (check: Check): Check =>
  (value) =>
    value === null || check(value)
const optional =
  (check: Check): Check =>
  (value) =>
    value === undefined || check(value)
const isObject =
  (fields: Readonly<Record<string, Check>>): Check =>
  (value) =>
    typeof value === 'object' && value !== null && firstInvalid(value as Fields, fields) === undefined

const common = { at: isText, run: isText }
/** By hand and not with zod: the ledger is read before each start, and loading zod takes longer than all of it. */
const fieldsOf: { readonly [Type in LedgerEntry['type']]: Readonly<Record<string, Check>> } = {
  planned: {
    decision: isOneOf('cold', 'warm'),
    reason: isText,
    way: isOneOf('terminal', 'headless', 'detached'),
    cwd: isText,
    args: isTexts,
    session: isText,
    prompt: optional(isObject({ hash: isText, length: isNumber })),
  },
  launching: { program: isText },
  launched: { process: isObject({ pid: isNumber, start: orNull(isText), boot: isText }) },
  session: { native_id: isText, files: isTexts, cwd: isText, how: isText },
  prompt: { hash: isText, state: isOneOf('handed over', 'seen') },
  unstored: { reason: isText },
  exited: { code: orNull(isNumber), signal: orNull(isText) },
  moved: { from: isText, to: isText },
  restored: {},
}

/** The first required field that is missing or has the wrong type. */
function invalidField(entry: Fields): string | undefined {
  const missing = firstInvalid(entry, common)
  if (missing !== undefined) return missing
  if (!isText(entry.type) || !Object.hasOwn(fieldsOf, entry.type)) return 'type'
  return firstInvalid(entry, fieldsOf[entry.type as LedgerEntry['type']])
}

function firstInvalid(entry: Fields, fields: Readonly<Record<string, Check>>): string | undefined {
  return Object.keys(fields).find((name) => !fields[name]!(entry[name]))
}
