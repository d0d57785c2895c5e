import { crc32 } from 'node:zlib'
import type { IonEvent } from '../events/event.ts'

/** An event as it is written, and where in it its own words begin: before that stand its type and place. */
export interface Line {
  readonly bytes: Buffer
  readonly from: number
}

/** How the line of an event begins. */
export function openingOf({ type }: IonEvent, seq: number): string {
  return `{"type":"${type}","seq":${seq},`
}

/** The line of an event at another place. Its text is made once, for writing and for comparing. */
export function lineOf(event: IonEvent, seq: number): Line {
  const [text, opening] = [textOf(event), openingOf(event, seq)]
  return { bytes: Buffer.from(`${opening}${text}\n`), from: opening.length }
}

/** The event without its type and place, open at the front. */
function textOf(event: IonEvent): string {
  const text = JSON.stringify(event)
  const opening = openingOf(event, event.seq)
  // So do readers give it; copying it for another order takes longer than asking.
  if (text.startsWith(opening)) return text.slice(opening.length)
  const { type: _type, seq: _seq, ...rest } = event
  return JSON.stringify(rest).slice(1)
}

/** The same for two readings of an event that say the same. A time that was only guessed says nothing. */
export function printOf(event: IonEvent, line: Line): number {
  const { bytes, from } = event.timestamp_guessed ? lineOf({ ...event, timestamp: '' }, 0) : line
  const words = bytes.subarray(from)
  // It only tells versions of one event from each other: 32 bits and the length are plenty.
  return crc32(words, crc32(event.type)) * 2 ** 21 + (words.length % 2 ** 21)
}

export function versionKey(id: string, print: number): string {
  return `${id} ${print}`
}

/** A later version of an event that is there already. */
export function revisionOf(event: IonEvent, print: number): IonEvent {
  const revision = { ...event, id: `${event.id}~${print.toString(36)}`, revises: event.id }
  return revision as IonEvent
}
