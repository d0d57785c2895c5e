import { dirname, join } from 'node:path'
import { parsedObject } from '../native/narrow.ts'
import { readRegularFile } from '../native/regular-file.ts'
import { appendLine, privateFolder } from '../platform/atomic-file.ts'
import { IonError, isMissing, messageOf } from '../platform/error.ts'
import { ionHome } from '../platform/home.ts'
import type { Io } from '../platform/io.ts'
import { writeHint } from '../platform/write-hint.ts'
import type { PartHash } from './place.ts'

/** A session that was handed over. */
export interface Handover {
  readonly at: string
  readonly source: { readonly agent: string; readonly id: string; readonly lastEvent: string | null }
  readonly target: { readonly agent: string; readonly id: string; readonly nativeId: string; readonly cwd: string }
  /** The UUID that it was written with. */
  readonly seed: string
  readonly mode: 'native' | 'brief'
  /** What else decided about its content: the same again gives the same session. */
  readonly options: string
}

/**
 * `begun` comes before anything is written: a handover that was killed is found by it. `written` has what is in the target's
 * store then.
 */
export type HandoverEntry =
  | ({ readonly type: 'begun' } & Handover)
  | {
      readonly type: 'written'
      readonly id: string
      readonly at: string
      readonly lastEvent: string | null
      readonly hashes: readonly PartHash[]
    }
  | { readonly type: 'undone'; readonly id: string; readonly at: string }

/** A handover as its entries leave it. Without `hashes` it was killed before it was complete. */
export interface KnownHandover extends Handover {
  readonly hashes: readonly PartHash[] | undefined
}

const VERSION = 1

function ledgerPath(io: Io): string {
  return join(ionHome(io), 'handovers.jsonl')
}

export function appendHandover(entry: HandoverEntry, io: Io): void {
  const path = ledgerPath(io)
  try {
    privateFolder(dirname(path))
    appendLine(path, JSON.stringify({ v: VERSION, ...entry }))
  } catch (error) {
    throw new IonError('failed', `cannot write ${path}: ${messageOf(error)}`, {
      cause: error,
      hint: `${writeHint(error, path)}; nothing was handed over`,
    })
  }
}

/** All that were not undone, oldest first. Lines that are damaged or of a newer version are skipped. */
export function knownHandovers(io: Io): KnownHandover[] {
  const known = new Map<string, KnownHandover>()
  for (const line of ledgerText(io).split('\n')) {
    const { v, ...entry } = parsedObject(line) ?? {}
    if (v !== VERSION) continue
    const one = entry as unknown as HandoverEntry
    if (one.type === 'begun') {
      const { type: _, ...handover } = one
      known.set(one.target.id, { ...handover, hashes: undefined })
    } else if (one.type === 'undone') known.delete(one.id)
    else if (one.type === 'written') {
      const before = known.get(one.id)
      if (!before) continue
      known.set(one.id, { ...before, hashes: one.hashes, source: { ...before.source, lastEvent: one.lastEvent } })
    }
  }
  return [...known.values()]
}

function ledgerText(io: Io): string {
  try {
    return readRegularFile(ledgerPath(io)).toString('utf8')
  } catch (error) {
    if (isMissing(error)) return ''
    throw error
  }
}
