import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { usage } from '../../src/library/usage.ts'
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

type Facts = Pick<UsageReport, 'total' | 'unpriced' | 'repeated'>

function factsOf({ total, unpriced, repeated }: Facts): Facts {
  return { total, unpriced, repeated }
}

/** Starts a server, and asks it for the usage until it has answered this, or was killed. */
async function serve(where: Machine, env: Record<string, string>, expected: Facts): Promise<number | null> {
  let isOver = false
  let pid = 0
  const running = runIon(where, ['web', '--port', '0', '--no-open'], { env, onStart: (started) => (pid = started) })
  void running.finally(() => (isOver = true))
  await until(() => expect(isOver || runningWeb(ioOf(where))?.pid === pid).toBe(true))
  await until(async () => {
    const found = isOver ? undefined : await answer<Facts>(where, '/api/usage')
    if (!isOver) expect(found && factsOf(found)).toEqual(expected)
  })
  if (!isOver) process.kill(pid, 'SIGTERM')
  return (await running).code
}

async function usageOf(where: Machine): Promise<string> {
  const { code, out, err } = await runIon(where, ['usage', 'sessions', '--json', '--limit', '0'])
  expect([code, err]).toEqual([0, ''])
  return out
}

/** Parts of SQL: filling the index (refresh.ts, in the first hundred operations), and storing model calls. Summing them writes nothing. */
const PLACES: readonly Record<string, string>[] = [
  ...(process.env.ION_KILLS === 'all' ? Array.from({ length: 100 }, (_, at) => at + 1) : [1, 12, 40, 100]).map(
    (at) => ({
      ION_TEST_KILL_AT: String(at),
    }),
  ),
  { ION_TEST_KILL_BEFORE: 'CREATE INDEX IF NOT EXISTS session_by_time' },
  { ION_TEST_KILL_BEFORE: 'INSERT INTO session_calls' },
]

test('a server that is killed while it indexes leaves an index that gives the same usage', async () => {
  const where = world()
  const hook = join(where.root, 'kill.cjs')
  writeFileSync(hook, killHook)
  const fresh = { ...where, ionHome: join(where.root, 'fresh') }
  const expected = factsOf(await usage({ io: ioOf(fresh) }))
  const printed = await usageOf(fresh)
  for (const [index, place] of PLACES.entries()) {
    const here = { ...where, ionHome: join(where.root, `killed-${index}`) }
    const env = { NODE_OPTIONS: `-r ${hook}`, ION_TEST_INDEX: '1', ...place }
    expect([place, await serve(here, env, expected)]).toEqual([place, null])
    expect([place, await serve(here, {}, expected)]).toEqual([place, 0])
    expect([place, await usageOf(here)]).toEqual([place, printed])
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
