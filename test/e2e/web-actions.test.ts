import { spawnSync } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { delimiter, dirname, join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { findAgent } from '../../src/agents/find.ts'
import type { Io } from '../../src/platform/io.ts'
import type {
  HandoverAnswer,
  HandoverTargets,
  ListedSession,
  PromptList,
  SessionDetail,
  SessionPage,
} from '../../src/server/browse/contract.ts'
import { openTerminal, terminalScript } from '../../src/server/browse/terminal.ts'
import { builtFolder } from '../support/built.ts'
import { sampleIo } from '../support/sample-home.ts'
import { filesBelow, scratchFolder, scratchIo, treeState } from '../support/scratch.ts'
import { until } from '../support/wait-until.ts'
import { claudeLines } from './claude-session.ts'
import { installFake, ioOf, playable } from './fake-agent.ts'
import { machine, runIon } from './run-ion.ts'
import { openWindow } from './terminal.ts'
import { type WebServer, webServer } from './web-world.ts'

/** The sample sessions, in a shop that exists, and every agent installed. */
function shopIo(env: Record<string, string> = {}): Io {
  const io = sampleIo()
  const shop = join(io.home, 'shop')
  mkdirSync(shop)
  for (const file of filesBelow(join(io.home, '.claude'))) {
    writeFileSync(file, readFileSync(file, 'utf8').replaceAll('/home/dev/shop', shop))
  }
  return { ...io, env: { ...io.env, PATH: installAgents(io), ...env } }
}

function installAgents(io: Io, agents = playable): string {
  return installFake({ root: dirname(io.home), home: io.home, ionHome: io.env.ION_HOME! }, agents)
}

/** A session of Claude Code that worked in that folder. */
function writeSession(io: Io, cwd: string, prompt = 'prompt'): string {
  const id = '3f2a0000-0000-4000-8000-000000000001'
  const folder = join(io.home, '.claude/projects/-made')
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, `${id}.jsonl`), `${claudeLines({ id, cwd, prompt }).join('\n')}\n`)
  return id
}

async function sessionOf({ json }: WebServer, agent: string): Promise<ListedSession> {
  return (await json<SessionPage>(`/api/sessions?agent=${agent}`)).sessions[0]!
}

async function promptsOf({ json }: WebServer, id: string): Promise<string[]> {
  return (await json<PromptList>(`/api/sessions/${id}/prompts`)).prompts.map(({ text }) => text)
}

async function posted<T>(server: WebServer, path: string, body: object): Promise<T> {
  const response = await server.post(path, body)
  const text = await response.text()
  expect([path, response.status, text]).toEqual([path, 200, text])
  return JSON.parse(text) as T
}

async function refusalOf(server: WebServer, path: string, body: object): Promise<[number, string]> {
  const response = await server.post(path, body)
  const { detail } = (await response.json()) as { detail: string }
  return [response.status, detail]
}

test('a fork is written once, listed at once, and reads back; the source stays as it is', async () => {
  const io = shopIo()
  const server = await webServer(io)
  const source = await sessionOf(server, 'claude')
  const before = treeState(io.home)
  const fork = await posted<HandoverAnswer>(server, `/api/sessions/${source.id}/fork`, {})
  expect(fork).toMatchObject({ act: 'written', mode: 'native', brief: null, resume: `ion --resume ${fork.id}` })
  const { sessions } = await server.json<SessionPage>('/api/sessions')
  expect(sessions.filter(({ id }) => id === fork.id)).toMatchObject([{ agent: 'claude', project: source.project }])
  expect(await promptsOf(server, fork.id!)).toEqual(await promptsOf(server, source.id))
  const detail = await server.json<SessionDetail>(`/api/sessions/${fork.id}`)
  expect(detail).toMatchObject({ forked_from: source.id, cwd: join(io.home, 'shop'), resumable: true })
  expect(filesBelow(io.home)).toContain(detail.path)
  expect(treeState(io.home)).toMatchObject(before)
  const written = treeState(io.home)
  const again = await posted<HandoverAnswer>(server, `/api/sessions/${source.id}/fork`, {})
  expect(again).toEqual({ ...fork, act: 'existing' })
  expect(treeState(io.home)).toEqual(written)
})

