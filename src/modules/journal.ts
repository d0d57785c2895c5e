import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { appendLine, privateFolder } from '../platform/atomic-file.ts'
import { IonError, isMissing, messageOf } from '../platform/error.ts'
import { ionHome } from '../platform/home.ts'
import type { Io } from '../platform/io.ts'

/** A module's data on its way: from the old place to the new one, or back. */
export interface Move {
  readonly id: string
  readonly direction: 'migrate' | 'undo'
  readonly name: string
  /** The old place, where a link is left. */
  readonly from: string
  /** The new place, below `.coder-modules`. */
  readonly to: string
}

/** How far it came. Each line is on the disk before the next step is taken. */
export type Note =
  | ({ readonly type: 'begin' } & Move)
  /** Over file systems: the copy is whole and was compared. The stamp is the one of the source at that time. */
  | { readonly type: 'copied'; readonly id: string; readonly stamp: string }
  /** The copy has taken over; only the old files are left to remove. */
  | { readonly type: 'switched'; readonly id: string }
  | { readonly type: 'done'; readonly id: string }
  /** Nothing was moved, or it was put back. */
  | { readonly type: 'dropped'; readonly id: string }

export interface Unfinished {
  readonly move: Move
  readonly stamp?: string
  readonly isSwitched: boolean
}

export interface Journal {
  /** Begun and neither done nor dropped: a crash. */
  readonly unfinished: readonly Unfinished[]
  /** Moved and not moved back, the newest last. */
  readonly inForce: readonly Move[]
}

const VERSION = 1

export function journalFile(io: Io): string {
  return join(ionHome(io), 'modules-migrations.jsonl')
}

/** Appends to the journal; it is on the disk when this returns. */
export function note(io: Io, entry: Note): void {
  const path = journalFile(io)
  try {
    privateFolder(dirname(path))
    appendLine(path, JSON.stringify({ v: VERSION, at: io.now().toISOString(), ...entry }))
  } catch (error) {
    throw new IonError('failed', `cannot write the journal of migrations: ${messageOf(error)}`, {
      cause: error,
      hint: `make room or allow writing in ${dirname(path)}; nothing was lost`,
    })
  }
}

/** Empty when nothing was ever migrated. A torn line is what a crash left: its step was not taken. */
export function readJournal(io: Io): Journal {
  const path = journalFile(io)
  let text: string
  try {
    text = readFileSync(path, 'utf8')
  } catch (error) {
    if (isMissing(error)) return { unfinished: [], inForce: [] }
    throw new IonError('failed', `cannot read the journal of migrations: ${messageOf(error)}`, {
      cause: error,
      hint: `allow reading ${path}; without it Ion does not know what it moved`,
    })
  }
  return fold(text.split('\n').flatMap(parseNote))
}

function parseNote(line: string): Note[] {
  let value: Record<string, unknown>
  try {
    value = JSON.parse(line)
  } catch {
    return []
  }
  if (!value || typeof value !== 'object') return []
  if (typeof value.v === 'number' && value.v > VERSION) {
    throw new IonError('failed', 'a newer version of Ion wrote the journal of migrations', { hint: 'update Ion' })
  }
  const { v: _v, at: _at, ...entry } = value
  return isNote(entry) ? [entry as Note] : []
}

function isNote({ type, id, ...rest }: Record<string, unknown>): boolean {
  if (typeof id !== 'string') return false
  if (type !== 'begin') return typeof type === 'string'
  // The id becomes a part of file names.
  return /^[0-9a-f]{12}$/.test(id) && [rest.name, rest.from, rest.to].every((one) => typeof one === 'string')
}

function fold(notes: readonly Note[]): Journal {
  const unfinished = new Map<string, Unfinished>()
  const inForce = new Map<string, Move>()
  for (const entry of notes) {
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
    inForce.delete(move.from)
    if (move.direction === 'migrate') inForce.set(move.from, move)
  }
  return { unfinished: [...unfinished.values()], inForce: [...inForce.values()] }
}
