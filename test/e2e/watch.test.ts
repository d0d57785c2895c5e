import { spawn } from 'node:child_process'
import { appendFileSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import archiveAgent from '../../src/agents/ion/index.ts'
import { builtFolder } from '../support/built.ts'
import { until } from '../support/wait-until.ts'
import { archivedLogs } from './archived-logs.ts'
import { claudeFile, writeClaude } from './claude-session.ts'
import { installFake, logins, playable, promptsOf } from './fake-agent.ts'
import { killHook } from './kill-hook.ts'
import { type Machine, machine, runIon } from './run-ion.ts'

const ID = '2d67d85a-3801-4326-857a-93d8079bfb66'

interface Watcher {
  readonly said: { out: string; err: string }
  /** The exit code; null when it was killed. */
  readonly ended: Promise<number | null>
  isAlive(): boolean
  /** Resolves when it has archived the existing sessions and is watching, or has ended. */
  ready(): Promise<void>
  end(signal?: NodeJS.Signals): Promise<number | null>
}

function startWatch({ root, home, ionHome }: Machine, args: string[] = [], env: Record<string, string> = {}): Watcher {
  const child = spawn(process.execPath, [join(builtFolder(), 'ion.cjs'), 'capture', '--watch', ...args], {
    cwd: home,
    env: { PATH: dirname(process.execPath), HOME: home, ION_HOME: ionHome, TMPDIR: root, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const said = { out: '', err: '' }
  child.stdout.setEncoding('utf8').on('data', (text: string) => (said.out += text))
  child.stderr.setEncoding('utf8').on('data', (text: string) => (said.err += text))
  const ended = new Promise<number | null>((resolve) => child.on('close', resolve))
  const isAlive = (): boolean => child.exitCode === null && child.signalCode === null
  onTestFinished(async () => {
    child.kill('SIGKILL')
    await ended
  })
  return {
    said,
    ended,
    isAlive,
    ready: () => until(() => expect(said.err.includes('watching') || !isAlive()).toBe(true)),
    end: (signal = 'SIGTERM') => {
      child.kill(signal)
      return ended
    },
  }
}

/** The expected logs: those of one capture at the end. */
async function captured(where: Machine): Promise<Record<string, string>> {
  const ionHome = join(where.root, 'expected')
  rmSync(ionHome, { recursive: true, force: true })
  expect((await runIon({ ...where, ionHome }, ['capture', '--all'])).code).toBe(0)
  return archivedLogs(ionHome)
}

const line = (number: number): string =>
  `${JSON.stringify({
    type: 'user',
    uuid: `new-${number}`,
    parentUuid: null,
    timestamp: '2026-11-16T10:00:00.000Z',
    sessionId: ID,
    cwd: '/made',
    version: '2.1.325',
    message: { role: 'user', content: `more ${number}` },
  })}\n`

test('sessions are archived while agents write them, including a store that did not exist before', async () => {
  const where = machine()
  const PATH = installFake(where)
  const watcher = startWatch(where, ['--json'])
  await watcher.ready()
  const seen: string[] = []
  // One agent keeps its histories beside Ion's data, which is in another folder for this run.
  for (const agent of playable) {
    const prompt = `Fix the refund test with ${agent.id}`
    const ran = await runIon(
      { ...where, ionHome: join(where.root, 'other') },
      ['run', agent.id, '--headless', prompt],
      {
        env: { PATH, ...logins },
        timeoutMs: 60_000,
      },
    )
    const hasPrompt = (prompts: Record<string, string[]>): boolean => Object.values(prompts).flat().includes(prompt)
    if (ran.code !== 0 || !hasPrompt(promptsOf(where, agent))) continue
    await until(() => {
      const isArchived = hasPrompt(promptsOf(where, archiveAgent))
      expect({ agent: agent.id, isArchived, err: watcher.said.err }).toEqual({
        agent: agent.id,
        isArchived: true,
        err: expect.stringMatching(/^watching .*\n$/),
      })
    })
    seen.push(agent.id)
  }
  expect(seen.length).toBeGreaterThan(8)
  expect(await watcher.end()).toBe(0)
  const reported = watcher.said.out.trim().split('\n')
  expect(new Set(reported.map((text) => (JSON.parse(text) as { agent: string }).agent))).toEqual(new Set(seen))
  expect(JSON.parse(reported[0]!)).toEqual({
    id: expect.any(String),
    agent: seen[0],
    added: expect.any(Number),
    problems: 0,
    archived_at: expect.any(String),
  })
})

test.each<NodeJS.Signals>(['SIGINT', 'SIGTERM'])(
  '%s ends it with exit code 0 and nothing left to archive',
  async (signal) => {
    const where = machine()
    writeClaude(where, { id: ID, prompt: 'Fix the refund test' })
    const watcher = startWatch(where)
    await watcher.ready()
    expect(watcher.said.out).toBe(`claude  ${ID}  3 new events  Fix the refund test\n`)
    appendFileSync(claudeFile(where, ID), line(1))
    await until(() => expect(watcher.said.out).toContain('  1 new event  '))
    // It may not have noticed this one yet.
    appendFileSync(claudeFile(where, ID), line(2))
    expect(await watcher.end(signal)).toBe(0)
    expect(archivedLogs(where.ionHome)).toEqual(await captured(where))
    const { out } = await runIon(where, ['capture', '--all'])
    expect(out).toBe('nothing new to archive; 1 session unchanged\n')
  },
  120_000,
)

test('a store that is deleted and recreated', async () => {
  const where = machine()
  writeClaude(where, { id: ID, prompt: 'the first' })
  const watcher = startWatch(where)
  await watcher.ready()
  rmSync(join(where.home, '.claude'), { recursive: true })
  const other = ID.replace(/^2/, '3')
  writeClaude(where, { id: other, prompt: 'the second' })
  await until(() => expect(watcher.said.out).toContain('the second'))
  expect(await watcher.end()).toBe(0)
  expect(Object.values(promptsOf(where, archiveAgent)).flat().sort()).toEqual(['the first', 'the second'])
})

test('two watches and a capture in between write each event once', async () => {
  const where = machine()
  writeClaude(where, { id: ID })
  const watchers = [startWatch(where), startWatch(where)]
  for (const watcher of watchers) await watcher.ready()
  for (let number = 1; number <= 10; number++) {
    appendFileSync(claudeFile(where, ID), line(number))
    if (number === 5) await until(async () => expect((await runIon(where, ['capture', '--all'])).code).toBe(0))
  }
  await until(() => expect(Object.values(archivedLogs(where.ionHome))[0]).toContain('more 10'))
  for (const watcher of watchers) expect(await watcher.end()).toBe(0)
  expect(archivedLogs(where.ionHome)).toEqual(await captured(where))
})

test('killed at any operation: a capture completes it', { tags: ['deep'] }, async () => {
  const where = machine()
  const hook = join(where.root, 'hook.cjs')
  writeFileSync(hook, killHook)
  const operations = join(where.root, 'operations.json')
  const counted = (): number => (JSON.parse(readFileSync(operations, 'utf8')) as string[]).length
  const NODE_OPTIONS = `-r ${hook}`

  /** The agent writes three lines, each after the previous one was archived, or after a while if nothing archives. */
  const story = async (ionHome: string, env: Record<string, string>): Promise<Watcher> => {
    writeClaude(where, { id: ID })
    const watcher = startWatch({ ...where, ionHome }, [], { NODE_OPTIONS, ...env })
    await watcher.ready()
    for (let number = 1; number <= 3; number++) {
      appendFileSync(claudeFile(where, ID), line(number))
      const isThere = (): boolean =>
        Object.values(archivedLogs(ionHome)).some((text) => text.includes(`more ${number}`))
      await until(() => expect(isThere() || !watcher.isAlive()).toBe(true))
    }
    await watcher.end()
    return watcher
  }

  writeClaude(where, { id: ID })
  const start = join(where.root, 'start')
  const env = { NODE_OPTIONS, ION_TEST_OPERATIONS: operations }
  expect((await runIon({ ...where, ionHome: start }, ['capture', '--all'], { env })).code).toBe(0)
  const first = counted()
  await story(join(where.root, 'whole'), { ION_TEST_OPERATIONS: operations })
  const last = counted()
  expect(last - first).toBeGreaterThan(30)
  const expected = await captured(where)
  let killed = 0
  for (let number = first; number <= last; number += Math.ceil((last - first) / 12)) {
    const ionHome = join(where.root, `killed-${number}`)
    const watcher = await story(ionHome, { ION_TEST_KILL_AT: String(number) })
    if ((await watcher.ended) === null) killed++
    expect((await runIon({ ...where, ionHome }, ['capture', '--all'])).code).toBe(0)
    expect([number, archivedLogs(ionHome)]).toEqual([number, expected])
  }
  expect(killed).toBeGreaterThan(6)
})

test('an unknown agent is an error', async () => {
  const { code, err } = await runIon(machine(), ['capture', '--watch', '--agent', 'nobody'])
  expect([code, err]).toEqual([3, expect.stringContaining('unknown agent "nobody"')])
})