test('a handover to any agent of the list is written to its store, listed, and reads back', async () => {
  const io = shopIo()
  const server = await webServer(io)
  const source = await sessionOf(server, 'claude')
  const said = await promptsOf(server, source.id)
  const { targets } = await server.json<HandoverTargets>(`/api/sessions/${source.id}/handover`)
  const writers = playable.filter(({ id, writer }) => id !== 'claude' && writer && !writer.isExperimental)
  expect(targets.map(({ agent }) => agent)).toEqual(writers.map(({ id }) => id))
  const { path } = await server.json<SessionDetail>(`/api/sessions/${source.id}`)
  const bytes = readFileSync(path)
  for (const { agent } of targets) {
    const [address, body] = [`/api/sessions/${source.id}/handover`, { agent }]
    if (agent === 'opencode') {
      // The sample's database is that of an older version.
      expect(await refusalOf(server, address, body)).toEqual([409, expect.stringContaining('older schema')])
      continue
    }
    const dry = await posted<HandoverAnswer>(server, address, { ...body, dry_run: true })
    expect([agent, dry.act, dry.id, dry.resume]).toEqual([agent, 'none', null, null])
    const answer = await posted<HandoverAnswer>(server, address, body)
    expect([agent, answer]).toEqual([
      agent,
      { ...dry, act: 'written', id: answer.id, resume: `ion --resume ${answer.id}` },
    ])
    const listed = (await server.json<SessionPage>(`/api/sessions?agent=${agent}`)).sessions
    expect([agent, listed.map(({ id }) => id)]).toEqual([agent, expect.arrayContaining([answer.id])])
    if (answer.mode === 'native') expect([agent, await promptsOf(server, answer.id!)]).toEqual([agent, said])
    const detail = await server.json<SessionDetail>(`/api/sessions/${answer.id}`)
    expect([agent, detail.agent, detail.forked_from]).toEqual([agent, agent, source.id])
    const again = await posted<HandoverAnswer>(server, address, body)
    expect([agent, again]).toEqual([agent, { ...answer, act: 'existing' }])
  }
  expect(readFileSync(path)).toEqual(bytes)
})

test('a handover up to an event has what was before it', async () => {
  const server = await webServer(shopIo())
  const source = await sessionOf(server, 'claude')
  const { prompts } = await server.json<PromptList>(`/api/sessions/${source.id}/prompts`)
  const { id } = await posted<HandoverAnswer>(server, `/api/sessions/${source.id}/fork`, { at: prompts[0]!.event })
  expect(await promptsOf(server, id!)).toEqual([prompts[0]!.text])
})

test('an agent that takes only a brief gets nothing written, and the answer has the brief', async () => {
  const io = shopIo()
  const server = await webServer(io)
  const source = await sessionOf(server, 'claude')
  const before = treeState(io.home)
  const answer = await posted<HandoverAnswer>(server, `/api/sessions/${source.id}/handover`, { agent: 'amp' })
  expect(answer).toMatchObject({ act: 'none', mode: 'brief', id: null, resume: null })
  expect(answer.brief).toContain((await promptsOf(server, source.id))[0]!.slice(0, 40))
  expect(treeState(io.home)).toEqual(before)
  expect(await refusalOf(server, `/api/sessions/${source.id}/handover`, { agent: 'nobody' })).toEqual([
    404,
    expect.stringContaining('"nobody"'),
  ])
})

interface FakeTerminal {
  readonly env: Record<string, string>
  /** What the emulator was started with, once it was. */
  started(): Promise<{ readonly cwd: string; readonly argv: string[] }>
  readonly file: string
}

