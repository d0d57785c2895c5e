import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { listAll, readAll } from '../../../../test/support/read-all.ts'
import { scratchIo } from '../../../../test/support/scratch.ts'
import type { IonEvent } from '../../../events/schema.ts'
import type { SessionHead } from '../../../events/session.ts'
import type { Io } from '../../../platform/io.ts'
import agent from '../index.ts'

/** Helpers for the tests of this folder. */

/** Ids of the hand-made sessions. */
export const made = (...numbers: number[]): string[] =>
  numbers.map((n) => `5d0e0000-0000-4000-8000-${String(n).padStart(12, '0')}`)

export const fixtures = fileURLToPath(new URL('../fixtures/', import.meta.url))

export function openSession(fixture: string, id: string): { io: Io; head: SessionHead } {
  const io = scratchIo(join(fixtures, fixture))
  return { io, head: listAll(agent, io).heads.find((head) => head.native_id.startsWith(id))! }
}

/** The events of a session, and its problems without their location. */
export function readSession(fixture: string, id: string): { events: IonEvent[]; problems: string[] } {
  const { io, head } = openSession(fixture, id)
  const { events, problems } = readAll(agent, head, io)
  return { events, problems: problems.map(({ problem }) => problem) }
}

/** The content of the events, without what the sequencer adds. */
export function said(events: readonly IonEvent[]): unknown[] {
  return events.slice(1).map(({ id: _id, parent_id: _parent, seq: _seq, timestamp: _time, ...rest }) => rest)
}
