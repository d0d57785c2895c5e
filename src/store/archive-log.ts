import { closeSync, constants, fdatasyncSync, fstatSync, ftruncateSync, openSync, readSync } from 'node:fs'
import { dirname } from 'node:path'
import type { IonEvent } from '../events/event.ts'
import { isProblem } from '../events/item.ts'
import { HashSet } from '../native/hash-set.ts'
import { type JsonObject, readJsonLines } from '../native/json-lines.ts'
import type { Reading } from '../native/reading.ts'
import { stampOf } from '../native/walk.ts'
import { privateFolder, writeAll } from '../platform/durable.ts'
import { hash53 } from '../platform/hash.ts'
import { warmUp } from './cold-log.ts'

/** So much is collected before it is written. */
const BATCH = 256 * 1024

/**
 * The archived log of one session, open for appending. It only grows: an event that is there is not written again, and
 * one that the agent has changed since is written anew as its revision. What a crash tore off the end is cut away first;
 * it was never whole.
 */
export class ArchiveLog {
  readonly path: string
  readonly #fd: number
  readonly #ids = new HashSet()
  readonly #events = new HashSet()
  #next = 0
  #waiting = ''
  #added = 0
  /** Bytes of it that are known here. */
  #size = 0

  constructor(path: string, reading: Reading) {
    this.path = path
    privateFolder(dirname(path))
    warmUp(path)
    this.#fd = openSync(path, constants.O_RDWR | constants.O_CREAT | constants.O_APPEND, 0o600)
    try {
      this.#learn(reading)
    } catch (error) {
      closeSync(this.#fd)
      throw error
    }
  }

  /**
   * Takes in what another process has written since. False when this is no longer the file of that name, or not what it
   * was: then it must be opened anew.
   */
  catchUp(reading: Reading): boolean {
    const [there, own] = [stampOf(this.path), fstatSync(this.#fd)]
    if (!there || there.ino !== own.ino || there.dev !== own.dev || own.size < this.#size) return false
    if (own.size > this.#size) this.#learn(reading)
    return true
  }

  /** Events that were new. */
  get added(): number {
    return this.#added
  }

  get events(): number {
    return this.#next
  }

  /** Takes an event over if it is new; it is on the disk after `save`. */
  add(event: IonEvent): void {
    const print = fingerprint(event)
    if (!this.#events.add(print)) return
    const isFirst = this.#ids.add(event.id)
    // The header describes the session as it was first seen; what it is called now stands in the index.
    if (!isFirst && event.type === 'session_start') return
    const { seq: _, type, ...rest } = event
    const line = isFirst ? rest : { ...rest, id: `${event.id}~${hash53(print).toString(36)}`, revises: event.id }
    this.#waiting += `${JSON.stringify({ type, seq: this.#next++, ...line })}\n`
    this.#added++
    if (this.#waiting.length > BATCH) this.#write()
  }

  /** All that was added is on the disk when this returns. */
  save(): void {
    if (this.#added === 0) return
    this.#write()
    fdatasyncSync(this.#fd)
  }

  close(): void {
    closeSync(this.#fd)
  }

  #write(): void {
    const bytes = Buffer.from(this.#waiting, 'utf8')
    writeAll(this.#fd, bytes)
    this.#size += bytes.length
    this.#waiting = ''
  }

  /** What stands in it beyond what is known. */
  #learn(reading: Reading): void {
    const from = this.#size
    this.#size = healTail(this.#fd)
    for (const line of readJsonLines(this.path, reading, from)) {
      if (isProblem(line)) continue
      const { record } = line
      this.#next = Math.max(this.#next, typeof record.seq === 'number' ? record.seq + 1 : 0)
      const { revises, ...event } = record
      const id = typeof revises === 'string' ? revises : String(event.id)
      this.#ids.add(id)
      this.#events.add(fingerprint({ ...event, id }))
    }
  }
}

/** The same for two readings of an event that say the same. A time that was only guessed says nothing. */
function fingerprint(event: JsonObject | IonEvent): string {
  const { seq: _seq, type: _type, timestamp, ...rest } = event as JsonObject
  return JSON.stringify([event.type, event.timestamp_guessed ? '' : timestamp, rest])
}

const NEWLINE = 10
const BLOCK = 64 * 1024

/** Cuts off what stands after the last line break. Returns the size then. */
function healTail(fd: number): number {
  const { size } = fstatSync(fd)
  const block = Buffer.alloc(Math.min(BLOCK, size))
  for (let end = size; end > 0; ) {
    const start = Math.max(0, end - block.length)
    readSync(fd, block, 0, end - start, start)
    const found = block.subarray(0, end - start).lastIndexOf(NEWLINE)
    if (found >= 0) {
      const whole = start + found + 1
      if (whole < size) ftruncateSync(fd, whole)
      return whole
    }
    end = start
  }
  if (size > 0) ftruncateSync(fd, 0)
  return 0
}
