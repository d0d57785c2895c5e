import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { findAgent } from '../../src/agents/find.ts'
import { replaceFile } from '../../src/platform/atomic-file.ts'
import { identityOf, livingProcess } from '../../src/platform/process.ts'
import { DEFAULT_TASK, taskOf } from '../../src/run/task.ts'
import { liveChild } from '../support/live-child.ts'
import { until } from '../support/wait-until.ts'
import { agentsAlive, detachWorld } from './detach-world.ts'
import { installFake, ioOf, ledgerOf, logins, promptsOf } from './fake-agent.ts'
import { claude } from './fake-claude.ts'
import { machine, runIon } from './run-ion.ts'
import { ionWindow } from './terminal.ts'

// Each test starts several programs, and other machines may be several times slower.
vi.setConfig({ testTimeout: 120_000 })

test.each(['claude', 'codex', 'opencode'])(
  'a fake %s in the background, in the middle of its turn: it is stopped, and the next one resumes the session',
  async (id) => {
    const agent = findAgent(id)
    const where = machine()
    const env = { PATH: installFake(where, [agent]), ...logins }
    const trust = agent.start?.prepare?.trust?.({ cwd: where.home, io: ioOf(where) })
    if (trust) replaceFile(trust.file, trust.content)
    onTestFinished(async () => void (await runIon(where, ['stop', '--all', '--grace', '0'], { env })))
    const hold = join(where.root, 'hold')
    writeFileSync(hold, '')
    const held = { ...env, ION_FAKE_HOLD_AT: 'prompted', ION_FAKE_HOLD: hold }
    await runIon(where, ['run', id, '--detach', 'fix the bug'], { env: held })
    await until(() => expect(existsSync(`${hold}.reached`)).toBe(true))
    const old = Number(readFileSync(`${hold}.reached`, 'utf8'))

    const { code, out, err } = await runIon(where, ['run', id, '--detach', '--steal', 'fix the bug'], { env })
    expect({ code, out }).toEqual({ code: 0, out: expect.stringMatching(/^started /) })
    expect(err.split('\n').slice(0, 2)).toEqual([
      expect.stringMatching(
        new RegExp(`^ion: ${id}: stopping the ${agent.title} that is running in the background \\(pid \\d+\\)$`),
      ),
      expect.stringMatching(/resuming session [\w-]{36}, prompt delivered/),
    ])
    expect(livingProcess(old)).toBeUndefined()
    const launched = ledgerOf(where, agent).flatMap((entry) => (entry.type === 'launched' ? [entry.process.pid] : []))
    expect(launched.filter((pid) => livingProcess(pid))).toEqual([launched.at(-1)])
    expect(Object.values(promptsOf(where, agent))).toEqual([['fix the bug']])
  },
)

test('in the background, with a terminal attached: that terminal sees the end, and the session opens in the new one', async () => {
  const { where, path, ion, attach, ps } = detachWorld()
  await ion('run', 'claude', '--detach', 'fix the bug')
  const old = attach()
  await old.shows('done: fix the bug')
  const [row] = await ps()
  const window = ionWindow(where, ['run', 'claude', '--steal'], { path })
  await window.shows('FAKE warm 80x24')
  expect(window.raw()).toContain(
    `ion: claude: stopping the Claude Code that is running in the background (pid ${row!.pid})`,
  )
  expect(await old.exit).toBe(143)
  await until(() => expect(agentsAlive(where)).toHaveLength(1))
  expect(await ps()).toMatchObject([{ way: 'terminal', state: 'running' }])
  window.type('more\r')
  await window.shows('done: more')
  expect(Object.values(promptsOf(where, claude))).toEqual([['fix the bug', 'more']])
})

test('in another terminal: that one returns to its shell, and the session continues in the background', async () => {
  const { where, path, ion, ps } = detachWorld()
  const old = ionWindow(where, ['run', 'claude', 'fix the bug'], { path })
  await old.shows('done: fix the bug')
  // Ion finds the session a moment after the screen shows it.
  await until(async () => expect(await ps()).toMatchObject([{ session_id: expect.any(String) }]))
  const [row] = await ps()
  const { code, err } = await ion('run', 'claude', '--detach', '--steal', 'fix the bug')
  expect({ code, err: err.split('\n')[0] }).toEqual({
    code: 0,
    err: `ion: claude: stopping the Claude Code that is running in another terminal (pid ${row!.pid})`,
  })
  expect(await old.exit).toBe(143)
  expect(agentsAlive(where)).toHaveLength(1)
  expect(await ps()).toMatchObject([{ way: 'detached', session_id: row!.session_id }])
  expect(Object.values(promptsOf(where, claude))).toEqual([['fix the bug']])
})

