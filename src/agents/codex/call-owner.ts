/**
 * Whose calls a file has, for versions that write no ids of turns. A fork or sub-agent may begin with a copy of its parent's
 * records, written in one go with new times. The calls of the copy are the parent's first ones: they are numbered as in the
 * parent's file. Survives JSON.
 */
export interface CallOwner {
  /** The session of the file, and the one whose records it may begin with. */
  id: string | null
  parent: string | null
  /** When the file was begun, in milliseconds. */
  begun: number
  /** Calls so far of the parent and of the session. */
  copied: number
  own: number
}

/** The copy is written within this time; the first call of the session takes longer. */
const COPYING = 1000

export function newOwner(): CallOwner {
  return { id: null, parent: null, begun: 0, copied: 0, own: 0 }
}

/** What the first line of a rollout says about its session. */
export interface Origin {
  readonly id: string | undefined
  /** The session that it was forked from, or that started it. */
  readonly parent: string | undefined
  /** Its history is in the parent's file: this file has no copy. */
  readonly isReference: boolean
}

/** A second one in a file is the parent's: it begins the copy. */
export function noteSession(owner: CallOwner, { id, parent, isReference }: Origin, time: string | undefined): void {
  if (owner.id !== null && !isReference) {
    if (owner.own === 0) owner.parent ??= idOrNull(id)
    return
  }
  owner.id = idOrNull(id)
  owner.parent = isReference ? null : idOrNull(parent)
  owner.begun = time ? Date.parse(time) : Number.NaN
  owner.copied = 0
  owner.own = 0
}

export const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

function idOrNull(id: string | undefined): string | null {
  return id !== undefined && UUID.test(id) ? id : null
}

/** The id of the next call; undefined where the session is not known. */
export function ownCallId(owner: CallOwner, time: string | undefined): string | undefined {
  const isCopied =
    owner.parent !== null && owner.own === 0 && time !== undefined && Date.parse(time) < owner.begun + COPYING
  if (isCopied) return `${owner.parent}/${++owner.copied}`
  return owner.id === null ? undefined : `${owner.id}/${++owner.own}`
}
