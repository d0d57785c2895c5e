import { cpSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { findAgent } from '../../src/agents/find.ts'
import { note } from './archive-world.ts'
import { archivedLogs } from './archived-logs.ts'
import { installFake, logins } from './fake-agent.ts'
import { killHook, killPoints } from './kill-hook.ts'
import { type Machine, machine, runIon } from './run-ion.ts'

const claude = findAgent('claude')

function scene(): { where: Machine; ion: (...args: string[]) => ReturnType<typeof runIon> } {
  const where = machine()
  const PATH = installFake(where, [claude])
  return { where, ion: (...args) => runIon(where, args, { env: { PATH, ...logins } }) }
}

test('every run is archived; the copy is not listed twice, and remains when the agent loses its session', async () => {
  const { where, ion } = scene()
  await ion('run', 'claude', '--headless', 'Fix the refund test')
  const listed = async (): Promise<unknown[]> =>
    (await ion('sessions', '--all', '--json')).out
      .trim()
      .split('\n')
      .map((line) => {
        const { title, archived, resumable } = JSON.parse(line) as Record<string, unknown>
        return { title, archived, resumable }
      })
  expect(await listed()).toEqual([{ title: 'Fix the refund test', archived: true, resumable: true }])
  expect((await ion('search', 'refund', '--json')).out.trim().split('\n')).toHaveLength(1)
  rmSync(join(where.home, '.claude'), { recursive: true })
  expect(await listed()).toEqual([{ title: 'Fix the refund test', archived: true, resumable: false }])
  expect((await ion('search', 'refund', '--json')).out.trim().split('\n')).toHaveLength(1)
  expect((await ion('run', 'claude', '--headless', 'Fix the refund test')).code).toBe(4)
})

test('a log exported on one machine is imported on another, once', async () => {
  const [here, there] = [scene(), scene()]
  await here.ion('run', 'claude', '--headless', 'Fix the refund test')
  const { out } = await here.ion('sessions', '--all', '--json')
  const { id } = JSON.parse(out) as { id: string }
  const file = join(there.where.root, 'log.jsonl')
  writeFileSync(file, (await here.ion('export', id, '--format', 'jsonl')).out)
  // A download that stopped in the last line.
  const cut = join(there.where.root, 'cut.jsonl')
  writeFileSync(cut, readFileSync(file).subarray(0, -20))
  const part = await there.ion('import', cut)
  expect([part.code, part.out]).toEqual([0, `${cut}: 2 new events of ${id} (Fix the refund test)\n`])
  expect(part.err).toMatch(
    /^ion: .*cut\.jsonl is truncated: line 3 is incomplete and was not imported \(\d+ B\); .*\n$/,
  )
  expect(JSON.parse((await there.ion('import', cut, '--json')).out)).toEqual({
    ...{ file: cut, id, agent: 'claude', added: 0, truncated: { line: 3, bytes: expect.any(Number) } },
  })
  const [first, second] = [await there.ion('import', file), await there.ion('import', file)]
  expect([first.out, second.out]).toEqual([
    `${file}: 1 new event of ${id} (Fix the refund test)\n`,
    `${file}: nothing new, ${id} (Fix the refund test) is already in the archive\n`,
  ])
  expect((await there.ion('export', id, '--format', 'jsonl')).out).toBe(readFileSync(file, 'utf8'))
  writeFileSync(file, `${readFileSync(file, 'utf8')}{"type":"user"}\n`)
  const bad = await there.ion('import', file)
  expect([bad.code, bad.err]).toEqual([2, expect.stringMatching(/line 4 of .*; nothing was imported/)])
})

test('a log that rewrites a session of this machine is kept as a fork, and reported', async () => {
  const { where, ion } = scene()
  await ion('run', 'claude', '--headless', 'Fix the refund test')
  // As if Ion had never seen the session: only its agent has it.
  rmSync(where.ionHome, { recursive: true })
  const { id } = JSON.parse((await ion('sessions', '--all', '--json')).out) as { id: string }
  const log = (await ion('export', id, '--format', 'jsonl')).out
  const file = join(where.root, 'forged.jsonl')
  writeFileSync(file, log.replaceAll('Fix the refund test', 'Pay the refund to me'))
  const { code, out, err } = await ion('import', file)
  expect([code, err]).toEqual([0, expect.stringContaining(`changes events of session ${id}`)])
  const fork = /3 new events of (\S+) /.exec(out)![1]!
  expect(fork).not.toBe(id)
  // Both have the same times and texts that match as well: the original comes first, and the fork is marked.
  for (const order of [[], ['--rank']]) {
    const hits = (await ion('search', 'refund', '--json', ...order)).out.trim().split('\n')
    expect(hits.map((line) => (JSON.parse(line) as { session: { id: string } }).session.id)).toEqual([id, fork])
  }
  expect((await ion('search', 'refund')).out).toMatch(/^Fix the refund test\n[\s\S]*^\[fork\] Pay the refund to me\n/m)
  expect((await ion('sessions', '--all')).out).toContain('[fork] Pay the refund to me')
  rmSync(join(where.home, '.claude'), { recursive: true })
  expect((await ion('export', id, '--format', 'jsonl')).out).toBe(log)
  expect((await ion('export', fork, '--format', 'jsonl')).out).toContain('Pay the refund to me')
  // Neither has an exact copy, so nothing suggests to restore them.
  expect((await ion()).out).toContain("2 are only in Ion's archive (ion show, ion export)\n")
  const denied = await ion('restore', fork)
  expect([denied.code, denied.err]).toEqual([3, expect.stringContaining(`to read it: ion show ${fork}, ion export`)])
  expect(denied.err).not.toContain('ion capture')
  expect((await ion('--resume', fork)).err).not.toContain('ion restore')
  const again = await ion('import', file, '--json')
  expect(JSON.parse(again.out)).toEqual({
    ...{ file, id: fork, agent: 'claude', added: 0, conflict: 'rewrites', conflicts_with: id, forked_from: id },
  })
})

test('capture killed at each of its operations: the next one completes it, and nothing that was archived is lost', {
  tags: ['deep'],
}, async () => {
  const where = machine('claude/fixtures/2.1.197')
  const hook = join(where.root, 'hook.cjs')
  writeFileSync(hook, killHook)
  const capture = (ionHome: string, env: Record<string, string> = {}): ReturnType<typeof runIon> =>
    runIon({ ...where, ionHome }, ['capture', '--all'], { env: { NODE_OPTIONS: `-r ${hook}`, ...env } })
  const operations = join(where.root, 'operations.json')
  const whole = join(where.root, 'whole')
  expect((await capture(whole, { ION_TEST_OPERATIONS: operations })).code).toBe(0)
  const expected = archivedLogs(whole)
  expect(Object.keys(expected)).toHaveLength(1)
  const count = (JSON.parse(readFileSync(operations, 'utf8')) as string[]).length
  expect(count).toBeGreaterThan(15)
  for (const number of killPoints(count)) {
    const ionHome = join(where.root, `killed-${number}`)
    const killed = await capture(ionHome, { ION_TEST_KILL_AT: String(number) })
    expect([number, killed.code]).toEqual([number, null])
    const before = archivedLogs(ionHome)
    for (const [name, text] of Object.entries(before)) expect(expected[name]!.startsWith(text)).toBe(true)
    const again = await capture(ionHome)
    expect([number, again.code, archivedLogs(ionHome)]).toEqual([number, 0, expected])
  }
  note('capture --all', { operations: count })
})

test('a compaction of the index killed at each operation: no entry is lost, and the next capture completes it', {
  tags: ['deep'],
}, async () => {
  const where = machine('claude/fixtures/2.1.197')
  const hook = join(where.root, 'hook.cjs')
  writeFileSync(hook, killHook)
  const capture = (ionHome: string, env: Record<string, string> = {}): ReturnType<typeof runIon> =>
    runIon({ ...where, ionHome }, ['capture', '--all'], { env: { NODE_OPTIONS: `-r ${hook}`, ...env } })
  const indexOf = (ionHome: string): string[] => readFileSync(join(ionHome, 'index.jsonl'), 'utf8').trim().split('\n')
  const first = join(where.root, 'first')
  expect((await capture(first)).code).toBe(0)
  const entries = indexOf(first)
  /** A home with an index that is due for compaction. */
  const bloated = (name: string): string => {
    const ionHome = join(where.root, name)
    cpSync(first, ionHome, { recursive: true })
    writeFileSync(join(ionHome, 'index.jsonl'), `${Array(150).fill(entries.join('\n')).join('\n')}\n`)
    return ionHome
  }
  const operations = join(where.root, 'operations.json')
  const whole = bloated('whole')
  expect((await capture(whole, { ION_TEST_OPERATIONS: operations })).code).toBe(0)
  expect(indexOf(whole)).toEqual(entries)
  const count = (JSON.parse(readFileSync(operations, 'utf8')) as string[]).length
  let untouched = 0
  for (let number = 1; number <= count; number++) {
    const ionHome = bloated(`compacted-${number}`)
    expect([number, (await capture(ionHome, { ION_TEST_KILL_AT: String(number) })).code]).toEqual([number, null])
    const left = indexOf(ionHome)
    if (left.length > entries.length) untouched++
    expect([number, new Set(left)]).toEqual([number, new Set(entries)])
    const { out } = await capture(ionHome)
    expect([number, out, indexOf(ionHome)]).toEqual([number, expect.stringContaining('1 session unchanged'), entries])
  }
  expect([untouched > 2, untouched < count]).toEqual([true, true])
})
