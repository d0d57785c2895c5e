import type { IonEvent } from '../events/event.ts'
import { FORMAT_VERSION } from '../events/format-version.ts'
import { type Item, isNonRecord, type NonRecord, type Span } from '../events/item.ts'
import type { SessionHead } from '../events/session.ts'
import { messageOf } from '../platform/error.ts'
import { projectOf } from '../platform/project.ts'
import { isTooDeep, type JsonObject, MAX_DEPTH, readJsonLines } from './json-lines.ts'
import { asString } from './narrow.ts'
import type { ReadContext } from './read-context.ts'
import { type Draft, Sequencer } from './sequencer.ts'

/** A native record with a key that is the same at each read (native id, line number, row id). */
export interface Keyed<R> {
  readonly record: R
  readonly key: string
  readonly span?: Span
}

/** The records of a JSON Lines file for `translate`, by their own id; without one by their offset, since such files only grow. */
export function* keyedLines<R = JsonObject>(
  path: string,
  reading: ReadContext,
  idOf?: (record: R) => unknown,
): Generator<Keyed<R> | NonRecord> {
  for (const line of readJsonLines(path, reading)) {
    if (isNonRecord(line)) yield line
    else {
      const record = line.record as R
      yield { record, key: asString(idOf?.(record)) || `@${line.span.offset}`, span: line.span }
    }
  }
}

/**
 * Turns one record into drafts of events: `[]` for a known record without content, `undefined` for an unknown record,
 * which is kept unchanged as a `native` event. A record that it throws on becomes a problem and is kept as `native` too.
 */
export type ToDrafts<R> = (record: R, key: string) => readonly Draft[] | undefined

/**
 * The frame of every reader: session_start, then each record through `toDrafts`, counted. Adapters supply the records
 * and their meaning; order, ids, parents, times, unknown records and coverage are the same for all. `continued`: the
 * state after the records that came before these.
 */
export function* translate<R>(
  head: SessionHead,
  records: Iterable<Keyed<R> | NonRecord>,
  toDrafts: ToDrafts<R>,
  reading: ReadContext,
  continued?: Sequencer,
): Generator<Item> {
  const sequencer = continued ?? new Sequencer(startTime(head))
  if (!continued) yield { event: startEvent(head, sequencer) }
  for (const item of records) {
    if (isNonRecord(item)) {
      yield item
      continue
    }
    const { record, key, span } = item
    const place = span ? { span } : {}
    const where = span ? { path: span.path, offset: span.offset } : { path: head.path }
    let drafts: readonly Draft[] | undefined
    try {
      drafts = toDrafts(record, key)
    } catch (error) {
      yield { code: 'invalid_record', problem: `record ${key} is not as expected: ${messageOf(error)}`, ...where }
    }
    drafts ??= [{ type: 'native', record, time: timeOf(record) }]
    if (drafts.length === 0) reading.coverage.skipped++
    else if (drafts.some((draft) => draft.type === 'native')) reading.coverage.native++
    else reading.coverage.known++
    for (const [index, draft] of drafts.entries()) {
      const deep = tooDeep(draft)
      if (deep)
        yield {
          code: 'too_deep',
          problem: `record ${key}: ${deep} is nested more than ${MAX_DEPTH} levels deep`,
          ...where,
        }
      const shallow = deep ? { ...draft, [deep]: '[nested too deep]' } : draft
      yield { event: sequencer.complete(shallow, key, index), ...place }
    }
  }
}

/** The field that is nested too deep to print: in a database, or in JSON that was stored as a string. */
function tooDeep(draft: Draft): 'input' | 'content' | 'record' | undefined {
  if (draft.type === 'tool_use') return isTooDeep(draft.input) ? 'input' : undefined
  if (draft.type === 'system') return isTooDeep(draft.content) ? 'content' : undefined
  return draft.type === 'native' && isTooDeep(draft.record) ? 'record' : undefined
}

export function startTime(head: SessionHead): string | null {
  return head.created_at ?? head.updated_at
}

export function startEvent(head: SessionHead, sequencer: Sequencer): IonEvent {
  return sequencer.complete(startDraft(head), `${head.native_id}:start`, 0)
}

function startDraft(head: SessionHead): Draft {
  return {
    type: 'session_start',
    v: FORMAT_VERSION,
    session_id: head.id,
    agent: head.agent,
    native_id: head.native_id,
    cwd: head.cwd,
    project: head.cwd === null ? null : projectOf(head.cwd),
    title: head.title,
    ...(head.model ? { model: head.model } : {}),
    ...(head.git ? { git: head.git } : {}),
    ...(head.forked_from ? { forked_from: head.forked_from } : {}),
    ...(head.parent_session ? { parent_session: head.parent_session } : {}),
    ...(head.spawned_by ? { spawned_by: head.spawned_by } : {}),
    source: { agent_version: head.agent_version, format: head.format },
    parent_id: null,
    time: head.created_at,
  }
}

/** The time of an unknown record: most agents call it `timestamp`. */
function timeOf(record: unknown): unknown {
  return record && typeof record === 'object' ? (record as { timestamp?: unknown }).timestamp : undefined
}
