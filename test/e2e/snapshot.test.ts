import { execFileSync } from 'node:child_process'
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { openDatabase } from '../../src/platform/sqlite.ts'
import { filesBelow } from '../support/scratch.ts'
import { claudeFile, claudeLines, writeClaude } from './claude-session.ts'
import { inParallel } from './kill-cells.ts'
import { killHook, killPoints } from './kill-hook.ts'
import { listed, type Machine, machine, type Outcome, runIon } from './run-ion.ts'

const IDS = ['3f2a9c1d-8e7b-4a5f-8c3d-2e1f0a9b8c7d', '4a2a9c1d-8e7b-4a5f-8c3d-2e1f0a9b8c7d'] as const
const GOOSE = 'goose/fixtures/handmade-schema-13'

function ion(where: Machine, ...args: readonly string[]): Promise<Outcome> {
  return runIon(where, ['snapshot', ...args])
}

/** A machine with two sessions in files and some in a database. */
function world(): { where: Machine; file: string } {
  const where = machine(GOOSE)
  for (const [index, id] of IDS.entries()) {
    writeClaude(where, { id, cwd: join(where.home, 'shop'), prompt: `Task ${index}` })
  }
  return { where, file: join(where.root, 'all.tar.gz') }
}

test('from one machine to another: created, listed, verified, restored twice', async () => {
  const { where, file } = world()
  const made = await ion(where, 'create', file)
  expect([made.code, made.err]).toEqual([0, ''])
  expect(made.out).toMatch(/all\.tar\.gz: \d+ sessions, [\d.]+ kB in [\d.]+ kB\n$/)
  expect(statSync(file).mode & 0o777).toBe(0o600)
  const names = execFileSync('tar', ['tzf', file], { encoding: 'utf8' }).trim().split('\n')
  expect([names[0], names.at(-1)]).toEqual(['ion-snapshot.json', 'manifest.jsonl'])
  expect(names).toContain(`claude/${IDS[0]}/files/config/projects/-made/${IDS[0]}.jsonl`)

  const again = await ion(where, 'create', file)
  expect([again.code, again.err]).toEqual([4, expect.stringContaining('already exists')])
  expect((await ion(where, 'create', file, '--force')).code).toBe(0)

  const rows = (await ion(where, 'list', file, '--json')).out.trim().split('\n')
  const sessions = rows.map((row) => JSON.parse(row) as Record<string, unknown>)
  const known = await listed(where)
  // Including those archived in the agent.
  expect(sessions.map(({ id }) => id)).toEqual(expect.arrayContaining(known.map(({ id }) => id)))
  expect(sessions.find(({ id }) => id === IDS[0])).toEqual({
    agent: 'claude',
    id: IDS[0],
    native_id: IDS[0],
    title: 'Task 0',
    cwd: join(where.home, 'shop'),
    created_at: '2026-11-15T12:00:00.000Z',
    updated_at: '2026-11-15T12:00:01.000Z',
    agent_version: '2.1.325',
    bytes: statSync(claudeFile(where, IDS[0])).size,
    parts: 1,
  })
  expect(await ion(where, 'verify', file)).toMatchObject({
    code: 0,
    out: expect.stringMatching(/is intact: \d+ sessions, [\d.]+ kB, all checksums match\n$/),
  })

  const there = machine()
  const dry = await ion(there, 'restore', file, '--dry-run')
  expect([dry.code, readdirSync(there.home)]).toEqual([0, []])
  expect(dry.out).toContain(`would restore ${sessions.length} sessions`)
  const first = await ion(there, 'restore', file)
  expect([first.code, first.err]).toEqual([
    0,
    `the home folder was ${where.home}; paths below it are moved to ${there.home}\n`,
  ])
  expect(first.out.split('\n').at(-2)).toBe(`restored ${sessions.length} sessions`)
  const now = await listed(there)
  expect(now.map(({ id }) => id).sort()).toEqual(known.map(({ id }) => id).sort())
  expect(now.find(({ id }) => id === IDS[0])).toMatchObject({ cwd: join(there.home, 'shop'), title: 'Task 0' })
  const identical = `0 sessions, ${sessions.length} already identical\n`
  expect((await ion(there, 'restore', file, '--dry-run')).out).toBe(`would restore ${identical}`)
  expect((await ion(there, 'restore', file)).out).toBe(`restored ${identical}`)
})

