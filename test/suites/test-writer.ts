import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Agent } from '../../src/agents/agent.ts'
import type { Message, NewSession, WrittenSession } from '../../src/agents/write.ts'
import { isProblem } from '../../src/events/item.ts'
import type { SessionHead } from '../../src/events/session.ts'
import { placeSession } from '../../src/handover/place.ts'
import { differs } from '../../src/handover/read-back.ts'
import { tableNames, withNativeDatabase } from '../../src/native/database.ts'
import type { Io } from '../../src/platform/io.ts'
import { removeParts } from '../../src/vault/remove.ts'
import { isDatabase } from '../prove/stored.ts'
import { conversation } from '../support/conversations.ts'
import { listAll, readAll } from '../support/read-all.ts'
import { treeState } from '../support/scratch.ts'

export interface WriterExpectations {
  /** A home in which the agent was used before, so that what it needs exists. */
  readonly home: () => Io
  /** The title is stored where the agent shows it; false where its store has no place for it. */
  readonly hasTitle?: false
  /** Of the agent; the newest that is proven if undefined. */
  readonly version?: string
}

/** What every writer must do. That the real agent accepts it is for `npm run prove -- handover`. */
export function testWriter(agent: Agent, { home, hasTitle, version }: WriterExpectations): void {
  const writer = agent.writer!
  const target = { agent, version: version ?? writer.proven.newest }
  describe(`${agent.id}: writing sessions${version === undefined ? '' : ` for ${version}`}`, () => {
    const messages = conversation(writer)

    test('a written session is read back as it was, and its list entry names folder and title', () => {
      fc.assert(
        fc.property(messages, fc.uuid({ version: 4 }), (all, id) => {
          const { head, io } = placed(target, home(), all, id)
          expect(differs(all, eventsOf(agent, head, io))).toBeUndefined()
          expect({ cwd: head.cwd, resumable: head.resumable }).toEqual({ cwd: folderIn(io), resumable: true })
          if (hasTitle !== false) expect(head.title).toBe('Refunds (from Another Agent)')
        }),
        { numRuns: 60 },
      )
    })

    test('the same session is written as the same bytes', () => {
      fc.assert(
        fc.property(messages, (all) => {
          const io = home()
          expect(written(target, io, all, ID)).toEqual(written(target, io, all, ID))
        }),
        { numRuns: 20 },
      )
    })

    test('the rest of a conversation that has grown is added to an unused copy', () => {
      fc.assert(
        fc.property(messages, messages, (first, second) => {
          const all = [...first, ...second.map(renamed)]
          const { io } = placed(target, home(), first, ID)
          placeSession(agent, written(target, io, all, ID), folderIn(io), io, true)
          const same = listAll(agent, io).heads.filter(({ cwd }) => cwd === folderIn(io))
          expect(same.length).toBe(1)
          expect(differs(all, eventsOf(agent, same[0]!, io))).toBeUndefined()
        }),
        { numRuns: 20 },
      )
    })

    test('writing changes nothing else in the store, and removing the session leaves what was there', () => {
      const io = home()
      const before = storeState(io)
      const sessions = idsOf(agent, io)
      const [all] = fc.sample(messages, { numRuns: 1, seed: 7 })
      const { head } = placed(target, io, all!, ID)
      const others = Object.entries(storeState(io)).filter(([name]) => name in before)
      expect(others.flatMap(([name, rows]) => missingFrom(rows, before[name]!, name))).toEqual([])
      removeParts(agent, head, io)
      expect(idsOf(agent, io)).toEqual(sessions)
      expect(storeState(io)).toEqual(before)
    })
  })
}

/** Every file of the home as its content and time, every table of a database as its rows. */
function storeState({ home }: Io): Record<string, readonly string[]> {
  const state: Record<string, readonly string[]> = {}
  for (const [path, print] of Object.entries(treeState(home))) {
    // What is in the WAL is in the tables.
    if (path.endsWith('-wal')) continue
    if (isDatabase(join(home, path))) Object.assign(state, tablesOf(join(home, path), path))
    else state[path] = [print]
  }
  return state
}

function tablesOf(path: string, name: string): Record<string, readonly string[]> {
  const tables = withNativeDatabase(path, (database) =>
    [...tableNames(database)]
      // It only ever grows: a number is not given twice.
      .filter((table) => table !== 'sqlite_sequence')
      .map((table): [string, string[]] => {
        const rows = database.prepare(`SELECT * FROM "${table}"`).all()
        return [`${name}: ${table}`, rows.map((row) => JSON.stringify(row)).sort()]
      }),
  )
  return Object.fromEntries([...tables].map((table) => (isProblem(table) ? [name, [table.problem]] : table)))
}

/** What was there and is not any more. */
function missingFrom(now: readonly string[], before: readonly string[], name: string): string[] {
  const known = new Set(now)
  return before.filter((row) => !known.has(row)).map((row) => `${name} ${row}`)
}

const ID = '0f9a3c52-7d4e-4b7a-9a53-6d1c2b8e4f10'

interface Target {
  readonly agent: Agent
  readonly version: string
}

function written({ agent, version }: Target, io: Io, messages: readonly Message[], id: string): WrittenSession {
  const cwd = folderIn(io)
  mkdirSync(cwd, { recursive: true })
  const write = agent.writer!.prepare({ cwd, version, io })
  if (typeof write !== 'function') throw new Error(`refused: ${write.why}`)
  const session: NewSession = {
    id,
    cwd,
    title: 'Refunds (from Another Agent)',
    at: '2026-11-15T10:00:00.000Z',
    messages,
  }
  return write(session)
}

function placed(target: Target, io: Io, messages: readonly Message[], id: string): { head: SessionHead; io: Io } {
  const { agent } = target
  const session = written(target, io, messages, id)
  placeSession(agent, session, folderIn(io), io, false)
  const head = listAll(agent, io).heads.find(({ native_id }) => native_id === session.nativeId)
  if (!head) throw new Error(`${session.nativeId} is not listed`)
  return { head, io }
}

function folderIn(io: Io): string {
  return join(io.home, 'handed-over')
}

function eventsOf(agent: Agent, head: SessionHead, io: Io) {
  return readAll(agent, head, io).events
}

function idsOf(agent: Agent, io: Io): string[] {
  return listAll(agent, io).heads.map(({ native_id }) => native_id)
}

/** With other ids, which must be unique. */
function renamed(message: Message): Message {
  const id = `more-${message.id}`
  if (message.role === 'user') return { ...message, id }
  const content = message.content.map((block) => (block.type === 'call' ? { ...block, id: `more_${block.id}` } : block))
  return { ...message, id, content }
}
