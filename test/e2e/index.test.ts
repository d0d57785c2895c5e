import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test, vi } from 'vitest'
import { CATALOG_VERSION } from '../../src/catalog/schema.ts'
import { openDatabase } from '../../src/platform/sqlite.ts'
import { builtFolder } from '../support/built.ts'
import { canRunUnprivileged, isRoot } from '../support/unprivileged.ts'
import { writeClaude } from './claude-session.ts'
import { listed, type Machine, machine, type Outcome, runIon } from './run-ion.ts'

const NAME = `catalog.${CATALOG_VERSION}.db`
const catalogOf = ({ ionHome }: Machine): string => join(ionHome, NAME)

function crowd(): Machine {
  return machine(
    'claude/fixtures/2.1.325',
    'codex/fixtures/0.166.0',
    'goose/fixtures/1.52.0',
    'copilot/fixtures/1.0.102',
  )
}

/** Everything in the index, except when and in which order it was written. */
function contents(where: Machine): unknown {
  const database = openDatabase(catalogOf(where))
  try {
    expect(database.prepare('PRAGMA integrity_check').all()).toEqual([{ integrity_check: 'ok' }])
    const sessions = database.prepare(
      'SELECT agent, native_id, title, messages, tool_calls, input, output, updated_at, revision, head FROM session ORDER BY path, native_id',
    )
    return sessions.all()
  } finally {
    database.close()
  }
}

/** The same sessions, indexed without interruption. */
async function undisturbed(where: Machine): Promise<unknown> {
  const fresh = { ...where, ionHome: join(where.root, 'fresh') }
  expect((await runIon(fresh, ['reindex'])).code).toBe(0)
  return contents(fresh)
}

test('four programs at once without an index: the same correct answers, and an intact index', async () => {
  const where = crowd()
  const args = ['sessions', '--all', '--json', '--limit', '0']
  const outcomes = await Promise.all(Array.from({ length: 4 }, () => runIon(where, args)))
  const [first] = outcomes
  expect(first!.out.split('\n').length).toBeGreaterThan(40)
  for (const { code, out, err } of outcomes) expect({ code, out, err }).toEqual({ code: 0, out: first!.out, err: '' })
  const reindexed = await Promise.all(Array.from({ length: 4 }, () => runIon(where, ['reindex'])))
  expect(reindexed.map(({ code }) => code)).toEqual([0, 0, 0, 0])
  await runIon(where, ['reindex'])
  expect(contents(where)).toEqual(await undisturbed(where))
})

test('killed at any moment of reindex, the next run ends with the same index as an undisturbed one', {
  tags: ['deep'],
}, async () => {
  const where = crowd()
  const whole = performance.now()
  const expected = await undisturbed(where)
  const span = performance.now() - whole
  for (let round = 0; round < 20; round++) {
    // Every other time from scratch, otherwise with what the last run left.
    if (round % 2 === 0) rmSync(where.ionHome, { recursive: true, force: true })
    await runIon(where, ['reindex'], { timeoutMs: 30 + (span * round) / 20 })
  }
  const last = await runIon(where, ['reindex'])
  expect({ code: last.code, err: last.err }).toEqual({ code: 0, err: '' })
  expect(contents(where)).toEqual(expected)
})

