import { join } from 'node:path'
import fc from 'fast-check'
import { expect } from 'vitest'
import type { Agent } from '../../src/agents/agent.ts'
import archiveAgent from '../../src/agents/ion/index.ts'
import { Archive } from '../../src/archive/archive.ts'
import { archiveFile } from '../../src/archive/archive-paths.ts'
import { GrowingLog } from '../../src/archive/watch/ingest.ts'
import type { IonEvent } from '../../src/events/event.ts'
import { isEvent, isProblem } from '../../src/events/item.ts'
import type { SessionHead } from '../../src/events/session.ts'
import { SessionFollower } from '../../src/live/session-follower.ts'
import { readContext } from '../../src/native/read-context.ts'
import type { Scope } from '../../src/native/record-follower.ts'
import type { Io } from '../../src/platform/io.ts'
import { projectOf } from '../../src/platform/project.ts'
import { type Database, openDatabase } from '../../src/platform/sqlite.ts'
import { listAll, readAll } from '../support/read-all.ts'
import { scratchFolder, scratchIo } from '../support/scratch.ts'

/** Something that an agent does to its database; `step` is another number each time. */
export type Change = (database: Database, step: number) => void

interface Following {
  readonly agent: Agent
  readonly fixture: string
  /** Below the home. */
  readonly database: string
  /** Makes the session, empty. */
  readonly begin: Change
  readonly nativeId: string
  readonly change: fc.Arbitrary<Change>
}

/**
 * Whatever is done to a session, following it gives after each step the events of reading it whole, and in the end the
 * archive that a capture after each step gives, line by line.
 */
export function expectToBeFollowed({ agent, fixture, database: path, begin, nativeId, change }: Following): void {
  const changes = fc.array(fc.tuple(change, fc.constantFrom('tail' as const, 'all' as const)), {
    minLength: 1,
    maxLength: 25,
  })
  fc.assert(
    fc.property(changes, (steps) => {
      const io = scratchIo(fixture)
      const plain = { ...io, env: { ...io.env, ION_HOME: scratchFolder() } }
      const database = openDatabase(join(io.home, path))
      begin(database, 0)
      const log = new GrowingLog(agent, logOf(headOf(agent, nativeId, io), io), io)
      const follower = new SessionFollower(agent, io, 'conversation')
      const events = new Map<string, IonEvent>()
      try {
        for (const [step, [one, scope]] of steps.entries()) {
          one(database, step + 1)
          const head = headOf(agent, nativeId, io)
          log.append(head, scope)
          for (const item of follower.read(head).items) if (isEvent(item)) events.set(item.event.id, item.event)
          const whole = readAll(agent, head, io, readContext(io)).events
          expect(follower.order()!.map((id) => withoutSeq(events.get(id)!))).toEqual(whole.map(withoutSeq))
          capture(agent, { ...head, revision: String(step) }, plain)
        }
        const head = headOf(agent, nativeId, io)
        expect(archived(head, io)).toEqual(archived(head, plain))
      } finally {
        log.close()
        database.close()
      }
    }),
    { numRuns: 30 },
  )
}

/** The ids of the events that following a session gives at each read. */
export function followed(agent: Agent, nativeId: string, io: Io): (scope: Scope) => string[] {
  const follower = agent.rows!.follow(headOf(agent, nativeId, io))!
  return (scope) => {
    const items = [...follower.more(headOf(agent, nativeId, io), readContext(io), scope)]
    return items.flatMap((item) => (isEvent(item) ? item.event.id : isProblem(item) ? item.problem : []))
  }
}

export function headOf(agent: Agent, nativeId: string, io: Io): SessionHead {
  return listAll(agent, io).heads.find((head) => head.native_id === nativeId)!
}

function logOf({ id, cwd }: SessionHead, io: Io): string {
  return archiveFile(id, cwd && projectOf(cwd), io)
}

function capture(agent: Agent, head: SessionHead, io: Io): void {
  const archive = new Archive(io)
  try {
    archive.capture(agent, head, { copy: false })
  } finally {
    archive.close()
  }
}

function withoutSeq({ seq: _, ...event }: IonEvent): Omit<IonEvent, 'seq'> {
  return event
}

/** Without the header, which describes the session as it was first seen. */
function archived({ id }: SessionHead, io: Io): IonEvent[] {
  const head = listAll(archiveAgent, io).heads.find((one) => one.id === id)!
  return readAll(archiveAgent, head, io, readContext(io)).events.slice(1)
}
