import { dirname, join } from 'node:path'
import { appendLine, privateFolder } from '../platform/atomic-file.ts'
import { IonError, messageOf } from '../platform/error.ts'
import { ionHome } from '../platform/home.ts'
import type { Io } from '../platform/io.ts'
import { linesOf } from '../platform/list-dir.ts'
import { writeHint } from '../platform/write-hint.ts'

/** Moving a module's data from the old location to the new one, or back. */
export interface Move {
  readonly id: string
  readonly direction: 'migrate' | 'undo'
  readonly name: string
  /** The old location, where a link is left. */
  readonly from: string
  /** The new location, below `.coder-modules`. */
  readonly to: string
}

/** The progress of a move. Each entry is on disk before the next step begins. */
export type JournalEntry =
  | ({ readonly type: 'begin' } & Move)
  /** Across file systems: the copy is complete and verified. The stamp is that of the source at that time. */
  | { readonly type: 'copied'; readonly id: string; readonly stamp: string }
  /** The copy is in use; only the old files must be removed. */
  | { readonly type: 'switched'; readonly id: string }
  | { readonly type: 'done'; readonly id: string }
  /** Nothing was moved, or it was rolled back. */
  | { readonly type: 'dropped'; readonly id: string }

export interface Unfinished {
  readonly move: Move
  readonly stamp?: string
  readonly isSwitched: boolean
}

export interface Journal {
  /** Begun, but neither done nor dropped: interrupted by a crash. */
  readonly unfinished: readonly Unfinished[]
  /** Moved and not moved back, the newest last. */
  readonly moved: readonly Move[]
}

const VERSION = 1

export function journalFile(io: Io): string {
  return join(ionHome(io), 'modules-migrations.jsonl')
}

/** Appends to the journal; the entry is on disk when this returns. */
export function appendEntry(io: Io, entry: JournalEntry): void {
  const path = journalFile(io)
  try {
    privateFolder(dirname(path))
    appendLine(path, JSON.stringify({ v: VERSION, at: io.now().toISOString(), ...entry }))
  } catch (error) {
    throw new IonError('failed', `cannot write the migration journal: ${messageOf(error)}`, {
      cause: error,
      hint: `${writeHint(error, dirname(path))}; nothing was lost`,
    })
  }
}

/** Empty if nothing was ever migrated. A torn line is left by a crash: its step was not taken. */
export function readJournal(io: Io): Journal {
  const path = journalFile(io)
  let lines: string[]
  try {
    lines = linesOf(path)
  } catch (error) {
    throw new IonError('failed', `cannot read the migration journal: ${messageOf(error)}`, {
      cause: error,
      hint: `check permissions of ${path}; without it Ion does not know what it moved`,
    })
  }
  return fold(lines.flatMap(parseEntry))
}

function parseEntry(line: string): JournalEntry[] {
  let value: Record<string, unknown>
  try {
    value = JSON.parse(line)
  } catch {
    return []
  }
  if (!value || typeof value !== 'object') return []
  if (typeof value.v === 'number' && value.v > VERSION) {
    throw new IonError('failed', 'the migration journal was written by a newer version of Ion', { hint: 'update Ion' })
  }
  const { v: _v, at: _at, ...entry } = value
  return isEntry(entry) ? [entry as JournalEntry] : []
}

function isEntry({ type, id, ...rest }: Record<string, unknown>): boolean {
  if (typeof id !== 'string') return false
  if (type !== 'begin') return typeof type === 'string'
  // The id becomes part of file names.
  return /^[0-9a-f]{12}$/.test(id) && [rest.name, rest.from, rest.to].every((one) => typeof one === 'string')
}

function fold(entries: readonly JournalEntry[]): Journal {
  const unfinished = new Map<string, Unfinished>()
  const moved = new Map<string, Move>()
  for (const entry of entries) {
    if (entry.type === 'begin') {
      const { type: _type, ...move } = entry
      unfinished.set(entry.id, { move, isSwitched: false })
      continue
    }
    const known = unfinished.get(entry.id)
    if (!known) continue
    if (entry.type === 'copied') unfinished.set(entry.id, { ...known, stamp: entry.stamp })
    else if (entry.type === 'switched') unfinished.set(entry.id, { ...known, isSwitched: true })
    else unfinished.delete(entry.id)
    if (entry.type !== 'done') continue
    const { move } = known
    moved.delete(move.from)
    if (move.direction === 'migrate') moved.set(move.from, move)
  }
  return { unfinished: [...unfinished.values()], moved: [...moved.values()] }
}
