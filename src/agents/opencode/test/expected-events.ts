import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect } from 'vitest'
import { listAll, readAll } from '../../../../test/support/read-all.ts'
import { scratchIo } from '../../../../test/support/scratch.ts'
import type { IonEvent } from '../../../events/schema.ts'
import type { SessionHead } from '../../../events/session.ts'
import type { Io } from '../../../platform/io.ts'
import agent from '../index.ts'

/** Helpers for the tests of this folder: a scratch copy of a fixture, and its expected events. */

export const fixtures: string = fileURLToPath(new URL('../fixtures/', import.meta.url))

export function world(fixture: string): Io {
  return scratchIo(join(fixtures, fixture))
}

export function headOf(io: Io, native: string): SessionHead {
  return listAll(agent, io).heads.find((head) => head.native_id === native)!
}

/** The events after session_start. */
export function body(io: Io, native: string): IonEvent[] {
  return readAll(agent, headOf(io, native), io).events.slice(1)
}

/** Expected events in order: each follows the previous one. */
export function inRow(native: string, events: readonly Record<string, unknown>[]): unknown[] {
  return events.map((event, index) => ({
    seq: index + 1,
    parent_id: index === 0 ? `${native}:start` : events[index - 1]!.id,
    ...event,
  }))
}

export const at = (ms: number): string => new Date(ms).toISOString()
export const said = (text: string): unknown[] => [{ type: 'text', text }]
export const usage = (input: number, output: number, reasoning = 0, cache_read = 0, cache_write = 0): object => ({
  token_usage: { input, output, cache_read, cache_write, reasoning },
  call: { id: expect.stringMatching(`^\\d+-\\d+/stub-\\d/${[input, output, cache_read, cache_write].join('-')}$`) },
})
