import { closeSync, constants, fdatasyncSync, fstatSync, ftruncateSync, openSync, readSync } from 'node:fs'
import { dirname } from 'node:path'
import type { IonEvent } from '../events/event.ts'
import { HashSet } from '../native/hash-set.ts'
import { type JsonObject, parseLine } from '../native/json-lines.ts'
import { LineCursor } from '../native/line-cursor.ts'
import type { ReadContext } from '../native/read-context.ts'
import { stampOf } from '../native/walk.ts'
import { privateFolder, writeAll } from '../platform/atomic-file.ts'
import { hash53 } from '../platform/hash.ts'
import { fingerprint, linePrefix, payload, revisionOf, versionKey } from './archive-line.ts'
import { LineBatch } from './line-buffer.ts'
import { decompressLog } from './log-compression.ts'

/**
 * The archived log of one session, open for appending. It only grows: an event that is there is not written again, and
 * one that the agent has changed since is written anew as its revision. What a crash tore off the end is cut away first;
 * it was never whole.
 */
export class ArchiveLog {
  readonly path: string
  readonly #fd: number
  readonly #ids = new HashSet()
  readonly #versions = new HashSet()
  readonly #waiting = new LineBatch()
  #next = 0
  #added = 0
  /** Bytes of it that are known here. */
  #size = 0

  constructor(path: string, reading: ReadContext) {
    this.path = path
    privateFolder(dirname(path))
    decompressLog(path)
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
  catchUp(reading: ReadContext): boolean {
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
    const print = fingerprint(event, this.#put(event))
    const id = hash53(event.id)
    const isFirst = this.#ids.addHash(id)
    if (!this.#versions.addHash(versionKey(id, print))) return
    // The header describes the session as it was first seen; what it is called now stands in the index.
    if (!isFirst && event.type === 'session_start') return
    if (!isFirst) this.#put(revisionOf(event, print))
    this.#waiting.keep()
    this.#next++
    this.#added++
    if (this.#waiting.isFull) this.#write()
  }

  /** All that was added is on the disk when this returns. */
  save(): void {
    if (this.#added === 0) return
    this.#write()
    fdatasyncSync(this.#fd)
  }

  close(): void {
    this.#waiting.close()
    closeSync(this.#fd)
  }

  /** The bytes of what it says. */
  #put(event: IonEvent): Buffer {
    return this.#waiting.put(linePrefix(event, this.#next), payload(event))
  }

  #write(): void {
    const { lines } = this.#waiting
    writeAll(this.#fd, lines)
    this.#size += lines.length
    this.#waiting.clear()
  }

  /** What stands in it beyond what is known. */
  #learn(reading: ReadContext): void {
    const from = this.#size
    this.#size = truncateTornTail(this.#fd)
    if (this.#size === from) return
    const cursor = new LineCursor(this.path, reading, from)
    try {
      while (cursor.next()) {
        const parsed = parseLine(cursor)
        if (typeof parsed !== 'string' && 'record' in parsed) this.#know(parsed.record, cursor)
      }
    } finally {
      cursor.close()
    }
  }

  #know(record: JsonObject, { buffer, start, end }: LineCursor): void {
    this.#next = Math.max(this.#next, typeof record.seq === 'number' ? record.seq + 1 : 0)
    const { revises, ...rest } = record
    const id = typeof revises === 'string' ? revises : String(record.id)
    const event = { ...rest, id } as unknown as IonEvent
    const hash = hash53(id)
    this.#ids.addHash(hash)
    // As it stands there, unless it would have been written otherwise.
    const opening = linePrefix(event, event.seq)
    const from = start + opening.length
    const isOwn = revises === undefined && buffer.toString('latin1', start, from) === opening
    const words = isOwn ? buffer.subarray(from, end) : Buffer.from(payload(event))
    this.#versions.addHash(versionKey(hash, fingerprint(event, words)))
  }
}

const NEWLINE = 10
const BLOCK = 64 * 1024

/** Cuts off what stands after the last line break. Returns the size then. */
function truncateTornTail(fd: number): number {
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
