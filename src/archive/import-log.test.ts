import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { sampleIo } from '../../test/support/sample-home.ts'
import { scratchIo } from '../../test/support/scratch.ts'
import { agents } from '../agents/_registry.ts'
import archiveAgent from '../agents/ion/index.ts'
import type { IonEvent, SessionStart } from '../events/event.ts'
import { sessionId } from '../events/id.ts'
import { isEvent, isProblem } from '../events/item.ts'
import { readContext } from '../native/read-context.ts'
import type { Io } from '../platform/io.ts'
import { Archive } from './archive.ts'
import { checkLog } from './checked-log.ts'
import { archivedHead, type Imported, importLog } from './import-log.ts'

let io: Io
let archive: Archive
function setUp(from: Io = scratchIo()): void {
  io = from
  archive = new Archive(io)
  onTestFinished(() => archive.close())
}

const id = sessionId('goose', '20261115_1')

function logOf(texts: readonly string[], header: Partial<SessionStart> = {}, prefix = 'm'): IonEvent[] {
  const at = (seq: number): string => `2026-11-15T18:00:0${seq}.000Z`
  const start: SessionStart = {
    type: 'session_start',
    seq: 0,
    id: 'start',
    parent_id: null,
    timestamp: at(0),
    v: 1,
    session_id: id,
    agent: 'goose',
    native_id: '20261115_1',
    cwd: '/home/dev/shop',
    project: '/home/dev/shop',
    title: 'Refunds',
    source: { agent_version: '1.8.0', format: 'sqlite-7' },
    ...header,
  }
  const messages = texts.map((content, n) => {
    const parent_id = n === 0 ? 'start' : `${prefix}${n - 1}`
    return { type: 'user' as const, seq: n + 1, id: `${prefix}${n}`, parent_id, timestamp: at(n + 1), content }
  })
  return [start, ...messages]
}

function imported(events: readonly IonEvent[]): Imported {
  const path = join(io.home, 'log.jsonl')
  mkdirSync(io.home, { recursive: true })
  writeFileSync(path, events.map((event) => `${JSON.stringify(event)}\n`).join(''))
  return importLog(checkLog(path, io), archive)
}

function texts(session: string): unknown[] {
  const head = archivedHead(session, io)
  if (!head) return []
  return [...archiveAgent.read(head, readContext(io))].flatMap((item) =>
    isEvent(item) && item.event.type === 'user' ? [item.event.content] : [],
  )
}

test('a log that adds events to a known session is added, and an older one changes nothing', () => {
  setUp()
  expect(imported(logOf(['one', 'two'])).added).toBe(3)
  const longer = imported(logOf(['one', 'two', 'three'], { title: 'Refunds, renamed', cwd: '/Users/ann/shop' }))
  expect([longer.added, longer.conflict]).toEqual([1, undefined])
  const older = imported(logOf(['one']))
  expect([older.added, older.conflict]).toEqual([0, undefined])
  expect(texts(id)).toEqual(['one', 'two', 'three'])
})

test('a log that changes an event is kept as a fork, which a longer one continues', () => {
  setUp()
  imported(logOf(['one', 'two']))
  const before = readFileSync(archivedHead(id, io)!.path, 'utf8')
  const forged = imported(logOf(['one', 'forged']))
  expect(forged).toMatchObject({ added: 3, conflict: { kind: 'rewrites', event: 'm1', id } })
  expect(forged.start).toMatchObject({ agent: 'goose', forked_from: id, session_id: expect.not.stringContaining(id) })
  expect(readFileSync(archivedHead(id, io)!.path, 'utf8')).toBe(before)
  expect(imported(logOf(['one', 'forged']))).toMatchObject({ added: 0, start: forged.start })
  expect(imported(logOf(['one', 'forged', 'more']))).toMatchObject({ added: 1, start: forged.start })
  expect(texts(forged.start.session_id)).toEqual(['one', 'forged', 'more'])
  const again = imported(logOf(['one', 'forged', 'other']))
  expect(again.start).toMatchObject({ forked_from: id })
  expect(again.start.session_id).not.toBe(forged.start.session_id)
  expect(texts(again.start.session_id)).toEqual(['one', 'forged', 'other'])
})

test('sessions of two homes with the same id are kept apart', () => {
  setUp()
  imported(logOf(['one'], {}, 'a'))
  const other = imported(logOf(['eins', 'zwei'], {}, 'b'))
  expect(other).toMatchObject({ added: 3, conflict: { kind: 'unrelated', id } })
  expect(other.start.forked_from).toBeUndefined()
  expect(texts(id)).toEqual(['one'])
  expect(texts(other.start.session_id)).toEqual(['eins', 'zwei'])
  expect(imported(logOf(['eins', 'zwei'], {}, 'b'))).toMatchObject({ added: 0, start: other.start })
})

test.each([
  ['agent', { agent: 'codex' }],
  ['native id', { native_id: 'something-else' }],
])('another %s in the header does not get hold of a session', (_name, header) => {
  setUp()
  imported(logOf(['one']))
  const forged = imported(logOf(['one', 'more'], header))
  expect(forged.conflict).toMatchObject({ kind: 'unrelated' })
  expect(texts(id)).toEqual(['one'])
  expect(texts(forged.start.session_id)).toEqual(['one', 'more'])
})

test('every agent: importing what was exported adds nothing', () => {
  setUp(sampleIo())
  const reading = readContext(io)
  const found = new Set<string>()
  const stores = agents.filter(({ isArchive }) => !isArchive)
  for (const agent of stores) {
    for (const source of agent.sources(reading)) {
      for (const head of isProblem(source) ? [] : agent.heads(source, reading)) {
        if (isProblem(head)) continue
        archive.capture(agent, head, { copy: false })
        const events = [...agent.read(head, reading)].flatMap((item) => (isEvent(item) ? [item.event] : []))
        const { added, conflict } = imported(events)
        expect([agent.id, head.id, added, conflict]).toEqual([agent.id, head.id, 0, undefined])
        found.add(agent.id)
      }
    }
  }
  expect(found.size).toBe(stores.length)
})
