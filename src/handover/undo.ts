import { findAgent } from '../agents/find.ts'
import { setOrigin } from '../organise/origin.ts'
import { IonError } from '../platform/error.ts'
import type { Io } from '../platform/io.ts'
import { removeParts } from '../vault/remove.ts'
import { headOf, isUnused } from './hand-over.ts'
import { appendHandover, type KnownHandover, knownHandovers } from './ledger.ts'

export interface Undone {
  readonly handover: KnownHandover
  /** Files and databases from which it was removed; none if it was gone already. */
  readonly removed: readonly string[]
}

/** Removes exactly what a handover wrote. Refused as soon as the agent has changed any of it. */
export function undoHandover(reference: string, io: Io): Undone {
  const handover = chosen(reference, io)
  const { id, nativeId, agent } = handover.target
  const target = findAgent(agent)
  const head = headOf(target, nativeId, [], io)
  if (head && target.live?.(io, [nativeId]).get(nativeId)) {
    throw new IonError('refused', `${target.title} has session ${id} open`, { hint: 'close it there first' })
  }
  if (head && !handover.hashes) {
    throw new IonError('refused', `the handover to ${id} was interrupted, so whether it was used is not known`, {
      hint: `ion handover ${handover.source.id} --in ${agent} completes it; then it can be undone`,
    })
  }
  if (head && !isUnused(handover, target, io)) {
    throw new IonError('refused', `session ${id} is not what was handed over any more: ${target.title} has used it`, {
      hint: `ion show ${id} reads it; ion prune removes sessions, with a copy`,
    })
  }
  const removed = head ? removeParts(target, head, io) : []
  setOrigin(io, { agent, id }, null)
  appendHandover({ type: 'undone', id, at: io.now().toISOString() }, io)
  return { handover, removed }
}

/** By the id of the new session, or of the source if it was handed over once. */
function chosen(reference: string, io: Io): KnownHandover {
  const wanted = reference.toLowerCase()
  const all = knownHandovers(io)
  const matches = (id: string): boolean => wanted.length >= 4 && id.startsWith(wanted)
  const byTarget = all.filter(({ target }) => matches(target.id) || target.nativeId === reference)
  const found = byTarget.length > 0 ? byTarget : all.filter(({ source }) => matches(source.id))
  if (found.length === 1) return found[0]!
  if (found.length === 0) {
    throw new IonError('not-found', `no handover of "${reference}"`, { hint: 'ion handover list shows all' })
  }
  throw new IonError('usage', `"${reference}" was handed over ${found.length} times`, {
    hint: `name the new session: ${found.map(({ target }) => target.id).join(', ')}`,
  })
}
