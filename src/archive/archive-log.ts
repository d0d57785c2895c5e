import { closeSync, constants, fdatasyncSync, fstatSync, ftruncateSync, openSync, readSync } from 'node:fs'
import { dirname } from 'node:path'
import type { IonEvent } from '../events/event.ts'
import { type Item, isEvent, isProblem, isTransient } from '../events/item.ts'
import { HashSet } from '../native/hash-set.ts'
import { type JsonObject, parseLine } from '../native/json-lines.ts'
import { LineCursor } from '../native/line-cursor.ts'
import type { ReadContext } from '../native/read-context.ts'
import { stampOf } from '../native/walk.ts'
import { createInFolder, writeAll } from '../platform/atomic-file.ts'
import { hash53 } from '../platform/hash.ts'
import { fingerprint, linePrefix, payload, revisionOf, versionKey } from './archive-line.ts'
import { LineBuffer } from './line-buffer.ts'
import { decompressLog } from './log-compression.ts'

export interface ReadResult {
  /** Records that could not be read. */
  readonly problems: number
  /** False when something is missing that may be readable later. */
  readonly isComplete: boolean
}

/**
 * The archived log of one session, open for appending. It only grows: an event that it has is not written again, and an
 * event that the agent has changed is appended as a revision. An incomplete last line, left by a crash, is removed first.
 */
export class ArchiveLog {
  readonly path: string
  readonly #fd: number
  readonly #ids = new HashSet()
  readonly #versions = new HashSet()
  readonly #unwritten = new LineBuffer()
  #next = 0
  #added = 0
  /** How much of the file is known here. */
  #size = 0

  constructor(path: string, reading: ReadContext) {
    this.path = path
    decompressLog(path)
    const flags = constants.O_RDWR | constants.O_CREAT | constants.O_APPEND
    this.#fd = createInFolder(dirname(path), () => openSync(path, flags, 0o600))
    try {
      this.#learn(reading)
    } catch (error) {
      closeSync(this.#fd)
      throw error
    }
  }

  /**
   * Reads what another process has appended. False when the file was replaced or has become shorter: then it must be opened
   * again.
   */
  catchUp(reading: ReadContext): boolean {
    const [current, own] = [stampOf(this.path), fstatSync(this.#fd)]
    if (!current || current.ino !== own.ino || current.dev !== own.dev || own.size < this.#size) return false
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

  /** Appends the event if it is new; it is on the disk after `save`. */
  add(event: IonEvent): void {
    const print = fingerprint(event, this.#put(event))
    const id = hash53(event.id)
    const isFirst = this.#ids.addHash(id)
    if (!this.#versions.addHash(versionKey(id, print))) return
    // The header describes the session as it was first seen; the index has its current title.
    if (!isFirst && event.type === 'session_start') return
    if (!isFirst) this.#put(revisionOf(event, print))
    this.#unwritten.keep()
    this.#next++
    this.#added++
    if (this.#unwritten.isFull) this.#write()
  }

  /** Whether it has the event in this version, in another one, or not at all. */
  compare(event: IonEvent): { readonly state: 'same' | 'changed' | 'new'; readonly print: number } {
    const print = fingerprint(event, Buffer.from(payload(event)))
    const id = hash53(event.id)
    if (!this.#ids.hasHash(id)) return { state: 'new', print }
    return { state: this.#versions.hasHash(versionKey(id, print)) ? 'same' : 'changed', print }
  }

  /** Adds all events. */
  addAll(items: Iterable<Item>): ReadResult {
    let problems = 0
    let isComplete = true
    for (const item of items) {
      if (isEvent(item)) this.add(item.event)
      else if (isProblem(item)) {
        problems++
        if (isTransient(item)) isComplete = false
      }
    }
    return { problems, isComplete }
  }

  /** Everything that was added is on the disk when this returns. */
  save(): void {
    if (this.#added === 0) return
    this.#write()
    fdatasyncSync(this.#fd)
  }

  close(): void {
    this.#unwritten.close()
    closeSync(this.#fd)
  }

  /** Returns the bytes of its payload. */
  #put(event: IonEvent): Buffer {
    return this.#unwritten.put(linePrefix(event, this.#next), payload(event))
  }

  #write(): void {
    const { lines } = this.#unwritten
    writeAll(this.#fd, lines)
    this.#size += lines.length
    this.#unwritten.clear()
  }

  /** Reads the file from where it is known. */
  #learn(reading: ReadContext): void {
    const from = this.#size
    this.#size = truncateTornTail(this.#fd)
    if (this.#size === from) return
    const cursor = new LineCursor(this.path, reading, from)
    try {
      while (cursor.next()) {
        const parsed = parseLine(cursor)
        if (typeof parsed !== 'string' && 'record' in parsed) this.#learnRecord(parsed.record, cursor)
      }
    } finally {
      cursor.close()
    }
  }

  #learnRecord(record: JsonObject, { buffer, start, end }: LineCursor): void {
    this.#next = Math.max(this.#next, typeof record.seq === 'number' ? record.seq + 1 : 0)
    const { revises, ...rest } = record
    const id = typeof revises === 'string' ? revises : String(record.id)
    const event = { ...rest, id } as unknown as IonEvent
    const hash = hash53(id)
    this.#ids.addHash(hash)
    // The bytes of the line itself, unless `add` would have written them differently.
    const prefix = linePrefix(event, event.seq)
    const from = start + prefix.length
    const isOwn = revises === undefined && buffer.toString('latin1', start, from) === prefix
    const bytes = isOwn ? buffer.subarray(from, end) : Buffer.from(payload(event))
    this.#versions.addHash(versionKey(hash, fingerprint(event, bytes)))
  }
}

const NEWLINE = 10
const BLOCK = 64 * 1024

/** Removes what follows the last line break. Returns the new size. */
function truncateTornTail(fd: number): number {
  const { size } = fstatSync(fd)
  const block = Buffer.alloc(Math.min(BLOCK, size))
  for (let end = size; end > 0; ) {
    const start = Math.max(0, end - block.length)
    readSync(fd, block, 0, end - start, start)
    const found = block.subarray(0, end - start).lastIndexOf(NEWLINE)
    if (found >= 0) {
      const complete = start + found + 1
      if (complete < size) ftruncateSync(fd, complete)
      return complete
    }
    end = start
  }
  if (size > 0) ftruncateSync(fd, 0)
  return 0
}
