import { crc32 } from 'node:zlib'
import type { IonEvent } from '../events/event.ts'

/** How the line of an event begins: its type, and its place in the log. */
export function linePrefix({ type }: IonEvent, seq: number): string {
  return `${TYPE}${type}${SEQ}${seq},`
}

const TYPE = '{"type":"'
const SEQ = '","seq":'

/** All that follows: what the event says. Two readings of an event that say the same give the same. */
export function payload(event: IonEvent): string {
  const text = JSON.stringify(event)
  const typeEnd = TYPE.length + event.type.length
  // So do readers give it; copying it for another order takes longer than asking.
  if (text.startsWith(TYPE) && text.startsWith(SEQ, typeEnd))
    return text.slice(text.indexOf(',', typeEnd + SEQ.length) + 1)
  const { type: _type, seq: _seq, ...rest } = event
  return JSON.stringify(rest).slice(1)
}

/** Tells the versions of one event from each other; `words` are its bytes. A time that was only guessed says nothing. */
export function fingerprint(event: IonEvent, words: Buffer): number {
  const told = event.timestamp_guessed ? Buffer.from(payload({ ...event, timestamp: '' })) : words
  // 32 bits and the length are plenty for a few versions.
  return crc32(told, typeCheck(event.type)) * LENGTHS + (told.length % LENGTHS)
}

const LENGTHS = 2 ** 21

const typeChecks = new Map<string, number>()

/** There are ten types. */
function typeCheck(type: string): number {
  let check = typeChecks.get(type)
  if (check === undefined) typeChecks.set(type, (check = crc32(type)))
  return check
}

/** Names one version of an event among all in the log. `id` is the hash of its id, by `hash53`. */
export function versionKey(id: number, print: number): number {
  const low = (id ^ (print / LENGTHS)) >>> 0
  const high = (id / 2 ** 32) ^ (print % LENGTHS)
  return high * 2 ** 32 + low
}

/** A later version of an event that is there already. */
export function revisionOf(event: IonEvent, print: number): IonEvent {
  const revision = { ...event, id: `${event.id}~${print.toString(36)}`, revises: event.id }
  return revision as IonEvent
}