test('a differing session is refused alone, a damaged snapshot completely', async () => {
  const { where, file } = world()
  await ion(where, 'create', file, '--agent', 'claude')
  const [changed, gone] = IDS.map((id) => claudeFile(where, id)) as [string, string]
  const before = readFileSync(gone)
  rmSync(gone)
  writeFileSync(changed, claudeLines({ id: IDS[0], prompt: 'Another task' }).join('\n'))
  const mine = readFileSync(changed)
  expect(await ion(where, 'restore', file, '--dry-run')).toMatchObject({
    code: 4,
    out: `would restore Claude Code ${IDS[1]} (Task 1)\nwould restore 1 session, 1 refused\n`,
  })
  const { code, out, err } = await ion(where, 'restore', file)
  expect({ code, out, err }).toEqual({
    code: 4,
    out: `restored Claude Code ${IDS[1]} (Task 1)\nrestored 1 session, 1 refused\n`,
    err: expect.stringContaining(`ion: refused Claude Code ${IDS[0]} (Task 0): `),
  })
  expect([readFileSync(gone).equals(before), readFileSync(changed).equals(mine)]).toEqual([true, true])
  rmSync(gone)
  expect((await ion(where, 'restore', file, '4a2a')).code).toBe(0)
  expect((await ion(where, 'restore', file, 'dddd')).code).toBe(3)
  expect((await ion(where, 'restore', file, '--to', join(where.root, 'look'), '3f2a')).code).toBe(0)
  expect(filesBelow(join(where.root, 'look'))).toEqual([
    join(where.root, 'look/.claude/projects/-made', `${IDS[0]}.jsonl`),
  ])

  rmSync(gone)
  const whole = readFileSync(file)
  const flipped = Buffer.from(whole)
  flipped.writeUInt8(flipped[whole.length >> 1]! ^ 0xff, whole.length >> 1)
  writeFileSync(file, flipped)
  expect(await ion(where, 'verify', file)).toMatchObject({ code: 1, out: '', err: expect.stringContaining('ion: ') })
  const damaged = await ion(where, 'restore', file)
  expect([damaged.code, damaged.err, existsSync(gone)]).toEqual([4, expect.stringContaining('is damaged'), false])
  writeFileSync(file, whole)
  truncateSync(file, whole.length - 30)
  expect((await ion(where, 'verify', file)).err).toContain('it is truncated')
  expect((await ion(where, 'verify', join(where.root, 'none'))).code).toBe(3)
  expect((await ion(where, 'verify', file, '--force')).code).toBe(2)
  expect((await ion(where, 'show', file)).code).toBe(2)
})

test('a large session is captured and restored with little memory', async () => {
  const where = machine()
  const path = claudeFile(where, IDS[0])
  mkdirSync(dirname(path), { recursive: true })
  const [first, second] = claudeLines({ id: IDS[0], answer: 'a long answer '.repeat(70_000) })
  writeFileSync(path, `${first}\n${`${second}\n`.repeat(80)}`)
  const before = readFileSync(path)
  expect(before.length).toBeGreaterThan(75_000_000)
  const file = join(where.root, 'large.tar.gz')
  const [made, checked] = [await ion(where, 'create', file), await ion(where, 'verify', file)]
  rmSync(path)
  const put = await ion(where, 'restore', file)
  expect([made.code, checked.code, put.code]).toEqual([0, 0, 0])
  expect(readFileSync(path).equals(before)).toBe(true)
  expect(Math.max(made.peakMb, checked.peakMb, put.peakMb)).toBeLessThan(250)
})

