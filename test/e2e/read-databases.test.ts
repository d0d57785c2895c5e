import { execFile } from 'node:child_process'
import { closeSync, openSync, readSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { type Io, listSessions } from '../../src/index.ts'
import { columnNames, tableNames } from '../../src/native/database.ts'
import { openDatabase } from '../../src/platform/sqlite.ts'
import { sampleIo } from '../support/sample-home.ts'

const child = fileURLToPath(new URL('read-databases-child.ts', import.meta.url))
const MAGIC = 'SQLite format 3\0'

/** The agents that store sessions in a database, each with one. */
async function databasePaths(io: Io): Promise<Map<string, string>> {
  const paths = new Map<string, string>()
  for await (const { agent, path } of listSessions({ io, hidden: true, subAgents: true, catalog: false }))
    if (startOf(path) === MAGIC) paths.set(agent, path)
  return paths
}

function startOf(path: string): string {
  const fd = openSync(path, 'r')
  try {
    const bytes = Buffer.alloc(MAGIC.length)
    readSync(fd, bytes)
    return bytes.toString('latin1')
  } finally {
    closeSync(fd)
  }
}

/** Makes sessions long, so that a garbage collection comes while their rows are read. Rows with an own id are repeated. */
function lengthen(path: string): void {
  const database = openDatabase(path)
  for (const table of tableNames(database)) {
    const columns = [...columnNames(database, table)]
    if (!columns.includes('session_id') || !columns.includes('id')) continue
    const others = columns.filter((name) => name !== 'id').join(', ')
    const [{ type }] = database.prepare(`SELECT typeof(id) AS type FROM ${table} LIMIT 1`).all() as [{ type: string }]
    const id = type === 'integer' ? 'NULL' : "id || '-' || hex(randomblob(8))"
    for (let times = 0; times < 6; times++)
      database.exec(`INSERT INTO ${table} (id, ${others}) SELECT ${id}, ${others} FROM ${table}`)
  }
  database.close()
}

/** In another process, since the failure is a crash. */
async function readInRounds(io: Io, agents: Iterable<string>, rounds: number): Promise<[id: string, events: number][]> {
  const args = ['--expose-gc', '--no-warnings', '--import', 'tsx', child, io.home, String(rounds), ...agents]
  const { stdout } = await promisify(execFile)(process.execPath, args)
  return JSON.parse(stdout)
}

test('long sessions in databases are read in one process, across garbage collections', {
  timeout: 120_000,
}, async () => {
  const io = sampleIo()
  const databases = await databasePaths(io)
  expect(databases.size).toBeGreaterThanOrEqual(4)
  for (const path of databases.values()) lengthen(path)
  const sessions = await readInRounds(io, databases.keys(), 2)
  expect(sessions.length).toBeGreaterThanOrEqual(databases.size)
  expect(sessions.filter(([, events]) => events < 3)).toEqual([])
  expect(Math.max(...sessions.map(([, events]) => events))).toBeGreaterThan(300)
})

test('500 rounds of each agent', { tags: ['deep'], timeout: 1_800_000 }, async () => {
  const io = sampleIo()
  for (const agent of (await databasePaths(io)).keys())
    expect((await readInRounds(io, [agent], 500)).length).toBeGreaterThan(0)
})