test.each([[NAME], [NAME, `${NAME}-wal`, `${NAME}-shm`], [`${NAME}-wal`, `${NAME}-shm`]])(
  'the index (%s …) deleted while programs use it',
  async (...names) => {
    const where = crowd()
    const rows = (await listed(where)).map((row) => row.id)
    const remove = (): void => {
      for (const name of names) rmSync(join(where.ionHome, name), { force: true })
    }
    const list = (): Promise<Outcome> => runIon(where, ['sessions', '--all', '--json', '--limit', '0'])
    const made = (): number | undefined => statSync(catalogOf(where), { throwIfNoEntry: false })?.birthtimeMs
    const first = made()
    const reindex = runIon(where, ['reindex', '--from-scratch'])
    const others = [list(), list()]
    // In the middle of it: the old file is deleted and the new one exists.
    await vi.waitFor(() => expect([first, undefined]).not.toContain(made()), { timeout: 20_000, interval: 1 })
    remove()
    others.push(list(), list())
    for (const { code, out, err } of await Promise.all(others)) {
      expect({ code, err: code === 0 ? '' : err }).toEqual({ code: 0, err: '' })
      expect(
        out
          .trimEnd()
          .split('\n')
          .map((line) => (JSON.parse(line) as { id: string }).id),
      ).toEqual(rows)
    }
    const { code, err } = await reindex
    expect({ code, err: code === 0 ? '' : err }).toEqual({ code: 0, err: '' })
    await runIon(where, ['reindex'])
    expect(contents(where)).toEqual(await undisturbed(where))
  },
)

const damages: Readonly<Record<string, (path: string) => void>> = {
  'of another version': (path) => {
    const database = openDatabase(path)
    database.exec('PRAGMA user_version = 0; DROP VIEW session; PRAGMA user_version = 999')
    database.close()
  },
  'not a database': (path) => writeFileSync(path, 'nothing of the kind '.repeat(500)),
  'cut off': (path) => writeFileSync(path, readFileSync(path).subarray(0, 5000)),
  'overwritten after its first page': (path) => {
    const bytes = readFileSync(path)
    bytes.fill(0x33, 4096)
    writeFileSync(path, bytes)
  },
}

test.each(Object.keys(damages))('an index that is %s is rebuilt, with one line', async (name) => {
  const where = machine('claude/fixtures/2.1.325')
  const rows = await listed(where)
  damages[name]!(catalogOf(where))
  const { code, out, err } = await runIon(where, ['sessions', '--all', '--json', '--limit', '0'])
  expect(code).toBe(0)
  expect(err).toMatch(/^ion: the index (is|has) .*; rebuilding it\n$/)
  expect(
    out
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as unknown),
  ).toEqual(rows)
  expect((await runIon(where, ['sessions', '--all'])).err).not.toContain('rebuilding')
})

/** One line that says why and what to do. */
const IN_MEMORY = /^ion: cannot use the index .*; reading all sessions into memory instead \(set ION_HOME .*\)\n$/

test.skipIf(!canRunUnprivileged)(
  'an ION_HOME that is not writable: sessions are listed and searched all the same, with one warning',
  async () => {
    const where = machine('claude/fixtures/2.1.325')
    const sealed = join(where.root, 'sealed')
    for (const folder of [sealed, where.ionHome]) mkdirSync(folder, { mode: 0o555 })
    for (const ionHome of [join(sealed, 'cannot-be-made'), where.ionHome]) {
      const run = (...args: string[]): Promise<Outcome> => runIon({ ...where, ionHome }, args, { unprivileged: true })
      const list = await run('sessions', '--all', '--limit', '0', '--json')
      const rows = list.out.trimEnd().split('\n').length
      expect([list.code, rows, list.err]).toEqual([0, 15, expect.stringMatching(IN_MEMORY)])
      const hits = await run('search', 'cart')
      expect([hits.code, hits.err]).toEqual([
        0,
        expect.stringMatching(/^ion: cannot .* into memory .*\nsearched 15 sessions \(\+ 1 of sub-agents\)\n$/),
      ])
      expect(hits.out).toContain('cart')
      // What cannot be done without a disk says so.
      expect(await run('reindex')).toMatchObject({
        code: 1,
        err: expect.stringMatching(
          /^ion: cannot use the index .*\n {2}-> set ION_HOME to a folder that you can write to/,
        ),
      })
    }
  },
)