test('killed at each operation: no partial file, nothing lost, and the next run completes it', {
  tags: ['deep'],
}, async () => {
  const original = world()
  await ion(original.where, 'create', original.file)
  const snapshot = readFileSync(original.file)
  const hooked = (where: Machine, env: Record<string, string>, ...args: string[]): Promise<Outcome> => {
    const hook = join(where.root, 'hook.cjs')
    writeFileSync(hook, killHook)
    return runIon(where, ['snapshot', ...args], { env: { NODE_OPTIONS: `-r ${hook}`, ...env } })
  }
  const count = async (where: Machine, ...args: string[]): Promise<number> => {
    const operations = join(where.root, 'operations.json')
    expect((await hooked(where, { ION_TEST_OPERATIONS: operations }, ...args)).code).toBe(0)
    return (JSON.parse(readFileSync(operations, 'utf8')) as string[]).length
  }

  const first = world()
  const toCreate = await count(first.where, 'create', first.file)
  expect(toCreate).toBeGreaterThan(4)
  await inParallel(killPoints(toCreate), async (number) => {
    const { where, file } = world()
    expect([number, (await hooked(where, { ION_TEST_KILL_AT: String(number) }, 'create', file)).code]).toEqual([
      number,
      null,
    ])
    // It is complete or does not exist.
    if (existsSync(file)) expect((await ion(where, 'verify', file)).code).toBe(0)
    expect([number, (await ion(where, 'create', file, '--force')).code]).toEqual([number, 0])
    expect((await ion(where, 'verify', file)).code).toBe(0)
  })

  const empty = machine()
  const put = join(empty.root, 'all.tar.gz')
  writeFileSync(put, snapshot)
  const toRestore = await count(empty, 'restore', put)
  expect(toRestore).toBeGreaterThan(10)
  const known = (await listed(empty)).map(({ id }) => id).sort()
  await inParallel(killPoints(toRestore), async (number) => {
    const where = machine()
    const file = join(where.root, 'all.tar.gz')
    writeFileSync(file, snapshot)
    expect([number, (await hooked(where, { ION_TEST_KILL_AT: String(number) }, 'restore', file)).code]).toEqual([
      number,
      null,
    ])
    expect([number, (await ion(where, 'restore', file)).code]).toEqual([number, 0])
    expect((await listed(where)).map(({ id }) => id).sort()).toEqual(known)
    expect(filesBelow(where.home).filter((path) => path.includes('ion-restore'))).toEqual([])
  })
})

test('sessions of two homes with the same ids are kept apart', async () => {
  const [here, there] = [machine('goose/fixtures/1.52.0'), machine('goose/fixtures/1.52.0')]
  const change = (where: Machine, sql: string): void => {
    const database = openDatabase(join(where.home, '.local/share/goose/sessions/sessions.db'))
    database.exec(sql)
    database.close()
  }
  change(
    here,
    `UPDATE sessions SET session_type = 'sub_agent', parent_session_id = '20261115_1' WHERE id = '20261115_2'`,
  )
  change(
    there,
    `UPDATE sessions SET created_at = '2026-11-14 08:00:00', name = 'theirs';
     UPDATE messages SET content_json = '[{"type":"text","text":"of there"}]'`,
  )
  const file = join(here.root, 'goose.tar.gz')
  expect((await ion(here, 'create', file)).code).toBe(0)
  const all = async (where: Machine): Promise<Record<string, unknown>[]> =>
    (await runIon(where, ['sessions', '--all', '--hidden', '--sub-agents', '--json', '--limit', '0'])).out
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, unknown>)
  const [mine, before] = [await all(here), await all(there)]
  expect(before.map(({ id }) => id).sort()).toEqual(mine.map(({ id }) => id).sort())

  const dry = await ion(there, 'restore', file, '--dry-run')
  expect(dry.out).toContain(`would restore ${mine.length} sessions`)
  const restored = await ion(there, 'restore', file)
  expect([restored.code, restored.err]).toEqual([0, expect.stringContaining('the home folder was')])
  expect(restored.out).toMatch(/ as (\d+_\d+)-\w+, since another session has the id \1\n/)

  const after = await all(there)
  expect(after).toHaveLength(2 * mine.length)
  expect(after).toEqual(expect.arrayContaining(before.map(({ id, title }) => expect.objectContaining({ id, title }))))
  const added = after.filter(({ id }) => !before.some((one) => one.id === id))
  const titles = (rows: readonly Record<string, unknown>[]): unknown[] => rows.map(({ title }) => title).sort()
  expect(titles(added)).toEqual(titles(mine))
  // A sub-agent belongs to the session that was restored with it.
  const parents = added.flatMap(({ parent_session }) => parent_session ?? [])
  expect(parents).toHaveLength(1)
  for (const parent of parents) expect(added.map(({ id }) => id)).toContain(parent)

  const again = await ion(there, 'restore', file)
  expect([again.code, again.out]).toEqual([0, `restored 0 sessions, ${mine.length} already identical\n`])
})
