import { mkdirSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { listAll, readAll } from '../../../test/support/read-all.ts'
import { copyTree, scratchFolder, scratchIo } from '../../../test/support/scratch.ts'
import { sessionId } from '../../events/id.ts'
import type { IonEvent } from '../../events/schema.ts'
import type { SessionHead } from '../../events/session.ts'
import { readContext } from '../../native/read-context.ts'
import type { Io } from '../../platform/io.ts'
import { openDatabase } from '../../platform/sqlite.ts'
import agent from './index.ts'
import { dataFolder } from './paths.ts'

const fixture = (name: string): Io => scratchIo(fileURLToPath(new URL(`./fixtures/${name}`, import.meta.url)))

const parent = 'b1000001-0000-4000-8000-000000000001'
const folder = 'sess_d1000001-0000-4000-8000-000000000001'
const oldOnly = 'a2000001-0000-4000-8000-000000000001'
const carried = 'a2000002-0000-4000-8000-000000000002'

function headOf(io: Io, native: string): SessionHead {
  return listAll(agent, io).heads.find((found) => found.native_id === native)!
}

/** The events without their common fields. */
function contentOf(events: readonly IonEvent[]): unknown[] {
  return events
    .slice(1)
    .map(({ seq: _seq, parent_id: _parent, timestamp: _time, timestamp_guessed: _guess, ...event }) => event)
}

describe('kiro: engine v3', () => {
  test('attachments, a refused tool, usage, a cancelled turn, and an unknown record', () => {
    const io = fixture('handmade-details')
    const reading = readContext(io)
    const { events, problems } = readAll(agent, headOf(io, folder), io, reading)
    expect(problems).toEqual([])
    expect(contentOf(events)).toEqual([
      { type: 'user', id: 'f1', content: 'Look at this' },
      { type: 'native', id: 'f1.1', record: { images: [{ name: 'a.png' }], documents: [] } },
      { type: 'tool_use', id: 't1', name: 'fs_write', input: { path: 'a' } },
      { type: 'tool_result', id: 'f4', tool_use_id: 't1', content: '{"error":"denied"}', is_error: true },
      { type: 'assistant', id: 'f5', content: [{ type: 'text', text: 'Not allowed.' }], model: 'claude-sonnet-4.5' },
      {
        type: 'system',
        subtype: 'usage',
        id: 'f7',
        content: { type: 'usage_summary', promptTurnSummaries: [{ unit: 'credit', usage: 0.1 }], executionId: 'x1' },
      },
      {
        type: 'system',
        subtype: 'interrupted',
        id: 'f8',
        content: { type: 'turn_end', stopReason: 'cancelled', executionId: 'x1' },
      },
      {
        type: 'native',
        id: 'f9',
        record: { id: 'f9', timestamp: '2026-11-04T10:00:09.000Z', payload: { type: 'hologram', depth: 3 } },
      },
    ])
    expect(reading.coverage).toEqual({ known: 5, skipped: 3, native: 2, bad: 0 })
  })

  test('the id is the folder’s name and the cwd the first workspace', () => {
    const io = fixture('handmade-details')
    expect(headOf(io, folder)).toMatchObject({
      id: sessionId('kiro', folder),
      title: 'Look at this',
      cwd: '/home/dev4/projects/shop',
      created_at: '2026-11-04T09:59:59.000Z',
      updated_at: '2026-11-04T10:00:09.000Z',
      model: 'auto',
      format: 'v3-jsonl',
    })
  })
})

describe('kiro: engine v1', () => {
  test('both tables are read; a migrated conversation only from the newer one', () => {
    const io = fixture('handmade-details')
    const answers = [oldOnly, carried].map((native) => {
      const head = headOf(io, native)
      return [head.format, head.resumable, head.created_at, contentOf(readAll(agent, head, io).events).at(-1)]
    })
    expect(answers).toEqual([
      [
        'v1-sqlite-by-folder',
        false,
        null,
        { type: 'assistant', id: expect.stringMatching(/^entry-/), content: [{ type: 'text', text: 'Yes.' }] },
      ],
      [
        'v1-sqlite',
        true,
        '2026-11-01T10:00:00.000Z',
        { type: 'assistant', id: expect.stringMatching(/^entry-/), content: [{ type: 'text', text: 'New answer.' }] },
      ],
    ])
  })

  test('login tokens never appear', () => {
    const secret = 'kiro-token-that-must-not-leave'
    const io = fixture('handmade-2.28.0')
    const database = openDatabase(join(dataFolder(io), 'data.sqlite3'))
    database.exec(`INSERT INTO auth_kv VALUES ('kirocli:odic:token', '${secret}');
      UPDATE conversations_v2 SET value = 'broken' WHERE conversation_id LIKE 'a0000001%'`)
    database.close()
    const listing = listAll(agent, io)
    expect(listing.problems.length).toBe(1)
    const items = listing.heads.map((head) => readAll(agent, head, io).items)
    expect(JSON.stringify([listing, items])).not.toContain(secret)
  })
})

describe('kiro: folders', () => {
  test('KIRO_HOME moves only the files, XDG_DATA_HOME only the database', () => {
    const io = fixture('handmade-2.28.0')
    const root = scratchFolder()
    copyTree(join(io.home, '.kiro'), join(root, 'k'))
    copyTree(join(io.home, '.local/share'), join(root, 'x'))
    rmSync(join(io.home, '.kiro'), { recursive: true })
    rmSync(join(io.home, '.local'), { recursive: true })
    const formats = (env: Record<string, string>): string[] => {
      const { heads } = listAll(agent, { ...io, env: { ...io.env, ...env } })
      return [...new Set(heads.map((head) => head.format))].sort()
    }
    expect(formats({})).toEqual([])
    expect(formats({ KIRO_HOME: join(root, 'k') })).toEqual(['v2-jsonl', 'v3-jsonl'])
    expect(formats({ XDG_DATA_HOME: join(root, 'x') })).toEqual(['v1-sqlite'])
  })

  test('on a Mac the database is in Application Support', () => {
    const linux = fixture('handmade-2.28.0')
    const mac: Io = { ...linux, platform: 'darwin' }
    rmSync(join(mac.home, '.kiro'), { recursive: true })
    expect(listAll(agent, mac).heads).toEqual([])
    mkdirSync(join(mac.home, 'Library/Application Support'), { recursive: true })
    renameSync(join(mac.home, '.local/share/kiro-cli'), join(mac.home, 'Library/Application Support/kiro-cli'))
    expect(listAll(agent, mac).heads.length).toBe(6)
  })

  test('the resume command names the engine', () => {
    const io = fixture('handmade-details')
    expect([carried, parent, folder].map((native) => agent.resumeCommand(headOf(io, native)))).toEqual([
      ['kiro-cli', 'chat', '--classic', '--resume-id', carried],
      ['kiro-cli', 'chat', '--v2', '--resume-id', parent],
      ['kiro-cli', 'chat', '--v3', '--resume-id', folder],
    ])
  })
})
