import { spawn, spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { TaskRow } from '../../src/host/tasks.ts'
import { livingProcess } from '../../src/platform/process.ts'
import type { LedgerEntry } from '../../src/run/ledger.ts'
import { builtFolder } from '../support/built.ts'
import { until } from '../support/wait-until.ts'
import { agentsAlive, detachWorld } from './detach-world.ts'
import { ledgerOf, promptsOf } from './fake-agent.ts'
import { claude } from './fake-claude.ts'
import { type Machine, runIon } from './run-ion.ts'
import { ionWindow, openWindow } from './terminal.ts'

function lastOf(where: Machine): Partial<LedgerEntry> {
  const { at, run, ...entry } = ledgerOf(where, claude).at(-1)!
  return entry
}

test('starts in the background and returns; a second call finds it; stop ends it; the prompt is sent once', async () => {
  const { where, ion, ps, folder } = detachWorld()
  // It returns when both pipes are closed: nothing in the background keeps them open.
  const first = await ion('run', 'claude', '--detach', 'fix the bug')
  expect(first).toMatchObject({ code: 0, err: 'ion: claude: starting a new session\n' })
  expect(first.out).toMatch(/^started claude \(pid \d+\): ion attach claude, ion stop claude\n$/)
  const [row] = await ps()
  expect(row).toMatchObject({
    agent: 'claude',
    task: 'main',
    project: where.home,
    way: 'detached',
    exit: null,
    clients: 0,
  })
  expect(first.out).toContain(`(pid ${row!.pid})`)
  expect(statSync(join(folder, 'host.sock')).mode & 0o777).toBe(0o600)
  await until(() => expect(Object.values(promptsOf(where, claude))).toEqual([['fix the bug']]))

  const again = await ion('run', 'claude', '--detach', 'fix the bug')
  expect(again).toMatchObject({ code: 0, err: '' })
  expect(again.out).toBe(first.out.replace('started', 'already running'))
  const other = await ion('run', 'claude', '--detach', 'something else')
  expect(other).toMatchObject({ code: 4, out: '' })
  expect(other.err).toContain('claude is already running with another prompt')
  expect(await ion('run', 'claude', '--detach', '--send', 'more')).toMatchObject({ code: 4, out: '' })

  expect(await ion('stop')).toMatchObject({ code: 0, out: 'stopped claude in ~\n' })
  expect(lastOf(where)).toEqual({ type: 'exited', code: null, signal: 'SIGTERM', stopped: true })
  expect(readdirSync(folder).filter((name) => name.startsWith('host'))).toEqual([])
  expect(await ion('stop')).toMatchObject({ code: 0, out: 'nothing is running in ~\n' })
  expect(await ion('stop', 'claude')).toMatchObject({ code: 0, out: 'not running: claude in ~\n' })
  // An agent that has not run is known by its aliases too.
  expect(await ion('stop', 'codex-cli')).toMatchObject({ code: 0, out: 'not running: codex-cli in ~\n' })
  expect(await ps('--all')).toMatchObject([{ state: 'ended', exit: 'SIGTERM', pid: null, way: null }])

  expect(await ion('run', 'claude', '--detach', 'something else')).toMatchObject({
    code: 4,
    out: '',
    err: expect.stringMatching(/this is another prompt\n {2}-> ion run claude --detach --send "…"/),
  })
  const warm = await ion('run', 'claude', '--detach', 'fix the bug\n')
  expect(warm.err).toMatch(/^ion: claude: resuming session [\w-]{36}, prompt delivered [\d: -]+\n$/)
  expect((await ion('logs')).out).toContain('FAKE warm 120x36')
  expect(Object.values(promptsOf(where, claude))).toEqual([['fix the bug']])
})

test('two starts at the same instant: one starts it, the other says that it is running', async () => {
  const { where, ion } = detachWorld()
  const both = await Promise.all([1, 2].map(() => ion('run', 'claude', '--detach', 'fix the bug')))
  expect(both.map(({ code }) => code)).toEqual([0, 0])
  expect(both.map(({ out }) => out.split(' claude')[0]).sort()).toEqual(['already running', 'started'])
  expect(ledgerOf(where, claude).filter(({ type }) => type === 'launched')).toHaveLength(1)
})

test('survives the end of the process group and of the terminal that started it', async () => {
  const { where, path, ps } = detachWorld()
  const ion = `"${process.execPath}" "${join(builtFolder(), 'ion.cjs')}"`
  const script = spawn('/bin/sh', ['-c', `${ion} run claude --detach --task one "go"; echo up; read stay`], {
    cwd: where.home,
    env: { PATH: path, HOME: where.home, ION_HOME: where.ionHome, TMPDIR: where.root },
    stdio: ['pipe', 'pipe', 'ignore'],
    detached: true,
  })
  let said = ''
  script.stdout.on('data', (text) => (said += text))
  await until(() => expect(said).toContain('up'))
  process.kill(-script.pid!, 'SIGKILL')

  const window = openWindow(where, ['/bin/sh', '-c', `${ion} run claude --detach --task two "go"; read stay`], { path })
  await window.shows('started claude-two')
  window.close()
  await window.exit
  expect((await ps()).map(({ task, agent_pid }) => ({ task, lives: livingProcess(agent_pid!) !== undefined }))).toEqual(
    expect.arrayContaining([
      { task: 'one', lives: true },
      { task: 'two', lives: true },
    ]),
  )
})

test('attach: several clients at the smallest size; keys are passed on; Ctrl-] detaches and restores the terminal', async () => {
  const { where, path, ion, attach, ps } = detachWorld()
  await ion('run', 'claude', '--detach', 'fix the bug')
  const small = attach()
  await small.shows('done: fix the bug')
  await small.shows('FAKE cold 80x24')
  const large = ionWindow(where, ['attach', 'claude'], { path, size: { columns: 100, rows: 30 } })
  await large.shows('FAKE cold 80x24')
  large.type('more work\r')
  await Promise.all([small, large].map((window) => window.shows('done: more work')))
  expect((await ps())[0]).toMatchObject({ clients: 2 })

  small.type('\x1d')
  expect(await small.exit).toBe(0)
  // What it printed last may still be on its way to the screen.
  await until(() =>
    expect(small.text()).toMatch(
      /^ion: claude in ~: attached; Ctrl-\] detaches.*\n.*ion: claude in ~: detached; the agent keeps running/s,
    ),
  )
  expect(small.raw().lastIndexOf('\x1b[?1049l')).toBeGreaterThan(small.raw().lastIndexOf('\x1b[?1049h'))
  expect(small.raw().lastIndexOf('\x1b[?25h')).toBeGreaterThan(small.raw().lastIndexOf('\x1b[?25l'))
  await large.shows('FAKE cold 100x30')
  large.resize({ columns: 60, rows: 20 })
  await large.shows('FAKE cold 60x20')
  large.type('ask\r')
  await large.shows(/told .*\[5;7R"/)
  large.type('that is all\r')
  await large.shows('done: that is all')
  // The host has answered, once, whatever the client would answer.
  expect(large.text().match(/\[\?1;2c|\[5;7R/g)).toEqual(['[?1;2c', '[5;7R'])
  large.type('exit 9\r')
  expect(await large.exit).toBe(9)
  await large.shows('the agent has ended with exit code 9')
  await until(() => expect(lastOf(where)).toEqual({ type: 'exited', code: 9, signal: null }))
})

test('a client that does not read blocks nobody, and sees the current screen when it reads again', async () => {
  const { ion, attach } = detachWorld()
  await ion('run', 'claude', '--detach', 'go')
  const [slow, quick] = [attach(), attach()]
  await Promise.all([slow, quick].map((window) => window.shows('done: go')))
  process.kill(slow.pid, 'SIGSTOP')
  quick.type('flood\r')
  await quick.shows('flooded')
  expect(slow.text()).not.toContain('flooded')
  process.kill(slow.pid, 'SIGCONT')
  await slow.shows('flooded')
  await slow.shows('FAKE cold 80x24')
})

test('kill -9 of the host: clients restore the terminal, and the next start resumes the same session', async () => {
  const { where, ion, ps, attach, folder } = detachWorld()
  await ion('run', 'claude', '--detach', 'fix the bug')
  const window = attach()
  await window.shows('done: fix the bug')
  const [row] = await ps()
  process.kill(row!.pid!, 'SIGKILL')
  expect(await window.exit).toBe(1)
  expect(window.text()).toContain('connection lost: its host is gone')
  // The terminal is gone with it, and most agents exit then.
  await until(() => expect(agentsAlive(where)).toEqual([]))
  expect(await ion('stop')).toMatchObject({ code: 0, out: 'nothing is running in ~\n' })
  expect(existsSync(join(folder, 'host.json'))).toBe(false)
  const warm = await ion('run', 'claude', '--detach', 'fix the bug')
  expect(warm).toMatchObject({ code: 0, err: expect.stringContaining('resuming session') })
  expect(Object.values(promptsOf(where, claude))).toEqual([['fix the bug']])
})

test('an agent that ignores SIGTERM is killed after the grace period', async () => {
  const { where, ion, attach } = detachWorld()
  await ion('run', 'claude', '--detach', 'go')
  const window = attach()
  await window.shows('done: go')
  window.type('deaf\r')
  await window.shows('deaf now')
  expect(await ion('stop', 'claude', '--grace', '0.5')).toMatchObject({ code: 0, out: 'stopped claude in ~\n' })
  expect(await window.exit).toBe(137)
  expect(lastOf(where)).toEqual({ type: 'exited', code: null, signal: 'SIGKILL', stopped: true })
})

test('an agent that outlives its host is listed as an orphan, and can be stopped', async () => {
  const { where, ion, ps, attach } = detachWorld()
  await ion('run', 'claude', '--detach', 'go')
  const window = attach()
  await window.shows('done: go')
  window.type('stubborn\r')
  await window.shows('stubborn now')
  const [row] = await ps()
  process.kill(row!.pid!, 'SIGKILL')
  await window.exit
  expect(await ps()).toMatchObject([{ state: 'orphan', way: 'detached', pid: null, agent_pid: row!.agent_pid }])
  expect(await ion('run', 'claude', '--detach', 'go')).toMatchObject({ code: 4, out: '' })
  expect(await ion('stop', '--grace', '0.3')).toMatchObject({
    code: 0,
    out: 'killed claude in ~, which did not exit in time\n',
  })
  expect(lastOf(where)).toEqual({ type: 'exited', code: null, signal: 'SIGKILL', stopped: true })
})

test('SIGTERM to the host stops the agent gracefully, as at a shutdown', async () => {
  const { where, ion, ps } = detachWorld()
  await ion('run', 'claude', '--detach', 'go')
  const [row] = await ps()
  process.kill(row!.pid!, 'SIGTERM')
  await until(() => expect(lastOf(where)).toEqual({ type: 'exited', code: null, signal: 'SIGTERM', stopped: true }))
  await until(() => expect(livingProcess(row!.pid!)).toBeUndefined())
})

test('ps shows which agents wait for the user', async () => {
  const { ion, ps, attach } = detachWorld()
  await ion('run', 'claude', '--detach', 'go')
  const window = attach()
  await window.shows('done: go')
  window.type('busy\r')
  await until(async () => expect(await ps()).toMatchObject([{ state: 'working', waiting_for: null }]))
  window.type('trust\r')
  await window.shows('Do you trust')
  await until(async () => expect(await ps()).toMatchObject([{ state: 'waiting', waiting_for: 'trust' }]))
  expect((await ion('ps')).out).toContain('waiting for you: trust dialog')
})

test("an agent's name means its main task: the same stop twice leaves its other tasks running", async () => {
  const { ion, ps } = detachWorld()
  await ion('run', 'claude', '--detach', 'fix the bug')
  await ion('run', 'claude', '--task', 'm2', '--detach', 'write the docs')
  expect(await ion('stop', 'claude')).toMatchObject({ code: 0, out: 'stopped claude in ~\n' })
  expect(await ion('stop', 'claude')).toMatchObject({
    code: 0,
    out: 'not running: claude in ~\nrunning:\n  claude-m2 in ~ (ion stop claude-m2)\n',
  })
  expect(await ps()).toMatchObject([{ task: 'm2' }])
  expect((await ion('logs', 'claude')).err).toContain('ion: claude in ~\n')
  expect(await ion('logs', 'claude', '--snapshot')).toMatchObject({
    code: 3,
    out: '',
    err: expect.stringContaining('claude has no saved chat'),
  })
  expect(await ion('logs', 'claude', '--snapshot', '--raw')).toMatchObject({ code: 2, out: '' })
  expect(await ion('attach', 'claude')).toMatchObject({
    code: 3,
    err: expect.stringContaining('tasks here: claude-m2 in ~ (ion attach claude-m2)'),
  })
})

test('one task name in two projects: stop, logs and attach act on this project, on another only by id or --all', async () => {
  const { where, path, ion, ps } = detachWorld()
  const beta = join(where.home, 'beta')
  mkdirSync(beta)
  const inBeta = (...args: string[]) => runIon(where, args, { cwd: beta, env: { PATH: path } })
  await ion('run', 'claude', '--detach', 'go')
  const [{ session_id: id, pid }] = (await ps()) as [TaskRow]
  const unchanged = async (): Promise<void> => expect(await ps()).toMatchObject([{ pid, project: where.home }])

  const short = id!.slice(0, 8)
  const list = `running:\n  claude in ~ (ion stop ${short})\n`
  expect(await inBeta('stop')).toMatchObject({ code: 0, out: `nothing is running in ~/beta\n${list}` })
  expect(await inBeta('stop', 'claude')).toMatchObject({ code: 0, out: `not running: claude in ~/beta\n${list}` })
  expect(await inBeta('stop', 'main')).toMatchObject({ code: 3, err: expect.stringContaining(`ion stop ${short}`) })
  expect(await inBeta('stop', 'claude', 'nonsense')).toMatchObject({ code: 3, out: '' })
  expect(await inBeta('stop', '--all', 'claude')).toMatchObject({ code: 2, out: '' })
  for (const command of ['logs', 'attach']) {
    for (const words of [[], ['claude'], ['main']]) {
      const { code, out, err } = await inBeta(command, ...words)
      expect({ code, out, err }).toMatchObject({ code: 3, out: '', err: expect.stringContaining(`in ~/beta\n`) })
      expect(err).toContain(`claude in ~ (ion ${command} ${short})`)
    }
  }
  await unchanged()
  for (const words of [['claude', '--all'], [short]]) {
    expect(await inBeta('logs', ...words)).toMatchObject({
      code: 0,
      out: expect.stringContaining('done: go'),
      err: expect.stringMatching(/^ion: claude in ~\n/),
    })
  }

  await inBeta('run', 'claude', '--detach', 'go')
  const both = await ps()
  expect(both.map(({ project }) => project).sort()).toEqual([where.home, beta])
  expect(await inBeta('stop', 'main')).toMatchObject({ code: 0, out: 'stopped claude in ~/beta\n' })
  await unchanged()
  expect(await inBeta('stop', short)).toMatchObject({ code: 0, out: 'stopped claude in ~\n' })
  expect(await ps()).toEqual([])
})

test('an agent that exits at once: its output and its exit code, not "started"', async () => {
  const { where, path } = detachWorld()
  const env = { PATH: path, TUI_FAILS: '1' }
  const { code, out, err } = await runIon(where, ['run', 'claude', '--detach', 'go'], { env })
  expect({ code, out }).toEqual({ code: 7, out: '' })
  expect(err).toContain('cannot start: no credit\n')
  expect(err).toContain('Claude Code ended at once with exit code 7')
})

test('an agent that dies while it starts is reported with its last lines; its prompt is still due, and sent by the next start', async () => {
  const { where, path, ion, ps } = detachWorld()
  const env = { PATH: path, TUI_DIES: '2500' }
  const { code, out, err } = await runIon(where, ['run', 'claude', '--detach', 'go'], { env })
  expect({ code, out }).toEqual({ code: 7, out: '' })
  expect(err).toContain('the database is damaged\n')
  expect(err).toContain('ended at once with exit code 7; the prompt was not delivered, and the next start sends it')
  expect((await ion('ps')).out).toMatch(/claude +main +failed \(7\), prompt still due/)
  expect(await ps()).toEqual([])
  expect(await ps('--all')).toMatchObject([{ state: 'failed', exit: 7, prompt_due: true }])
  expect((await ion('logs')).out).toContain('the database is damaged\n')
  expect(await ion('run', 'claude', '--detach')).toMatchObject({ code: 0, out: expect.stringMatching(/^started /) })
  expect(Object.values(promptsOf(where, claude))).toEqual([['go']])
  expect(await ps()).toMatchObject([{ state: expect.stringMatching(/working|waiting/), prompt_due: false }])
})

test('an agent that fails later is listed as failed until its next start; one that was stopped is not', async () => {
  const { ion, ps, attach } = detachWorld()
  await ion('run', 'claude', '--detach', 'go')
  const window = attach()
  await window.shows('done: go')
  window.type('exit 9\r')
  expect(await window.exit).toBe(9)
  await until(async () => expect(await ps('--all')).toMatchObject([{ state: 'failed', exit: 9, prompt_due: false }]))
  expect((await ion('ps')).out).toMatch(/claude +main +failed \(9\) /)
  await ion('run', 'claude', '--detach')
  await ion('stop')
  expect(await ps('--all')).toMatchObject([{ state: 'ended' }])
  expect((await ion('ps')).err).toBe('no task is running\n')
})

test('without a terminal attach suggests alternatives; a run in another terminal cannot be attached, but stopped', async () => {
  const { where, path, ion, ps } = detachWorld()
  expect(await ion('attach')).toMatchObject({ code: 3, err: expect.stringContaining('no running task') })
  const window = ionWindow(where, ['run', 'claude', 'in a terminal'], { path })
  await window.shows('done: in a terminal')
  expect(await ps()).toMatchObject([{ state: 'running', way: 'terminal' }])
  expect(await ion('run', 'claude', '--detach', 'x')).toMatchObject({ code: 4, out: '' })
  expect(await ion('stop')).toMatchObject({ code: 0, out: 'stopped claude in ~\n' })
  expect(await window.exit).toBe(143)
  expect(lastOf(where)).toEqual({ type: 'exited', code: null, signal: 'SIGTERM' })
  await ion('run', 'claude', '--detach')
  expect(await ion('attach')).toMatchObject({ code: 2, err: expect.stringContaining('ion logs claude') })
})

test('an installation without node-pty says so at once', async () => {
  const { where, path } = detachWorld()
  const alone = join(where.root, 'alone')
  cpSync(builtFolder(), alone, { recursive: true })
  const env = { PATH: path, HOME: where.home, ION_HOME: where.ionHome, TMPDIR: where.root }
  const argv = [join(alone, 'ion.cjs'), 'run', 'claude', '--detach', 'go']
  const { status, stderr } = spawnSync(process.execPath, argv, {
    cwd: where.home,
    env,
    encoding: 'utf8',
    timeout: 25_000,
  })
  expect(status).toBe(1)
  expect(stderr).toMatch(/cannot run agents in the background: .*\n {2}-> install Ion with its optional dependencies/s)
})

test('an ION_HOME with a very long path: the socket is in another private folder', async () => {
  const { where, ion, attach, folder } = detachWorld('x'.repeat(90))
  await ion('run', 'claude', '--detach', 'go')
  const { socket } = JSON.parse(readFileSync(join(folder, 'host.json'), 'utf8')) as { socket: string }
  expect(socket.startsWith(where.root)).toBe(true)
  expect(statSync(join(socket, '..')).mode & 0o777).toBe(0o700)
  await attach().shows('done: go')
})

test('in a terminal, another prompt is asked about before the agent covers the screen', async () => {
  const { where, path, ion } = detachWorld()
  await ion('run', 'claude', '--detach', 'fix the bug')
  await until(() => expect(Object.values(promptsOf(where, claude))).toEqual([['fix the bug']]))
  await ion('stop')
  const cancelled = ionWindow(where, ['run', 'claude', 'paint it'], { path })
  await cancelled.shows('[s] send it to that session')
  cancelled.type('x\r')
  await cancelled.shows(/c\]: x\s+s\/n/)
  cancelled.type('\r')
  expect(await cancelled.exit).toBe(4)
  expect(cancelled.text()).toContain('nothing was sent and nothing was started')
  expect(cancelled.raw()).not.toContain('FAKE')

  const sent = ionWindow(where, ['run', 'claude', 'paint it'], { path })
  await sent.shows('[n] start a new session with it')
  sent.type('s\r')
  await sent.shows('FAKE warm 80x24')
  await until(() => expect(Object.values(promptsOf(where, claude))).toEqual([['fix the bug', 'paint it']]))
  sent.close()
  await sent.exit

  const fresh = ionWindow(where, ['run', 'claude', 'sell it'], { path })
  await fresh.shows('[n] start a new session with it')
  fresh.type('n\r')
  await fresh.shows('FAKE cold 80x24')
  await until(() => expect(Object.values(promptsOf(where, claude)).flat().sort()).toContain('sell it'))
  expect(Object.keys(promptsOf(where, claude))).toHaveLength(2)
  fresh.close()
  await fresh.exit
})
