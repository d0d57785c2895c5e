import { describe, expect, test } from 'vitest'
import { testWriter } from '../../../test/suites/test-writer.ts'
import { fixtureHome } from '../../../test/support/backup-parts.ts'
import { scratchIo } from '../../../test/support/scratch.ts'
import type { Io } from '../../platform/io.ts'
import { openDatabase } from '../../platform/sqlite.ts'
import agent from './index.ts'
import { databasePath } from './paths.ts'

testWriter(agent, { home: () => fixtureHome(agent, '1.52.0') })

function prepared(io: Io) {
  return agent.writer!.prepare({ cwd: io.home, version: '1.52.0', io })
}

function withSchema(version: number): Io {
  const io = fixtureHome(agent, '1.52.0')
  const database = openDatabase(databasePath(io))
  database.exec(`DELETE FROM schema_version; INSERT INTO schema_version (version) VALUES (${version})`)
  database.close()
  return io
}

describe('goose: before a session is written', () => {
  test.each([13, 16])('schema %i is known', (version) => {
    expect(prepared(withSchema(version))).toBeTypeOf('function')
  })

  test.each([
    [12, /older/, /update Goose/],
    [17, /newer/, /update Ion/],
  ])('schema %i is refused', (version, why, hint) => {
    expect(prepared(withSchema(version))).toEqual({
      why: expect.stringMatching(why),
      hint: expect.stringMatching(hint),
    })
  })

  test('without a database it says to start Goose', () => {
    const io = scratchIo()
    expect(prepared(io)).toEqual({
      why: `${databasePath(io)} does not exist`,
      hint: 'start goose once, then try again',
    })
  })
})

test('goose: messages keep their order whatever their times are, and none is later than now', () => {
  const io = fixtureHome(agent, '1.52.0')
  const write = prepared(io)
  if (typeof write !== 'function') throw new Error(write.why)
  const times = ['2026-11-14T09:00:05.000Z', '2026-11-14T09:00:01.000Z', '2031-01-01T00:00:00.000Z']
  const session = {
    id: '0f9a3c52-7d4e-4b7a-9a53-6d1c2b8e4f10',
    cwd: io.home,
    title: 'Refunds',
    at: '2026-11-15T10:00:00.000Z',
    messages: times.map((timestamp, index) => ({
      role: 'user' as const,
      id: `event-${index}`,
      timestamp,
      content: [{ type: 'text' as const, text: String(index) }],
    })),
  }
  const [part] = write(session).parts
  if (part?.kind !== 'rows') throw new Error('not rows')
  const rows = part.tables.find(({ table }) => table === 'messages')!.rows
  const seconds = (iso: string): number => Date.parse(iso) / 1000
  expect(rows.map(({ created_timestamp }) => created_timestamp)).toEqual([
    seconds(times[0]!),
    seconds(times[0]!),
    io.now().getTime() / 1000,
  ])
})
