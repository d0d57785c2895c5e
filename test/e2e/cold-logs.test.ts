// @module-tag deep
import {
  appendFileSync,
  cpSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { archivedFiles } from './archived-logs.ts'
import { claudeFile, claudeLines } from './claude-session.ts'
import { inParallel } from './kill-cells.ts'
import { killHook, killPoints } from './kill-hook.ts'
import { type Machine, machine, type Outcome, runIon } from './run-ion.ts'

const ID = '3f2a9c1d-8e7b-4a5f-8c3d-2e1f0a9b8c7d'

/** A machine with one session from long ago. */
function withOldSession(): { where: Machine; file: string } {
  const where = machine()
  const file = claudeFile(where, ID)
  const answer = 'Mended, it was the rounding. '.repeat(40)
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, claudeLines({ id: ID, prompt: 'Fix the refund test', answer }).map(aged).join(''))
  return { where, file }
}

const aged = (line: string): string => `${line.replaceAll('"2026-', '"2020-')}\n`
const added = aged(claudeLines({ id: ID, prompt: 'and the till' })[0]!.replace('"u0"', '"u7"'))

test('ion capture --all compresses an old log, which reads the same and can grow again', async () => {
  const { where, file } = withOldSession()
  const ion = (...args: string[]): Promise<Outcome> => runIon(where, args)
  expect((await ion('capture', ID)).out).toBe('archived 3 new events of 1 session\n')
  const looks = [
    ['show', ID],
    ['search', 'rounding', '--json'],
  ]
  const reads = async (): Promise<unknown[]> => {
    const seen: unknown[] = []
    for (const look of [...looks, ['export', ID, '--format', 'jsonl']]) {
      const { code, out, err } = await ion(...look)
      // Only its path and its size on disk may differ.
      seen.push([code, out.replaceAll('.jsonl.gz', '.jsonl').replaceAll(/"bytes":\d+/g, ''), err])
    }
    return seen
  }
  cpSync(file, join(where.root, 'kept'))
  rmSync(file)
  const warm = await reads()
  expect((await ion('capture', '--all')).out).toMatch(
    /^nothing new to archive\ncompressed 1 old log: [\d.]+ kB to \d+ B\n$/,
  )
  expect(Object.keys(archivedFiles(where.ionHome))).toEqual([expect.stringMatching(/\.jsonl\.gz$/)])
  expect(await reads()).toEqual(warm)
  expect((await ion('storage', '--json')).out).toContain('"part":"sessions"')
  cpSync(join(where.root, 'kept'), file)
  appendFileSync(file, added)
  expect((await ion('capture', ID)).out).toBe('archived 1 new event of 1 session\n')
  expect(Object.keys(archivedFiles(where.ionHome))).toEqual([expect.stringMatching(/\.jsonl$/)])
  expect((await ion('export', ID, '--format', 'jsonl')).out).toContain('and the till')
})

test.each([
  ['compressing', ['capture', '--all'], ''],
  ['making it warm again', ['capture', ID], added],
])(
  'killed at each operation while %s: one complete log or both remain, and the next run resolves it',
  async (_, args, more) => {
    const { where, file } = withOldSession()
    const hook = join(where.root, 'hook.cjs')
    writeFileSync(hook, killHook)
    const prepared = join(where.root, 'prepared')
    const run = (ionHome: string, words: readonly string[], env: Record<string, string> = {}): Promise<Outcome> =>
      runIon({ ...where, ionHome }, words, { env: { NODE_OPTIONS: `-r ${hook}`, ...env }, timeoutMs: 60_000 })
    await run(prepared, ['capture', ID])
    if (more !== '') await run(prepared, ['capture', '--all'])
    appendFileSync(file, more)
    const from = textOf(prepared)
    const operations = join(where.root, 'operations.json')
    const whole = join(where.root, 'whole')
    cpSync(prepared, whole, { recursive: true })
    expect((await run(whole, args, { ION_TEST_OPERATIONS: operations })).code).toBe(0)
    const [to, names] = [textOf(whole), Object.keys(archivedFiles(whole))]
    expect([to.startsWith(from), names.length]).toEqual([true, 1])
    const count = (JSON.parse(readFileSync(operations, 'utf8')) as string[]).length
    expect(count).toBeGreaterThan(10)
    let killed = 0
    const points = killPoints(count)
    await inParallel(points, async (number) => {
      const ionHome = join(where.root, `killed-${number}`)
      cpSync(prepared, ionHome, { recursive: true })
      // A run may need one operation less, such as a wait.
      if ((await run(ionHome, args, { ION_TEST_KILL_AT: String(number) })).code === null) killed++
      const left = Object.entries(archivedFiles(ionHome))
      expect([number, left.length > 0]).toEqual([number, true])
      for (const [, text] of left) expect([number, text.startsWith(from)]).toEqual([number, true])
      const again = await run(ionHome, args)
      expect([number, again.code, textOf(ionHome), Object.keys(archivedFiles(ionHome))]).toEqual([number, 0, to, names])
    })
    expect(killed).toBeGreaterThan(points.length - 3)
  },
)

