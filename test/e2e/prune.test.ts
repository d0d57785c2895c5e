import { cpSync, existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { findAgent } from '../../src/agents/find.ts'
import { filesBelow } from '../support/scratch.ts'
import { claudeFile, claudeLines, writeClaude } from './claude-session.ts'
import { installFake, logins } from './fake-agent.ts'
import { inParallel } from './kill-cells.ts'
import { killHook, killPoints } from './kill-hook.ts'
import { type Machine, machine, type Outcome, runIon } from './run-ion.ts'
import { ionWindow } from './terminal.ts'

const GOOSE = 'goose/fixtures/handmade-schema-13'
const ids = [1, 2, 3].map((n) => `${n}f2a9c1d-8e7b-4a5f-8c3d-2e1f0a9b8c7d`) as [string, string, string]

/** Three sessions from long ago, the oldest first, and some in a database. */
function world(): Machine {
  const where = machine(GOOSE)
  for (const [index, id] of ids.entries()) {
    const path = writeClaude(where, { id, prompt: `Task ${index}`, answer: `answer ${index} `.repeat(500) })
    const lines = claudeLines({ id, prompt: `Task ${index}`, answer: `answer ${index} `.repeat(500) })
    writeFileSync(path, lines.map((line) => `${line.replaceAll('"2026-', `"20${20 + index}-`)}\n`).join(''))
  }
  return where
}

function ion(where: Machine, ...args: readonly string[]): Promise<Outcome> {
  return runIon(where, ['prune', ...args])
}

function there(where: Machine): boolean[] {
  return ids.map((id) => existsSync(claudeFile(where, id)))
}

const RULE = ['--older-than', '2024-01-01', '--keep', '1', '--agent', 'claude']

test('a rule in a pipe only lists; with --yes it removes, undo restores, and --empty-trash deletes the exact copies', async () => {
  const where = world()
  const before = ids.map((id) => readFileSync(claudeFile(where, id)))
  const shown = await ion(where, ...RULE)
  expect([shown.code, shown.err]).toEqual([4, 'nothing was done: there is no terminal to ask in; --yes does it\n'])
  expect((await ion(where, ...RULE, '--json')).code).toBe(4)
  expect((await ion(where, ...RULE, '--dry-run')).code).toBe(0)
  expect(shown.out).toMatch(
    /^agent +id +age +size +title\n.*Task 0\n.*Task 1\nto remove: 2 sessions \(10 kB\); the other sessions take 5 kB\n$/,
  )
  expect(there(where)).toEqual([true, true, true])

  const done = await ion(where, ...RULE, '--yes')
  expect([done.code, done.err]).toEqual([0, ''])
  expect(done.out).toContain("pruned 2 sessions, 10 kB; all of it is in Ion's archive\n")
  expect(there(where)).toEqual([false, false, true])
  expect((await runIon(where, ['show', ids[0]])).out).toContain('Task 0')
  expect((await ion(where, ...RULE, '--yes')).out).toBe('nothing to prune\n')

  const back = await ion(where, '--undo', '1f2a')
  expect([back.code, back.out]).toEqual([
    0,
    `restored claude ${ids[0]} (Task 0)\n1 more pruned session can be restored\n`,
  ])
  expect((await ion(where, '--undo', '--dry-run')).out).toBe(`would restore claude ${ids[1]} (Task 1)\n`)
  expect((await ion(where, '--undo')).out).toBe(`restored claude ${ids[1]} (Task 1)\n`)
  expect(ids.map((id) => readFileSync(claudeFile(where, id)))).toEqual(before)
  expect((await ion(where, '--undo')).out).toBe('no pruned sessions to restore\n')
  // Restored files have new times, so they are read again; every session is counted.
  const captured = (await runIon(where, ['capture', '--all', '--agent', 'claude'])).out
  expect(captured.split('\n')[0]).toBe('archived 3 new events of 1 session; 2 sessions read again, without new events')

  await ion(where, ...RULE, '--yes')
  expect(await ion(where, '--empty-trash')).toMatchObject({
    code: 4,
    err: expect.stringContaining('there is no terminal to ask in'),
  })
  const emptied = await ion(where, '--empty-trash', '--yes')
  expect([emptied.code, emptied.out]).toEqual([
    0,
    expect.stringMatching(/2 pruned sessions with an exact copy\nfreed \d+ B; the readable archive is kept\n$/),
  ])
  expect((await ion(where, '--undo')).out).toBe('no pruned sessions to restore\n')
  expect((await runIon(where, ['show', ids[0]])).out).toContain('Task 0')
  expect((await runIon(where, ['restore', ids[0]])).code).toBe(3)
})

test('in a terminal Ion asks, and "n" is answered', async () => {
  const where = world()
  const window = ionWindow(where, ['prune', ...RULE], { path: process.env.PATH! })
  await window.shows('Archive and remove 2 sessions? [y/N]')
  window.type('n\r')
  await window.shows(/^nothing was done$/m)
  expect(await window.exit).toBe(0)
  expect(there(where)).toEqual([true, true, true])
})

test('database rows are removed and restored; the output says that the file keeps its size', async () => {
  const where = machine(GOOSE)
  const listed = async (): Promise<unknown[]> =>
    (await runIon(where, ['sessions', '--all', '--hidden', '--json', '--limit', '0'])).out
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, unknown>)
      .map(({ id, messages, resumable }) => [id, messages, resumable])
      .sort()
  const before = await listed()
  const planned = await ion(where, '--keep', '0', '--dry-run')
  const [, count, size] = /would remove (\d+ sessions) \((.*?)\)/.exec(planned.out) ?? []
  const done = await ion(where, '--keep', '0', '--yes')
  expect(done.out).toContain(`pruned ${count}, ${size}; all of it`)
  expect([done.code, done.err]).toEqual([0, ''])
  expect(done.out).toContain('Databases keep their size until the agents reuse the free pages.\n')
  expect((await listed()).map((row) => (row as unknown[])[2])).toEqual(before.map(() => false))
  expect((await ion(where, '--undo')).code).toBe(0)
  expect(await listed()).toEqual(before)
})

test('a session that a task needs is kept, and so is one that was just used', async () => {
  const where = machine()
  const claude = findAgent('claude')
  const PATH = installFake(where, [claude])
  const env = { PATH, ...logins }
  await runIon(where, ['run', 'claude', '--headless', 'Fix the refund test'], { env })
  const now = new Date()
  const fresh = claudeLines({ id: ids[0], prompt: 'Just now' }).map((line) =>
    line.replaceAll(/"timestamp":"[^"]*"/g, `"timestamp":"${now.toISOString()}"`),
  )
  writeClaude(where, { id: ids[0] })
  writeFileSync(claudeFile(where, ids[0]), `${fresh.join('\n')}\n`)
  const { code, out, err } = await ion(where, '--max-size', '0', '--yes')
  expect({ code, out }).toEqual({ code: 0, out: 'nothing to prune\n' })
  expect(err).toMatch(/\(Fix the refund test\) kept: the task "main" in ~ needs it\n/)
  expect(err).toMatch(/\(Just now\) kept: it was used within the last hour\n/)
  const rows = (await ion(where, '--max-size', '0', '--json')).out.trim().split('\n')
  expect(rows.map((row) => (JSON.parse(row) as { outcome: string }).outcome)).toEqual(['stays', 'stays'])
})

test('wrong usage is refused', async () => {
  const where = machine()
  const codes = async (...orders: string[][]): Promise<(number | null)[]> => {
    const outcomes = []
    for (const order of orders) outcomes.push((await ion(where, ...order)).code)
    return outcomes
  }
  expect(
    await codes(
      [],
      ['abcd', '--keep', '1'],
      ['--undo', '--empty-trash'],
      ['--undo', '--keep', '1'],
      ['--max-size', 'x'],
    ),
  ).toEqual([2, 2, 2, 2, 2])
  expect(await codes(['--undo', 'abcd'], ['--agent', 'dog', '--keep', '1'], ['--keep', '1'])).toEqual([3, 3, 0])
})

/** Two sessions, of which the older one goes. */
function two(): Machine {
  const where = world()
  rmSync(join(where.home, '.local'), { recursive: true })
  rmSync(claudeFile(where, ids[2]))
  return where
}

/** Another machine that has the same. */
function copyOf({ home, ionHome }: Machine): Machine {
  const where = machine()
  cpSync(home, where.home, { recursive: true })
  cpSync(ionHome, where.ionHome, { recursive: true })
  return where
}

const PRUNE = ['prune', '--keep', '1', '--yes']
const UNDO = ['prune', '--undo']

function hooked(where: Machine, words: readonly string[], env: Record<string, string>): Promise<Outcome> {
  const hook = join(where.root, 'hook.cjs')
  writeFileSync(hook, killHook)
  return runIon(where, words, { env: { NODE_OPTIONS: `-r ${hook}`, ...env } })
}

/** At which of its operations a command is killed. */
async function operationsOf(where: Machine, words: readonly string[]): Promise<number[]> {
  const file = join(where.root, 'operations.json')
  expect((await hooked(where, words, { ION_TEST_OPERATIONS: file })).code).toBe(0)
  const names = JSON.parse(readFileSync(file, 'utf8')) as string[]
  return killPoints(names.length)
}

/** What is in the agent's store, and what could be put there. */
async function kept(where: Machine): Promise<string[]> {
  const texts: string[] = []
  for (const id of ids.slice(0, 2)) {
    const path = claudeFile(where, id)
    if (!existsSync(path)) {
      const look = join(where.root, 'look')
      await runIon(where, ['restore', id, '--to', look])
      texts.push(...filesBelow(look).map((file) => readFileSync(file, 'utf8')))
      rmSync(look, { recursive: true })
    } else texts.push(readFileSync(path, 'utf8'))
  }
  return texts
}

test('prune killed at each operation: nothing is lost, the next prune completes it, and undo restores', {
  tags: ['deep'],
}, async () => {
  const original = two()
  const before = await kept(original)
  const numbers = await operationsOf(original, PRUNE)
  expect([numbers.length > 8, there(original)]).toEqual([true, [false, true, false]])
  const found: Record<number, unknown> = {}
  const wanted: Record<number, unknown> = {}
  await inParallel(numbers, async (number) => {
    const where = two()
    const killed = await hooked(where, PRUNE, { ION_TEST_KILL_AT: String(number) })
    const between = await kept(where)
    const again = await runIon(where, PRUNE)
    const after = there(where)
    const undone = await runIon(where, UNDO)
    found[number] = [killed.code, between, again.code, after, undone.code, there(where), await kept(where)]
    wanted[number] = [null, before, 0, [false, true, false], 0, [true, true, false], before]
  })
  expect(found).toEqual(wanted)
})

test('undo killed at each operation: nothing is lost, and the next undo completes it', { tags: ['deep'] }, async () => {
  const original = two()
  const before = await kept(original)
  await runIon(original, PRUNE)
  const numbers = await operationsOf(copyOf(original), UNDO)
  expect(numbers.length).toBeGreaterThan(4)
  const found: Record<number, unknown> = {}
  const wanted: Record<number, unknown> = {}
  await inParallel(numbers, async (number) => {
    const where = copyOf(original)
    const killed = await hooked(where, UNDO, { ION_TEST_KILL_AT: String(number) })
    const between = await kept(where)
    const again = await runIon(where, UNDO)
    found[number] = [killed.code, between, again.code, await kept(where), inFolder(where)]
    wanted[number] = [null, before, 0, before, ids.slice(0, 2).map((id) => `${id}.jsonl`)]
  })
  expect(found).toEqual(wanted)
})

test('--empty-trash killed at each operation: sessions stay readable, and the next one completes it', {
  tags: ['deep'],
}, async () => {
  const EMPTY = ['prune', '--empty-trash', '--yes']
  const original = two()
  await runIon(original, PRUNE)
  const numbers = await operationsOf(copyOf(original), EMPTY)
  expect(numbers.length).toBeGreaterThan(3)
  const shown = (await runIon(original, ['export', ids[0], '--format', 'jsonl'])).out
  expect(shown).toContain('Task 0')
  const found: Record<number, unknown> = {}
  const wanted: Record<number, unknown> = {}
  await inParallel(numbers, async (number) => {
    const where = copyOf(original)
    const killed = await hooked(where, EMPTY, { ION_TEST_KILL_AT: String(number) })
    const again = await runIon(where, EMPTY)
    const { out } = await runIon(where, ['export', ids[0], '--format', 'jsonl'])
    const objects = join(where.ionHome, 'vault/objects')
    found[number] = [killed.code, again.code, out, filesBelow(objects)]
    wanted[number] = [null, 0, shown, []]
  })
  expect(found).toEqual(wanted)
})

function inFolder(where: Machine): string[] {
  return readdirSync(join(where.home, '.claude/projects/-made')).sort()
}