test('two takeovers at the same instant: one succeeds, and one agent runs', async () => {
  const { where, ion } = detachWorld()
  await ion('run', 'claude', '--detach', 'fix the bug')
  const both = await Promise.all([1, 2].map(() => ion('run', 'claude', '--detach', '--steal', 'fix the bug')))
  expect(both.map(({ code }) => code)).toContain(0)
  await until(() => expect(agentsAlive(where)).toHaveLength(1))
  expect(Object.values(promptsOf(where, claude))).toEqual([['fix the bug']])
})

test('an agent whose Ion was killed is stopped, too', async () => {
  const where = machine()
  const env = { PATH: installFake(where, [claude]) }
  const hold = join(where.root, 'hold')
  writeFileSync(hold, '')
  let ion = 0
  const killed = runIon(where, ['run', 'claude', '--headless', 'fix the bug'], {
    env: { ...env, ION_FAKE_HOLD_AT: 'prompted', ION_FAKE_HOLD: hold },
    onStart: (pid) => (ion = pid),
  })
  await until(() => expect(existsSync(`${hold}.reached`)).toBe(true))
  process.kill(ion, 'SIGKILL')
  const orphan = Number(readFileSync(`${hold}.reached`, 'utf8'))
  const { code, err } = await runIon(where, ['run', 'claude', '--headless', '--steal', '--send', 'go on'], { env })
  await killed
  expect({ code, err: err.split('\n')[0] }).toEqual({
    code: 0,
    err: `ion: claude: stopping the Claude Code that was left behind by an earlier run (pid ${orphan})`,
  })
  expect(livingProcess(orphan)).toBeUndefined()
  expect(Object.values(promptsOf(where, claude))).toEqual([['fix the bug', 'go on']])
})

test('a process that Ion did not start is left alone and reported', async () => {
  const { where, ion } = detachWorld()
  await ion('run', 'claude', '--detach', 'fix the bug')
  await until(() => expect(Object.values(promptsOf(where, claude))).toEqual([['fix the bug']]))
  await ion('stop')
  const [session] = Object.keys(promptsOf(where, claude))
  const foreign = await liveChild()
  mkdirSync(join(where.home, '.claude/sessions'))
  writeFileSync(
    join(where.home, `.claude/sessions/${foreign}.json`),
    JSON.stringify({ pid: foreign, sessionId: session }),
  )
  const full = session!
  const refused = await ion('run', 'claude', '--detach')
  expect([refused.code, refused.err]).toEqual([
    4,
    expect.stringContaining(`session ${full} is open in another Claude Code (pid ${foreign})`),
  ])
  const stolen = await ion('run', 'claude', '--detach', '--steal')
  expect([stolen.code, stolen.err.split('\n')[0]]).toEqual([
    0,
    `ion: claude: session ${full} is also open in another Claude Code (pid ${foreign}), which Ion did not start and does not stop`,
  ])
  expect(livingProcess(foreign)).toBeDefined()
})

test('--dry-run says what it would stop, and stops nothing', async () => {
  const { where, ion } = detachWorld()
  await ion('run', 'claude', '--detach', 'fix the bug')
  const [agent] = agentsAlive(where)
  const { code, out } = await ion('run', 'claude', '--steal', '--dry-run')
  expect([code, out]).toEqual([
    0,
    expect.stringContaining(`Claude Code is running on this task (pid ${agent}) and is stopped first\n`),
  ])
  expect(agentsAlive(where)).toEqual([agent])
})

test('a task that another machine or container works on is refused with its name, until it is stolen', async () => {
  const { where, ion } = detachWorld()
  const task = taskOf('claude', where.home, DEFAULT_TASK, ioOf(where)).folder
  const holder = { ...identityOf(1), boot: 'another', machine: 'desk', way: 'detached', since: '2026-11-16T09:00:00Z' }
  mkdirSync(task, { recursive: true })
  writeFileSync(join(task, 'lease.1'), JSON.stringify(holder))
  for (const mode of ['--detach', '--headless']) {
    const { code, err } = await ion('run', 'claude', mode, 'fix the bug')
    expect({ code, err }).toEqual({
      code: 4,
      err: expect.stringMatching(/desk is working on this \(pid 1 there, since .*if desk no longer exists: .*--steal/s),
    })
  }
  expect(await ion('run', 'claude', '--detach', '--steal', 'fix the bug')).toMatchObject({ code: 0 })
  await until(() => expect(Object.values(promptsOf(where, claude))).toEqual([['fix the bug']]))
})