test.skipIf(!existsSync('/proc/self'))(
  'an ION_HOME where there can be no folder fails at once; doctor diagnoses it',
  async () => {
    const where = machine('claude/fixtures/2.1.325')
    const file = join(where.root, 'a-file')
    writeFileSync(file, '')
    for (const ionHome of ['/proc/ion/home', file]) {
      const odd = { ...where, ionHome }
      for (const args of [
        ['sessions', '--all'],
        ['search', 'cart'],
        ['capture', '--all'],
      ]) {
        expect(await runIon(odd, args)).toMatchObject({
          code: 1,
          out: '',
          err: expect.stringMatching(
            /^ion: cannot use the index .*\n {2}-> set ION_HOME to a folder that you can write to/,
          ),
        })
      }
      const diagnosis = await runIon(odd, ['doctor', 'claude'])
      expect([diagnosis.code, diagnosis.out]).toEqual([
        1,
        expect.stringMatching(/^Problems\n.*✗ index: cannot be written/s),
      ])
      expect(diagnosis.out).toContain('Claude Code')
    }
  },
)

/**
 * First a disk with 96 kB left for Ion's home, then with room: a file system in memory that only this shell sees, so nothing
 * of it can be left behind. There is no file `mounted` where that may not be done.
 */
const fullThenRoomy = `
mount -t tmpfs -o size=64m tmpfs "$ION_HOME" 2>/dev/null || exit 1
head -c $(((64 * 1024 - 96) * 1024)) /dev/zero > "$ION_HOME/filler"
: > mounted
"$0" "$1" sessions --all --limit 0 --json > full.out 2> full.err; echo $? > full.code
"$0" "$1" doctor claude --json > doctor.out 2> doctor.err; echo $? > doctor.code
rm "$ION_HOME/filler"
"$0" "$1" reindex --json > roomy.out 2> roomy.err; echo $? > roomy.code
cp "$ION_HOME"/catalog.* .`

test('a full disk: sessions are listed with one warning, doctor diagnoses it, and the index is built once there is space', async (context) => {
  const where = crowd()
  mkdirSync(where.ionHome)
  spawnSync(
    'unshare',
    [isRoot ? '-m' : '-rm', 'sh', '-c', fullThenRoomy, process.execPath, join(builtFolder(), 'ion.cjs')],
    { cwd: where.root, env: { PATH: process.env.PATH, HOME: where.home, ION_HOME: where.ionHome }, timeout: 30_000 },
  )
  if (!existsSync(join(where.root, 'mounted'))) context.skip('a small file system cannot be made here')
  const said = (name: string): string => readFileSync(join(where.root, name), 'utf8')
  expect([said('full.code'), said('full.err')]).toEqual(['0\n', expect.stringMatching(IN_MEMORY)])
  expect(said('full.err')).toMatch(/disk is full; .*free some disk space/)
  const rows = said('full.out').trimEnd().split('\n')
  expect(rows.length).toBe((await listed({ ...where, ionHome: join(where.root, 'elsewhere') })).length)
  const checks = said('doctor.out')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as { name: string })
  expect([said('doctor.code'), said('doctor.err'), checks.slice(0, 2)]).toEqual([
    '1\n',
    expect.stringMatching(IN_MEMORY),
    [
      expect.objectContaining({
        name: 'Ion home',
        verdict: 'bad',
        detail: expect.stringContaining('the disk is full'),
      }),
      expect.objectContaining({ name: 'index', verdict: 'bad' }),
    ],
  ])
  expect(checks).toContainEqual(expect.objectContaining({ name: 'coverage', agent: 'claude', verdict: 'ok' }))
  expect([said('roomy.code'), said('roomy.err')]).toEqual(['0\n', ''])
  expect(contents({ ...where, ionHome: where.root })).toEqual(await undisturbed(where))
})

test('other users cannot read the index', async () => {
  const where = machine()
  writeClaude(where, { id: 'ca7a1090-0000-4000-8000-000000000001' })
  await listed(where)
  expect(statSync(where.ionHome).mode & 0o777).toBe(0o700)
  for (const ending of ['', '-wal', '-shm']) {
    if (existsSync(catalogOf(where) + ending)) expect(statSync(catalogOf(where) + ending).mode & 0o777).toBe(0o600)
  }
})