/** A terminal emulator that records how it was started. */
function fakeTerminal(name = 'my-terminal', then = 'exit 0'): FakeTerminal {
  const folder = scratchFolder()
  const [program, file] = [join(folder, name), join(folder, 'started')]
  writeFileSync(
    program,
    `#!/bin/sh\nPATH=/usr/bin:/bin\n{ pwd; printf '%s\\0' "$@"; } > "${file}.part"\nmv "${file}.part" "${file}"\n${then}\n`,
  )
  chmodSync(program, 0o755)
  return {
    env: { TERMINAL: program, DISPLAY: ':99' },
    file,
    started: async () => {
      await until(() => expect(existsSync(file)).toBe(true))
      const text = readFileSync(file, 'utf8')
      const end = text.indexOf('\n')
      return {
        cwd: text.slice(0, end),
        argv: text
          .slice(end + 1)
          .split('\0')
          .slice(0, -1),
      }
    },
  }
}

const program = join(builtFolder(), 'ion.cjs')

test('a session is resumed in a terminal, also in another agent', async () => {
  const terminal = fakeTerminal()
  const io = shopIo(terminal.env)
  const server = await webServer(io)
  expect(await server.json('/api/about')).toMatchObject({ terminal: true })
  const { id } = await sessionOf(server, 'claude')
  expect(await posted(server, `/api/sessions/${id}/resume`, {})).toEqual({ ok: true })
  // It is `ion --resume` that changes to the folder of the session.
  const resume = ['-e', process.execPath, program, '--resume', id]
  expect(await terminal.started()).toEqual({ cwd: io.home, argv: resume })
  rmSync(terminal.file)
  const before = treeState(io.home)
  expect(await posted(server, `/api/sessions/${id}/resume`, { in: 'codex' })).toEqual({ ok: true })
  expect((await terminal.started()).argv).toEqual([...resume, '--in', 'codex'])
  // It is `ion --resume … --in` that writes the session.
  expect(treeState(io.home)).toEqual(before)
  expect(await refusalOf(server, `/api/sessions/${id}/resume`, { in: 'codex', fork: true })).toEqual([
    400,
    'fork and in cannot be combined (use one)',
  ])
})

test('what the terminal runs is the session, in its own folder', async () => {
  const where = machine()
  const PATH = installFake(where, [findAgent('claude')])
  const shop = join(where.home, 'shop')
  mkdirSync(shop)
  const started = await runIon(where, ['run', 'claude', '--headless', 'first'], { cwd: shop, env: { PATH } })
  expect(started.code, started.err).toBe(0)
  const terminal = fakeTerminal()
  const io = ioOf(where)
  const server = await webServer({ ...io, env: { ...io.env, ...terminal.env, PATH } })
  const { id } = await sessionOf(server, 'claude')
  await posted(server, `/api/sessions/${id}/resume`, {})
  const { argv, cwd } = await terminal.started()
  const window = openWindow(where, argv.slice(1), { path: PATH, cwd })
  await window.shows('claude (fake), session')
  window.type('second\r')
  await until(async () => expect(await promptsOf(server, id)).toEqual(['first', 'second']))
  const { path } = await server.json<SessionDetail>(`/api/sessions/${id}`)
  const folders = [...readFileSync(path, 'utf8').matchAll(/"cwd":"([^"]+)"/g)].map(([, folder]) => folder)
  expect(new Set(folders)).toEqual(new Set([shop]))
})

test('a fork is resumed in a terminal under its own id', async () => {
  const terminal = fakeTerminal()
  const server = await webServer(shopIo(terminal.env))
  const { id } = await sessionOf(server, 'claude')
  const known = (await server.json<SessionPage>('/api/sessions')).sessions.map((session) => session.id)
  expect(await posted(server, `/api/sessions/${id}/resume`, { fork: true })).toEqual({ ok: true })
  const { sessions } = await server.json<SessionPage>('/api/sessions')
  const [fork] = sessions.filter((session) => !known.includes(session.id))
  expect((await terminal.started()).argv).toEqual(['-e', process.execPath, program, '--resume', fork!.id])
  expect(await promptsOf(server, fork!.id)).toEqual(await promptsOf(server, id))
})

