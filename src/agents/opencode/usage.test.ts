import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { storeUsage } from '../../../test/support/model-calls.ts'
import { listAll, readAll } from '../../../test/support/read-all.ts'
import { scratchIo } from '../../../test/support/scratch.ts'
import type { Io } from '../../platform/io.ts'
import { openDatabase } from '../../platform/sqlite.ts'
import agent from './index.ts'

const fixture = fileURLToPath(new URL('./fixtures/1.18.33', import.meta.url))
const databaseOf = (io: Io): string => join(io.home, '.local/share/opencode/opencode.db')

describe('forks copy messages with their times', () => {
  test('their calls are those of the original', () => {
    const { total, calls, sessions, uncounted } = storeUsage(agent, scratchIo(fixture))
    // By SQL: 31 answers with tokens that differ in their time, and four copies in the fork.
    expect(calls.size).toBe(31)
    expect(total).toEqual({ input: 102_619, output: 1302, cache_read: 3100, cache_write: 0, reasoning: 48 })
    const find = (start: string): readonly string[] =>
      Object.entries(sessions).find(([native]) => native.startsWith(start))![1]
    const original = find('ses_e1f71ce51ffe')
    const fork = find('ses_e1f6ff1c0ffe')
    expect(fork).toHaveLength(5)
    expect(fork.filter((id) => original.includes(id))).toHaveLength(4)
    expect(new Set(uncounted.map(({ reason }) => reason))).toEqual(new Set(['repeated']))
  })
})

test('the cost that OpenCode stores, in micro-dollars', () => {
  const io = scratchIo(fixture)
  const database = openDatabase(databaseOf(io))
  database.exec(`UPDATE message SET data = json_set(data, '$.cost', 0.0123456) WHERE session_id LIKE 'ses_e1f706ee7%'`)
  database.close()
  const head = listAll(agent, io).heads.find(({ native_id }) => native_id.startsWith('ses_e1f706ee7'))!
  const costs = readAll(agent, head, io).events.flatMap(({ call }) => (call ? [call.cost] : []))
  expect(costs).toEqual([12_346])
})
