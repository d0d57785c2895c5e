import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished, test } from 'vitest'
import { openDatabase } from '../../src/platform/sqlite.ts'
import { treeState } from '../support/scratch.ts'
import { listed, machine, runIon } from './run-ion.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))

/** Stores that are one database each, with the fixture that has one. */
const stores = [
  ['goose', 'goose/fixtures/handmade-schema-13', '.local/share/goose/sessions/sessions.db'],
  ['opencode', 'opencode/fixtures/1.18.33', '.local/share/opencode/opencode.db'],
  ['amazon-q', 'amazon-q/fixtures/handmade-1.19.7', '.local/share/amazon-q/data.sqlite3'],
  ['kiro', 'kiro/fixtures/handmade-details', '.local/share/kiro-cli/data.sqlite3'],
] as const

/** Another process that writes and keeps the lock. */
async function lock(paths: readonly string[]): Promise<() => Promise<void>> {
  const script = `
    const { createRequire } = require('node:module')
    const { DatabaseSync } = process.getBuiltinModule?.('node:sqlite') ?? createRequire(${JSON.stringify(join(root, 'package.json'))})('@photostructure/sqlite')
    for (const path of ${JSON.stringify(paths)}) {
      const database = new DatabaseSync(path)
      database.exec('BEGIN EXCLUSIVE')
      globalThis.open = [...(globalThis.open ?? []), database]
    }
    console.log('locked')
    setTimeout(() => {}, 60_000)`
  const child = spawn(process.execPath, ['--no-warnings', '-e', script], { stdio: ['ignore', 'pipe', 'inherit'] })
  onTestFinished(() => void child.kill('SIGKILL'))
  await once(child.stdout, 'data')
  return async () => {
    const gone = once(child, 'exit')
    child.kill('SIGKILL')
    await gone
  }
}

test('a locked database: reported, its known sessions stay listed, and it is read once unlocked', async () => {
  const where = machine('goose/fixtures/handmade-schema-13')
  const path = join(where.home, stores[0][2])
  const database = openDatabase(path)
  // In WAL mode a copy could be read.
  database.exec('PRAGMA journal_mode = DELETE')
  database.close()
  const unlock = await lock([path])
  const cold = await runIon(where, ['reindex'])
  expect(cold).toMatchObject({
    code: 0,
    out: expect.stringContaining('1 file or folder could not be read: ion doctor'),
  })
  await unlock()
  const rows = await listed(where)
  expect(rows.length).toBeGreaterThan(0)
  const unlockAgain = await lock([path])
  expect(await listed(where)).toEqual(rows)
  const { code, err } = await runIon(where, ['show', String(rows[0]!.id)])
  expect(code).toBe(0)
  expect(err).toContain('could not be read: cannot open the database: database is locked')
  await unlockAgain()
  expect((await runIon(where, ['show', String(rows[0]!.id)])).err).not.toContain('could not be read')
})

test('corrupt databases: reported with what to do, the others are still read, nothing is changed', async () => {
  const where = machine('claude/fixtures/2.1.197', ...stores.map(([, fixture]) => fixture))
  const claude = (await listed(machine('claude/fixtures/2.1.197'))).length
  const [header, pages, cut, rest] = stores.map(([, , path]) => join(where.home, path))
  writeFileSync(header!, `SQLite format 3\0${'garbage '.repeat(2000)}`)
  const bytes = readFileSync(pages!)
  bytes.fill(0x5a, 4096)
  writeFileSync(pages!, bytes)
  writeFileSync(cut!, readFileSync(cut!).subarray(0, Math.floor(statSync(cut!).size / 3)))
  writeFileSync(rest!, '')
  const before = treeState(where.home)
  const { code, out, err } = await runIon(where, ['sessions', '--all', '--json', '--limit', '0'])
  expect({ code, err }).toEqual({ code: 0, err: '' })
  const agents = out
    .trimEnd()
    .split('\n')
    .map((line) => (JSON.parse(line) as { agent: string }).agent)
  expect(agents.filter((agent) => agent === 'claude').length).toBe(claude)
  const doctor = await runIon(where, ['doctor'])
  expect(doctor.code).toBe(1)
  expect(doctor.out.match(/the file is\s+damaged/g)?.length).toBeGreaterThanOrEqual(3)
  expect(doctor.out).toContain('restore it from a backup')
  expect((await runIon(where, ['search', 'the', '--limit', '0'])).code).toBe(0)
  expect(treeState(where.home)).toEqual(before)
})

test('stores of an unknown version: what can be read is read, and the rest is reported', async () => {
  const where = machine(...stores.map(([, fixture]) => fixture))
  for (const [, , path] of stores) {
    const database = openDatabase(join(where.home, path))
    database.exec('PRAGMA user_version = 9999; PRAGMA foreign_keys = OFF')
    const tables = database
      .prepare("SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'")
      .all() as { name: string }[]
    // Everything exists under other names, as after a migration.
    for (const { name } of tables)
      if (name !== 'auth_kv') database.exec(`ALTER TABLE "${name}" RENAME TO "${name}_v99"`)
    database.close()
  }
  for (const args of [['sessions', '--all'], ['reindex'], ['search', 'x']]) {
    const { code, err } = await runIon(where, args)
    // There is nothing left to find.
    expect({ args, code, err }).toMatchObject({ args, code: args[0] === 'search' ? 1 : 0 })
    expect(err).not.toMatch(/TypeError|undefined/)
  }
  const { out } = await runIon(where, ['doctor', '--json'])
  const reported = out
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as { agent: string | null; verdict: string })
  for (const [agent] of stores) {
    expect({ agent, reported: reported.some((check) => check.agent === agent && check.verdict !== 'ok') }).toEqual({
      agent,
      reported: true,
    })
  }
})

test('a JSON Lines file of a newer version: unknown records are kept complete and counted', async () => {
  const where = machine()
  const folder = join(where.home, '.claude/projects/-x')
  const id = 'f0000000-0000-4000-8000-000000000001'
  cpSync(fileURLToPath(new URL('../../src/agents/claude/fixtures/2.1.197', import.meta.url)), where.home, {
    recursive: true,
  })
  mkdirSync(folder, { recursive: true })
  const record = {
    type: 'hologram',
    uuid: 'h1',
    timestamp: '2027-01-01T00:00:00.000Z',
    sessionId: id,
    cwd: '/x',
    light: [1, 2],
  }
  writeFileSync(
    join(folder, `${id}.jsonl`),
    `${JSON.stringify({ ...record, type: 'user', message: { role: 'user', content: 'hi' } })}\n${JSON.stringify(record)}\n`,
  )
  const { out } = await runIon(where, ['show', id, '--json'])
  const events = out
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>)
  expect(events.at(-1)).toMatchObject({ type: 'native', record })
  expect((await runIon(where, ['show', id])).err).toContain('1 record unknown to Ion, kept unchanged')
  expect(existsSync(where.ionHome)).toBe(true)
})
