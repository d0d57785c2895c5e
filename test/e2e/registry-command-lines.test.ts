// @module-tag deep
import { spawn, spawnSync } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { findAgent } from '../../src/agents/find.ts'
import { livingProcess } from '../../src/platform/process.ts'
import { builtFolder } from '../support/built.ts'
import { until } from '../support/wait-until.ts'
import { ask, awkward, freePort } from './coder-module-workspace.ts'
import { installFake, ledgerOf, logins, promptsOf } from './fake-agent.ts'
import { type Machine, machine } from './run-ion.ts'

// The modules of Coder's registry that start `agentapi server`, with `ion serve --no-token` in its place: the arguments and
// variables of their scripts, the wait for /status, and the signals of the stop. Nothing else of them is changed.

interface Place {
  readonly where: Machine
  readonly project: string
  /** The session of the first start. */
  readonly session: string
}

interface Line {
  readonly agent: string
  /** If the script cannot pass on any prompt. */
  readonly prompt?: string
  readonly first: (prompt: string, place: Omit<Place, 'session'>) => readonly string[]
  /** If the script calls it otherwise when there is a session. */
  readonly later?: (prompt: string, place: Place) => readonly string[]
}

const size = ['--term-width', '67', '--term-height', '1190']
const equals = ['--term-width=67', '--term-height=1190']

/** As `printf %q` of bash quotes it. */
const quoted = (...words: string[]): string =>
  spawnSync('bash', ['-c', 'printf "%q " "$@"', 'bash', ...words], { encoding: 'utf8' }).stdout

const lines: readonly Line[] = [
  {
    agent: 'aider',
    first: (prompt) => [`-I=${prompt}`, '--type', 'aider', ...equals, '--', 'aider', '--model', 'm', '--yes-always'],
  },
  {
    agent: 'amazon-q',
    first: (prompt) => [...size, '--', 'q', 'chat', '--trust-all-tools', prompt],
  },
  {
    // Its script gives the prompt to a shell.
    agent: 'amp',
    prompt: "fix it, don't break it (please)",
    first: (prompt) => ['--type', 'amp', ...equals, '--', 'bash', '-c', `echo "${prompt}" | amp`, '--mode', 'smart'],
  },
  {
    agent: 'auggie',
    first: (prompt, { project }) => [
      ...[...size, '--', 'auggie', '--mcp-config', 'mcp.json'],
      ...['--instruction', prompt, '--workspace-root', project],
    ],
    later: (prompt, { project }) => [
      ...[...size, '--', 'auggie', '--mcp-config', 'mcp.json', '--continue'],
      ...['--instruction', prompt, '--workspace-root', project],
    ],
  },
  {
    agent: 'claude',
    first: (prompt) => [
      ...['--type', 'claude', ...size, '--', 'claude', '--permission-mode', 'plan'],
      ...['--session-id', 'cd32e253-ca16-4fd3-9825-d837e74ae3c2', '--dangerously-skip-permissions', '--', prompt],
    ],
  },
  {
    agent: 'codex',
    first: (prompt) => ['--type', 'codex', ...size, '--', 'codex', '--model', 'm', prompt],
    later: (_, { session }) => ['--type', 'codex', ...size, '--', 'codex', '--model', 'm', 'resume', session],
  },
  {
    agent: 'copilot',
    first: (prompt) => [
      ...[`-I=${prompt}`, '--type', 'copilot', '--term-width', '120', '--term-height', '40'],
      ...['--', 'copilot', '--allow-tool', 'shell(git)', '--allow-tool', 'write'],
    ],
    later: () => ['--type', 'copilot', '--term-width', '120', '--term-height', '40', '--', 'copilot', '--continue'],
  },
  {
    // By its path, in a folder that is not on the PATH.
    agent: 'cursor',
    first: (prompt, { where }) => [
      ...['--type', 'cursor', ...size, '--', join(where.root, 'bin', 'cursor-agent'), '--model', 'm', '-f', prompt],
    ],
  },
  {
    agent: 'gemini',
    first: (prompt) => [...size, '--', 'bash', '-c', quoted('gemini', '--prompt-interactive', prompt, '--yolo')],
  },
  {
    agent: 'goose',
    first: (prompt, { where }) => {
      const file = join(where.home, 'prompt.txt')
      writeFileSync(file, prompt)
      return [...size, '--', 'bash', '-c', quoted('goose', 'run', '--interactive', '--instructions', file)]
    },
  },
  {
    agent: 'kiro',
    first: (prompt) => ['--allowed-hosts=*', ...size, '--', 'kiro-cli', 'chat', '--trust-all-tools', prompt],
  },
  {
    agent: 'opencode',
    first: (prompt) => ['-I', prompt, '--type', 'opencode', ...size, '--', 'opencode', '--model', 'a/b'],
    later: (prompt, { session }) => [
      '-I',
      prompt,
      '--type',
      'opencode',
      ...size,
      '--',
      'opencode',
      '--session',
      session,
    ],
  },
]