test('killed at each operation while a week-old copy is compressed: it stays complete, and the next run compresses it', async () => {
  const where = machine()
  const file = claudeFile(where, ID)
  mkdirSync(dirname(file), { recursive: true })
  const today = new Date().toISOString().slice(0, 10)
  writeFileSync(
    file,
    claudeLines({ id: ID })
      .map((line) => `${line.replaceAll('2026-11-15', today)}\n`)
      .join(''),
  )
  const hook = join(where.root, 'hook.cjs')
  writeFileSync(hook, killHook)
  const run = (ionHome: string, words: readonly string[], env: Record<string, string> = {}): Promise<Outcome> =>
    runIon({ ...where, ionHome }, words, { env: { NODE_OPTIONS: `-r ${hook}`, ...env } })
  await run(where.ionHome, ['capture', ID])
  // Partial files that a kill left are removed by the next capture.
  const pieces = (ionHome: string): string[] =>
    readdirSync(join(ionHome, 'vault/objects'), { recursive: true, encoding: 'utf8' }).filter((name) =>
      /[0-9a-f]{64}(\.plain)?$/.test(name),
    )
  const [piece = ''] = pieces(where.ionHome)
  expect(pieces(where.ionHome)).toEqual([expect.stringMatching(/\.plain$/)])
  /** A home whose copy is old. */
  const prepared = (name: string): string => {
    const ionHome = join(where.root, name)
    cpSync(where.ionHome, ionHome, { recursive: true })
    utimesSync(join(ionHome, 'vault/objects', piece), 1e9, 1e9)
    return ionHome
  }
  const operations = join(where.root, 'operations.json')
  await run(prepared('whole'), ['capture', '--all'], { ION_TEST_OPERATIONS: operations })
  const packed = [piece.replace('.plain', '')]
  expect(pieces(join(where.root, 'whole'))).toEqual(packed)
  const points = killPoints((JSON.parse(readFileSync(operations, 'utf8')) as string[]).length)
  let killed = 0
  await inParallel(points, async (number) => {
    const ionHome = prepared(`killed-${number}`)
    if ((await run(ionHome, ['capture', '--all'], { ION_TEST_KILL_AT: String(number) })).code === null) killed++
    const verified = await run(ionHome, ['capture', '--verify'])
    const again = await run(ionHome, ['capture', '--all'])
    const to = join(where.root, `to-${number}`)
    const restored = await run(ionHome, ['restore', ID, '--to', to])
    expect([number, verified.code, again.code, pieces(ionHome), restored.code]).toEqual([number, 0, 0, packed, 0])
    expect(readFileSync(join(to, '.claude/projects/-made', `${ID}.jsonl`))).toEqual(readFileSync(file))
  })
  expect(killed).toBeGreaterThan(points.length - 3)
})

/** The one that counts. */
function textOf(ionHome: string): string {
  return Object.values(archivedFiles(ionHome))[0]!
}