test('each terminal emulator gets the command as it takes it', async () => {
  const separators = {
    'x-terminal-emulator': ['-e'],
    'gnome-terminal': ['--'],
    'xfce4-terminal': ['-x'],
    'xdg-terminal-exec': [],
    kitty: [],
    wezterm: ['start', '--'],
  }
  for (const [name, separator] of Object.entries(separators)) {
    const { env, started } = fakeTerminal(name)
    await openTerminal(['ion', '--resume'], scratchIo(undefined, env))
    expect([name, (await started()).argv]).toEqual([name, [...separator, 'ion', '--resume']])
    // By its name, on the PATH.
    const onPath = fakeTerminal(name)
    const PATH = [dirname(onPath.env.TERMINAL!), '/usr/bin', '/bin'].join(delimiter)
    await openTerminal(['ion'], scratchIo(undefined, { PATH, TERMINAL: name, WAYLAND_DISPLAY: 'wayland-0' }))
    expect([name, (await onPath.started()).argv]).toEqual([name, [...separator, 'ion']])
  }
})

test('what ion --resume would refuse is refused, and opens no terminal', async () => {
  const terminal = fakeTerminal()
  const io = scratchIo(undefined, terminal.env)
  const gone = join(io.home, 'gone')
  const id = writeSession(io, gone)
  const server = await webServer({ ...io, env: { ...io.env, PATH: installAgents(io) } })
  const folder = `the folder of session ${id} does not exist any more: ${gone}`
  expect(await refusalOf(server, `/api/sessions/${id}/resume`, {})).toEqual([404, expect.stringContaining(folder)])
  for (const body of [{ in: 'codex' }, { fork: true }]) {
    expect(await refusalOf(server, `/api/sessions/${id}/resume`, body)).toEqual([
      404,
      expect.stringContaining(`the folder of session ${id} does not exist any more: ~/gone`),
    ])
  }
  // With its folder, nothing is in the way.
  mkdirSync(gone)
  expect(await refusalOf(server, `/api/sessions/${id}/resume`, { in: 'amp' })).toEqual([
    400,
    '"amp" is not an agent that can continue it',
  ])
  expect(existsSync(terminal.file)).toBe(false)
  await posted(server, `/api/sessions/${id}/resume`, {})
  expect((await terminal.started()).argv.at(-1)).toBe(id)
})

test('an agent that is not installed opens no terminal', async () => {
  const terminal = fakeTerminal()
  const io = scratchIo(undefined, terminal.env)
  const id = writeSession(io, io.home)
  const server = await webServer({ ...io, env: { ...io.env, PATH: installAgents(io, [findAgent('codex')]) } })
  const [status, detail] = await refusalOf(server, `/api/sessions/${id}/resume`, {})
  expect([status, detail]).toEqual([409, expect.stringContaining('Claude Code is not installed')])
  expect(existsSync(terminal.file)).toBe(false)
})

test('a terminal that fails to start says so; without a display no fork is written for it', async () => {
  const broken = fakeTerminal('broken-terminal', 'exit 3')
  const io = scratchIo(undefined, broken.env)
  const id = writeSession(io, io.home)
  const PATH = installAgents(io)
  const server = await webServer({ ...io, env: { ...io.env, PATH } })
  expect(await refusalOf(server, `/api/sessions/${id}/resume`, {})).toEqual([
    409,
    'broken-terminal opened no terminal: it ended at once (exit code 3) (copy the command instead)',
  ])
  // A script without an interpreter.
  writeFileSync(broken.env.TERMINAL!, '#!/nowhere/sh\n')
  expect(await refusalOf(server, `/api/sessions/${id}/resume`, {})).toEqual([
    409,
    expect.stringMatching(/^broken-terminal opened no terminal: spawn .*ENOENT/),
  ])
  const before = treeState(io.home)
  const headless = await webServer({ ...io, env: { ...io.env, PATH, DISPLAY: '' } })
  expect(await headless.json('/api/about')).toMatchObject({ terminal: false })
  for (const body of [{}, { fork: true }, { in: 'codex' }]) {
    expect(await refusalOf(headless, `/api/sessions/${id}/resume`, body)).toEqual([
      409,
      'no terminal can be opened on this machine (copy the command instead)',
    ])
  }
  expect(treeState(io.home)).toEqual(before)
})

