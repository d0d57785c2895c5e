import { describe, expect, test } from 'vitest'
import { fixtureHome, isLetIn } from '../../../test/support/backup-parts.ts'
import { listAll } from '../../../test/support/read-all.ts'
import { readContext } from '../../native/read-context.ts'
import { openDatabase } from '../../platform/sqlite.ts'
import agent from './index.ts'
import { databasePath } from './paths.ts'

describe('amazon-q: parts of a conversation', () => {
  test('the row of its folder, and nothing once another conversation has replaced it', () => {
    const io = fixtureHome(agent, 'handmade-1.19.7')
    const [head] = listAll(agent, io).heads
    const parts = (): unknown[] => [...agent.backup!.parts(head!, readContext(io))]
    expect(parts()).toEqual([
      {
        kind: 'rows',
        root: 'data',
        path: 'data.sqlite3',
        tables: [{ table: 'conversations', where: { key: head!.cwd } }],
        bookkeeping: ['migrations'],
        inPlace: true,
      },
    ])
    const database = openDatabase(databasePath(io))
    database
      .prepare("UPDATE conversations SET value = json_set(value, '$.conversation_id', 'another') WHERE key = ?")
      .run(head!.cwd)
    database.close()
    expect(parts()).toEqual([])
  })

  test.each(['data.sqlite3-journal', 'settings.json', 'cli-agents/x.json'])('%s is not an allowed path', (path) => {
    expect(isLetIn(agent, path)).toBe(false)
  })
})
