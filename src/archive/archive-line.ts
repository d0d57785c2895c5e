import { crc32 } from 'node:zlib'
import type { IonEvent } from '../events/event.ts'

/** The start of an event's line: its type, and its position in the log. */
export function linePrefix({ type }: IonEvent, seq: number): string {
  return `${TYPE}${type}${SEQ}${seq},`
}

const TYPE = '{"type":"'
const SEQ = '","seq":'

/** The rest of the line. Reading an unchanged event twice gives the same. */
export function payload(event: IonEvent): string {
  const text = JSON.stringify(event)
  const typeEnd = TYPE.length + event.type.length
  // Readers give the fields in this order, so that the event need not be copied.
  if (text.startsWith(TYPE) && text.startsWith(SEQ, typeEnd))
    return text.slice(text.indexOf(',', typeEnd + SEQ.length) + 1)
  const { type: _type, seq: _seq, ...rest } = event
  return JSON.stringify(rest).slice(1)
}

/** Distinguishes the versions of one event; `bytes` is its payload. A guessed time does not make another version. */
export function fingerprint(event: IonEvent, bytes: Buffer): number {
  const content = event.timestamp_guessed ? Buffer.from(payload({ ...event, timestamp: '' })) : bytes
  // 32 bits and the length are plenty for a few versions.
  return crc32(content, typeCheck(event.type)) * LENGTHS + (content.length % LENGTHS)
}

const LENGTHS = 2 ** 21

const typeChecks = new Map<string, number>()

/** There are ten types. */
function typeCheck(type: string): number {
  let check = typeChecks.get(type)
  if (check === undefined) typeChecks.set(type, (check = crc32(type)))
  return check
}

/** Identifies one version of an event among all in the log. `id` is the `hash53` of its id. */
export function versionKey(id: number, print: number): number {
  const low = (id ^ (print / LENGTHS)) >>> 0
  const high = (id / 2 ** 32) ^ (print % LENGTHS)
  return high * 2 ** 32 + low
}

/** A later version of an event that is already in the log. */
export function revisionOf(event: IonEvent, print: number): IonEvent {
  const revision = { ...event, id: `${event.id}~${print.toString(36)}`, revises: event.id }
  return revision as IonEvent
}