const HOSTILE = `x'; touch owned; $(touch owned) \`touch owned\` "\n--help`

test('nothing of a session or a request reaches a shell', async () => {
  const terminal = fakeTerminal()
  const io = scratchIo(undefined, terminal.env)
  const folder = join(io.home, HOSTILE)
  mkdirSync(folder)
  const id = writeSession(io, folder, HOSTILE)
  const server = await webServer({ ...io, env: { ...io.env, PATH: installAgents(io) } })
  await posted(server, `/api/sessions/${id}/marks`, { name: HOSTILE })
  const before = filesBelow(io.home)
  for (const wanted of [`${id}; touch owned`, '--help', '-e']) {
    const [status] = await refusalOf(server, `/api/sessions/${encodeURIComponent(wanted)}/resume`, {})
    expect([wanted, status]).toEqual([wanted, 404])
  }
  for (const agent of [HOSTILE, 'codex --help', '', '--steal']) {
    const [status] = await refusalOf(server, `/api/sessions/${id}/resume`, { in: agent })
    expect([agent, status]).toEqual([agent, 400])
  }
  expect(existsSync(terminal.file)).toBe(false)
  // A session is also found by the name that the user gave it; its id is what is passed on.
  await posted(server, `/api/sessions/${encodeURIComponent(HOSTILE)}/resume`, {})
  expect((await terminal.started()).argv).toEqual(['-e', process.execPath, program, '--resume', id])
  expect(filesBelow(io.home)).toEqual(before)
})

test('on macOS the command is a script that quotes every word and removes itself', async () => {
  const folder = scratchFolder()
  const words = [HOSTILE, "it's", '', '$HOME', '*', '\\', '-n', 'ünï ✓']
  const print = 'process.stdout.write(JSON.stringify(process.argv.slice(1)))'
  const script = terminalScript([process.execPath, '-e', print, '--', ...words])
  onTestFinished(() => rmSync(dirname(script), { recursive: true, force: true }))
  expect([statSync(script).mode & 0o777, statSync(dirname(script)).mode & 0o777]).toEqual([0o700, 0o700])
  const { stdout, stderr } = spawnSync(script, { cwd: folder, encoding: 'utf8' })
  expect([stdout, stderr]).toEqual([JSON.stringify(words), ''])
  expect([existsSync(dirname(script)), filesBelow(folder)]).toEqual([false, []])
})

test.skipIf(process.platform === 'darwin')(
  'where the Terminal of macOS does not start, its script is removed',
  async () => {
    const io: Io = { ...scratchIo(), platform: 'darwin' }
    const id = writeSession(io, io.home)
    const server = await webServer({ ...io, env: { ...io.env, PATH: installAgents(io) } })
    expect(await server.json('/api/about')).toMatchObject({ terminal: true })
    expect(await refusalOf(server, `/api/sessions/${id}/resume`, {})).toEqual([
      409,
      expect.stringMatching(/^open opened no terminal: /),
    ])
  },
)

test('a read-only server writes no session and opens no terminal', async () => {
  const terminal = fakeTerminal()
  const io = shopIo(terminal.env)
  const before = treeState(io.home)
  const server = await webServer(io, { readOnly: true })
  const { id } = await sessionOf(server, 'claude')
  const attempts = [
    ['fork', {}],
    ['fork', { dry_run: true }],
    ['handover', { agent: 'codex' }],
    ['resume', {}],
    ['resume', { fork: true }],
    ['resume', { in: 'codex' }],
  ] as const
  for (const [path, body] of attempts) {
    expect(await refusalOf(server, `/api/sessions/${id}/${path}`, body)).toEqual([
      403,
      'this server changes nothing: it was started with --read-only',
    ])
  }
  expect([existsSync(terminal.file), treeState(io.home)]).toEqual([false, before])
})
