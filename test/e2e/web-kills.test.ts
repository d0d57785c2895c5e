import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { isAlive } from '../../src/platform/process.ts'
import { runningWeb, secretFile } from '../../src/server/browse/registry.ts'
import { loadToken } from '../../src/server/token.ts'
import type { UsageReport } from '../../src/usage/report.ts'
import { fillWithSamples } from '../support/sample-home.ts'
import { until } from '../support/wait-until.ts'
import { claudeLines } from './claude-session.ts'
import { ioOf } from './fake-agent.ts'
import { killHook } from './kill-hook.ts'
import { type Machine, machine, type Outcome, runIon } from './run-ion.ts'

/** The samples, and sessions that repeat each other's calls, of which each counts once. */
function world(): Machine {
  const where = machine()
  fillWithSamples(where.home)
  const folder = join(where.home, '.claude/projects/-made')
  mkdirSync(folder, { recursive: true })
  const usage = { input_tokens: 100, output_tokens: 10, cache_read_input_tokens: 0, cache_creation_input_tokens: 0 }
  for (let n = 0; n < 12; n++) {
    const id = `3f2a0000-0000-4000-8000-${String(n).padStart(12, '0')}`
    const lines = claudeLines({ id, model: 'claude-opus-4-5-20251101', prompt: `prompt ${n}` }).map((line) => {
      const record = JSON.parse(line) as { type: string; message: object }
      const message = { ...record.message, id: `m${n % 4}`, usage }
      return record.type === 'assistant' ? JSON.stringify({ ...record, message }) : line
    })
    writeFileSync(join(folder, `${id}.jsonl`), `${lines.join('\n')}\n`)
  }
  return where
}

/** What a server of this machine answers; undefined once it is gone. */
async function answer<T>(where: Machine, path: string): Promise<T | undefined> {
  const io = ioOf(where)
  const running = runningWeb(io)
  if (!running) return undefined
  const headers = { authorization: `Bearer ${loadToken(secretFile(io)).token}` }
  const response = await fetch(`${running.url}${path}`, { headers }).catch(() => undefined)
  return (await response?.json().catch(() => undefined)) as T | undefined
}

/** Starts a server that may be killed, and requests what makes it settle calls, until it has answered or is gone. */
async function serve(
  where: Machine,
  env: Record<string, string>,
): Promise<{ readonly usage: UsageReport | undefined; readonly outcome: Outcome }> {
  const io = ioOf(where)
  let isOver = false
  let pid = 0
  const running = runIon(where, ['web', '--port', '0', '--no-open'], { env, onStart: (started) => (pid = started) })
  void running.finally(() => (isOver = true))
  await until(() => expect(isOver || runningWeb(io)?.pid === pid).toBe(true))
  const usage = await answer<UsageReport>(where, '/api/usage?by=sessions')
  if (usage && !isOver) process.kill(pid, 'SIGTERM')
  return { usage, outcome: await running }
}

async function usageOf(where: Machine): Promise<string> {
  const { code, out, err } = await runIon(where, ['usage', 'sessions', '--json', '--limit', '0'])
  expect([code, err]).toEqual([0, ''])
  return out
}

/**
 * While the index is created and filled, in the transaction that settles calls, and after it. How many operations there are
 * before that depends on what is read at the same time, so the last ones are left out.
 */
function killPoints(names: readonly string[]): Record<string, string>[] {
  const filling = Math.floor(names.findIndex((name) => name.includes(SETTLING)) * 0.7)
  const step = process.env.ION_KILLS === 'all' ? 1 : Math.ceil(filling / 5)
  const places = Array.from({ length: Math.ceil(filling / step) }, (_, index) => index * step + 1)
  return [
    ...places.map((at) => ({ ION_TEST_KILL_AT: String(at) })),
    { ION_TEST_KILL_BEFORE: SETTLING },
    { ION_TEST_KILL_BEFORE: AFTER_SETTLING },
  ]
}

/** Parts of SQL: see settle.ts and call-groups.ts. */
const SETTLING = 'INSERT INTO shared_call'
const AFTER_SETTLING = 'CREATE TEMP TABLE IF NOT EXISTS call_rate'

test('a server that is killed while it indexes or settles leaves an index that gives the same usage', async () => {
  const where = world()
  const hook = join(where.root, 'kill.cjs')
  writeFileSync(hook, killHook)
  const operations = join(where.root, 'operations.json')
  const counted = { NODE_OPTIONS: `-r ${hook}`, ION_TEST_INDEX: '1', ION_TEST_KILL_IN: 'web' }
  const first = await serve(where, { ...counted, ION_TEST_OPERATIONS: operations })
  expect(first.outcome.code).toBe(0)
  const expected = await usageOf({ ...where, ionHome: join(where.root, 'fresh') })
  expect(expected).toEqual(await usageOf(where))
  const names = JSON.parse(readFileSync(operations, 'utf8')) as string[]
  for (const [index, at] of killPoints(names).entries()) {
    const here = { ...where, ionHome: join(where.root, `killed-${index}`) }
    const { usage, outcome } = await serve(here, { ...counted, ...at })
    expect([at, outcome.code, usage]).toEqual([at, null, undefined])
    const next = await serve(here, {})
    expect([at, next.outcome.code, next.usage]).toEqual([at, 0, first.usage])
    expect([at, await usageOf(here)]).toEqual([at, expected])
  }
})

test('an entry of a killed server is in the way of nobody', async () => {
  const where = machine('claude/fixtures/2.1.325')
  const io = ioOf(where)
  const ion = (...args: string[]): Promise<Outcome> => runIon(where, args)
  onTestFinished(async () => void (await ion('web', '--stop')))
  expect((await ion('web', '--detach', '--port', '0', '--no-open')).code).toBe(0)
  const killed = runningWeb(io)!
  process.kill(killed.pid, 'SIGKILL')
  await until(() => expect(isAlive(killed)).toBe(false))
  expect(await ion('web', '--stop')).toMatchObject({ code: 0, out: 'ion web is not running\n' })
  const [id] = (await ion('sessions', '--all', '--json', '--limit', '1')).out.split('\n')
  const opened = await ion('open', (JSON.parse(id!) as { id: string }).id, '--print')
  expect(opened.code, opened.err).toBe(0)
  const second = runningWeb(io)!
  expect(second.pid).not.toBe(killed.pid)
  expect((await fetch(opened.out.trim(), { redirect: 'manual' })).status).toBe(302)
  // Its pid may be that of another program by now, which must not be mistaken for it, nor ended.
  process.kill(second.pid, 'SIGKILL')
  await until(() => expect(isAlive(second)).toBe(false))
  const entry = join(dirname(secretFile(io)), 'server.json')
  const stale = { ...(JSON.parse(readFileSync(entry, 'utf8')) as object), pid: process.pid }
  writeFileSync(entry, JSON.stringify(stale))
  expect(await ion('web', '--stop')).toMatchObject({ code: 0, out: 'ion web is not running\n' })
  const third = await ion('web', '--detach', '--port', '0', '--no-open')
  expect([third.code, third.err]).toEqual([0, expect.stringContaining('it keeps running')])
  expect((await fetch(third.out.trim(), { redirect: 'manual' })).status).toBe(302)
  expect((await ion('web', '--stop')).out).toBe(`stopped ${new URL(third.out.trim()).origin}\n`)
})
