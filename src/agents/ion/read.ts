import { FORMAT_VERSION } from '../../events/format-version.ts'
import { type Item, isNonRecord } from '../../events/item.ts'
import type { IonEvent } from '../../events/schema.ts'
import type { SessionHead } from '../../events/session.ts'
import { comparableText } from '../../events/text.ts'
import { COMPRESSED } from '../../native/blocked-gzip.ts'
import { type ByteFile, openBytes } from '../../native/byte-file.ts'
import { HashSet } from '../../native/hash-set.ts'
import { type JsonLine, readJsonLines } from '../../native/json-lines.ts'
import { problemOf } from '../../native/problem.ts'
import type { ReadContext } from '../../native/read-context.ts'
import { stampOf } from '../../native/walk.ts'
import { toEvent, versionOf } from './records.ts'

/**
 * The stored events: ids, order, parents and times were fixed when they were written. An event that was revised later is
 * replaced by its last revision. With `everyVersion`, a version whose text is not in the last one keeps its own place.
 */
export function* read(head: SessionHead, reading: ReadContext): Generator<Item> {
  const path = formOf(head.path)
  const revisions = revisionsOf(path, reading)
  /** Events whose last revision was given in their place. */
  const inPlace = new HashSet()
  let version: number | undefined
  for (const line of readJsonLines(path, reading)) {
    if (isNonRecord(line)) {
      yield line
      continue
    }
    const place = { path, line: line.line, offset: line.span.offset }
    if (version === undefined) {
      try {
        version = versionOf(line.record)
      } catch (error) {
        yield { ...problemOf(path, error), ...place }
        // A log of a newer Ion is not read at all; one that has lost its header still has the rest.
        if (line.record.type === 'session_start') return
        version = FORMAT_VERSION
      }
    }
    const { revises } = line.record
    if (revises !== undefined && !reading.everyVersion) continue
    const revised = revisions.get(String(revises ?? line.record.id))
    try {
      if (revises !== undefined) {
        const isLast = revised?.span.offset === line.span.offset
        const isShown = isLast ? !inPlace.has(String(revises)) : !isContained(line, revised!, version)
        if (isShown) yield { event: counted(line, version, reading), span: line.span }
      } else if (revised && !(reading.everyVersion && !isContained(line, revised, version))) {
        inPlace.add(String(line.record.id))
        yield { event: counted(asRevised(revised, line), version, reading), span: revised.span }
      } else yield { event: counted(line, version, reading), span: line.span }
    } catch (error) {
      reading.coverage.bad++
      yield { ...problemOf(path, error), ...place }
    }
  }
}

/** The later version has all of the text: nothing was lost. */
function isContained(earlier: JsonLine, later: JsonLine, version: number): boolean {
  return comparableText(toEvent(later.record, version)).includes(comparableText(toEvent(earlier.record, version)))
}

/** A log may have been compressed or decompressed since it was listed. */
export function formOf(path: string): string {
  if (stampOf(path)) return path
  const other = path.endsWith(COMPRESSED) ? path.slice(0, -'.gz'.length) : `${path}.gz`
  return stampOf(other) ? other : path
}

/** The last revision of each event that has one. Hardly any log has revisions, which its bytes show. */
function revisionsOf(path: string, reading: ReadContext): Map<string, JsonLine> {
  const revisions = new Map<string, JsonLine>()
  if (!holds(path, '"revises":')) return revisions
  for (const line of readJsonLines(path, reading)) {
    const of = isNonRecord(line) ? undefined : line.record.revises
    if (typeof of === 'string') revisions.set(of, line as JsonLine)
  }
  return revisions
}

/** With the id and the position of the event that it revises. */
function asRevised({ record, ...line }: JsonLine, original: JsonLine): JsonLine {
  const { revises, ...event } = record
  return { ...line, record: { ...event, id: revises, seq: original.record.seq } }
}

const BLOCK = 1024 * 1024

function holds(path: string, text: string): boolean {
  const needle = Buffer.from(text)
  let file: ByteFile | undefined
  try {
    file = openBytes(path)
    const block = Buffer.alloc(BLOCK + needle.length)
    // The text may be split between two blocks.
    for (let [offset, kept] = [0, 0]; ; ) {
      const length = file.read(block, kept, BLOCK, offset)
      if (length === 0) return false
      const filled = kept + length
      if (block.subarray(0, filled).includes(needle)) return true
      kept = Math.min(filled, needle.length)
      block.copyWithin(0, filled - kept, filled)
      offset += length
    }
  } catch {
    // Reading the lines will report it.
    return false
  } finally {
    file?.close()
  }
}

function counted(line: JsonLine, version: number, reading: ReadContext): IonEvent {
  const event = toEvent(line.record, version)
  if (event.type === 'native') reading.coverage.native++
  else reading.coverage.known++
  return event
}
