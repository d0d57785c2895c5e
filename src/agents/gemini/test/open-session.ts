import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { listAll, type Read, readAll } from '../../../../test/support/read-all.ts'
import { scratchIo } from '../../../../test/support/scratch.ts'
import type { IonEvent } from '../../../events/schema.ts'
import type { SessionHead } from '../../../events/session.ts'
import { eventText } from '../../../events/text.ts'
import type { Io } from '../../../platform/io.ts'
import agent from '../index.ts'

/** For the tests of this folder: a session of a fixture, in a scratch home. */
export function open(
  fixture: string,
  native: string,
  io: Io = fixtureIo(fixture),
): Read & { io: Io; head: SessionHead } {
  const head = listAll(agent, io).heads.find((found) => found.native_id === native)!
  return { io, head, ...readAll(agent, head, io) }
}

export function fixtureIo(fixture: string): Io {
  return scratchIo(join(fileURLToPath(new URL('../fixtures/', import.meta.url)), fixture))
}

/** An event on one line: type, id, parent if that is not the previous event, and text. */
export function brief(events: readonly IonEvent[]): string[] {
  return events.slice(1).map((event, index) => {
    const kind = event.type === 'system' ? `system/${event.subtype}` : event.type
    const parent = event.parent_id === events[index]!.id ? '' : ` <- ${event.parent_id}`
    const text = event.type === 'system' ? JSON.stringify(event.content) : eventText(event)
    return `${kind} ${event.id}${parent}: ${text.slice(0, 60)}`
  })
}