test.each(lines)(
  '$agent: started twice, it has one session and its prompt once',
  async ({ agent: id, prompt = awkward, first, later = first }) => {
    const agent = findAgent(id)
    const where = machine()
    const project = join(where.home, 'my project')
    mkdirSync(project)
    const path = installFake(where, [agent])
    const serve = serveAsModule(where, project, id === 'cursor' ? path.replace(`${where.root}/bin:`, '') : path)

    const started = await serve(first(prompt, { where, project }))
    await until(() => expect(Object.values(promptsOf(where, agent, project))).toEqual([[prompt]]))
    await started.stop()
    const [session] = Object.keys(promptsOf(where, agent, project))

    const again = await serve(later(prompt, { where, project, session: session! }))
    expect((await again.messages()).filter(({ role }) => role === 'user')).toMatchObject([{ id: 0 }])
    await again.stop()
    expect(promptsOf(where, agent, project)).toEqual({ [session!]: [prompt] })
    const planned = ledgerOf(where, agent, 'main', project).flatMap((entry) =>
      entry.type === 'planned' ? [entry] : [],
    )
    expect(planned.at(-1)).toMatchObject({ decision: 'warm' })
  },
)

test('a session that the command line names is continued, and no other one', async () => {
  const agent = findAgent('codex')
  const where = machine()
  const project = join(where.home, 'my project')
  mkdirSync(project)
  const path = installFake(where, [agent])
  // As agentapi would have started it: Ion knows nothing of it.
  spawnSync(join(where.root, 'bin', 'codex'), ['exec', '--json', '-'], {
    cwd: project,
    env: { HOME: where.home, PATH: path, ...logins },
    input: 'before Ion',
  })
  const [session] = Object.keys(promptsOf(where, agent, project))
  const serve = serveAsModule(where, project, path)
  const server = await serve(['--type', 'codex', ...size, '--', 'codex', 'resume', session!])
  expect((await server.messages())[0]).toMatchObject({ role: 'user', content: 'before Ion' })
  await server.stop()
  expect(promptsOf(where, agent, project)).toEqual({ [session!]: ['before Ion'] })
  const again = await serve([
    '--type',
    'codex',
    ...size,
    '--',
    'codex',
    'resume',
    '00000000-0000-4000-8000-000000000000',
  ])
  expect((await again.messages())[0]).toMatchObject({ role: 'user', content: 'before Ion' })
  await again.stop()
})

test('variables of the command line reach the agent', async () => {
  const agent = findAgent('goose')
  const where = machine()
  const path = installFake(where, [agent])
  const program = join(where.root, 'bin', 'goose')
  const seen = join(where.root, 'seen')
  writeFileSync(program, readFileSync(program, 'utf8').replace('\n', `\nprintf %s "$SOME_SETTING" > "${seen}"\n`))
  const server = await serveAsModule(where, where.home, path)([...size, '--', 'bash', '-c', "SOME_SETTING='a b' goose"])
  await server.stop()
  expect(readFileSync(seen, 'utf8')).toBe('a b')
})

interface Served {
  messages(): Promise<{ role: string; content: string }[]>
  /** As the module's stop script does. */
  stop(): Promise<void>
}

function serveAsModule(where: Machine, cwd: string, path: string): (args: readonly string[]) => Promise<Served> {
  return async (args) => {
    const port = await freePort()
    const pidFile = join(where.home, 'agentapi.pid')
    const env = {
      ...{ HOME: where.home, ION_HOME: where.ionHome, PATH: path, TMPDIR: where.root, ...logins },
      ...{ AGENTAPI_PORT: String(port), AGENTAPI_CHAT_BASE_PATH: '', AGENTAPI_BOUNDARY_PREFIX: '' },
      ...{ AGENTAPI_ALLOWED_HOSTS: '*', AGENTAPI_PID_FILE: pidFile },
      ...{
        AGENTAPI_STATE_FILE: join(where.home, 'state.json'),
        AGENTAPI_SAVE_STATE: 'true',
        AGENTAPI_LOAD_STATE: 'true',
      },
    }
    const words = [join(builtFolder(), 'ion.cjs'), 'serve', '--no-token', ...args]
    const child = spawn(process.execPath, words, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] })
    let said = ''
    for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (text) => (said += text))
    const exit = new Promise<number | null>((resolve) => child.once('close', resolve))
    onTestFinished(async () => {
      if (livingProcess(child.pid!)) child.kill('SIGTERM')
      await exit
    })
    await until(async () => {
      expect({ ended: child.exitCode, said }).toMatchObject({ ended: null })
      expect(JSON.parse((await ask(port, '/status')).body)).toMatchObject({ status: 'stable' })
    })
    return {
      messages: async () => JSON.parse((await ask(port, '/messages')).body).messages,
      async stop() {
        const pid = Number(readFileSync(pidFile, 'utf8'))
        process.kill(pid, 'SIGUSR1')
        process.kill(pid, 'SIGTERM')
        expect({ code: await exit, said }).toMatchObject({ code: 0 })
      },
    }
  }
}
