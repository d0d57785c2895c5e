import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { listAll, readAll } from '../../../test/support/read-all.ts'
import { scratchIo } from '../../../test/support/scratch.ts'
import type { Io } from '../../platform/io.ts'
import { openDatabase } from '../../platform/sqlite.ts'
import agent from './index.ts'
import { databasePath } from './paths.ts'

const fixture = (name: string): Io => scratchIo(fileURLToPath(new URL(`./fixtures/${name}`, import.meta.url)))

describe('amazon-q: login tokens', () => {
  const secret = 'aoaAAAAAGtoken-that-must-not-leave'

  test('never appear in a head, an event or a problem', () => {
    const io = fixture('handmade-1.19.7')
    edit(
      io,
      `INSERT INTO auth_kv VALUES ('codewhisperer:odic:token', '${secret}');
       INSERT INTO auth_kv VALUES ('${secret}', 'x');
       INSERT INTO state VALUES ('telemetry', '${secret}');
       UPDATE conversations SET value = 'broken' WHERE key LIKE '%/shop-minimal'`,
    )
    const listing = listAll(agent, io)
    const everything = JSON.stringify([listing, listing.heads.map((head) => readAll(agent, head, io).items)])
    expect(listing.problems.length).toBe(1)
    expect(readFileSync(databasePath(io), 'latin1')).toContain(secret)
    expect(everything).not.toContain(secret)
  })

  test('the table is never read: with its page destroyed nothing fails', () => {
    const io = fixture('handmade-1.19.7')
    edit(io, `INSERT INTO auth_kv VALUES ('codewhisperer:odic:token', '${secret}')`)
    const before = listAll(agent, io)
    const database = openDatabase(databasePath(io))
    // The table and its index.
    const parts = database.prepare("SELECT rootpage FROM sqlite_master WHERE tbl_name = 'auth_kv'").all() as {
      rootpage: number
    }[]
    const { page_size } = database.prepare('PRAGMA page_size').get() as { page_size: number }
    database.close()
    const bytes = readFileSync(databasePath(io))
    for (const { rootpage } of parts) bytes.fill(0xff, (rootpage - 1) * page_size, rootpage * page_size)
    writeFileSync(databasePath(io), bytes)
    expect(listAll(agent, io)).toEqual(before)
    for (const head of before.heads) expect(readAll(agent, head, io).problems).toEqual([])
    const damaged = openDatabase(databasePath(io), { readOnly: true })
    expect(() => damaged.prepare('SELECT key FROM auth_kv').all()).toThrow(/malformed/)
    damaged.close()
  })
})

function edit(io: Io, sql: string): void {
  const database = openDatabase(databasePath(io))
  database.exec(sql)
  database.close()
}
