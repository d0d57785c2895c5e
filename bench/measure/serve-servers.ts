// ion serve and the real agentapi, with the same agent behind both.
import { type ChildProcess, spawn } from 'node:child_process'
import { chmodSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { dirname, join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'

const AGENT = fileURLToPath(new URL('../../test/e2e/serve-agent.mjs', import.meta.url))
const LONGEST_MS = 120_000

export interface BenchServer {
  readonly port: number
  readonly url: string
  end(): Promise<unknown>
  /** Waits until the agent waits for input. */
  stable(): Promise<void>
  say(content: string): Promise<void>
  /** Its memory in KB. */
  memory(): number
}

/** A home with the agent in it. */
function world(folder: string): { home: string; program: string; env: NodeJS.ProcessEnv } {
  const [home, bin] = [join(folder, 'home'), join(folder, 'bin')]
  for (const path of [home, bin]) mkdirSync(path, { recursive: true })
  const program = join(bin, 'claude')
  writeFileSync(program, `#!/bin/sh\nexec "${process.execPath}" "${AGENT}" "$@"\n`)
  chmodSync(program, 0o755)
  const settings = { hasCompletedOnboarding: true, projects: { [home]: { hasTrustDialogAccepted: true } } }
  writeFileSync(join(home, '.claude.json'), JSON.stringify(settings))
  const PATH = `${bin}:${dirname(process.execPath)}:/usr/bin:/bin`
  return { home, program, env: { PATH, HOME: home, ION_HOME: join(folder, 'ion'), TMPDIR: folder } }
}

export async function startIon(folder: string, ion: string): Promise<BenchServer> {
  const { home, env } = world(folder)
  const port = await freePort()
  const run = (...args: string[]): Promise<unknown> =>
    finished(spawn(process.execPath, [ion, ...args], { cwd: home, env, stdio: 'ignore' }))
  await run('serve', 'claude', '--detach', '--no-token', '--port', String(port))
  const name = readdirSync(join(folder, 'ion', 'servers'))[0]!
  const { pid } = JSON.parse(readFileSync(join(folder, 'ion', 'servers', name), 'utf8')) as { pid: number }
  return server(port, pid, () => run('stop', '--all', '--grace', '1'))
}

/** `state`: the content of its state file. */
export async function startAgentapi(folder: string, program: string, state?: object): Promise<BenchServer> {
  const { home, env, program: agent } = world(folder)
  const port = await freePort()
  const file = join(folder, 'state.json')
  if (state) writeFileSync(file, JSON.stringify(state))
  const args = [
    'server',
    '--type',
    'claude',
    '--port',
    String(port),
    ...(state ? ['--state-file', file] : []),
    '--',
    agent,
  ]
  const child = spawn(program, args, { cwd: home, env, stdio: 'ignore' })
  return server(port, child.pid!, async () => {
    child.kill('SIGTERM')
    await finished(child)
  })
}

function server(port: number, pid: number, end: () => Promise<unknown>): BenchServer {
  const url = `http://localhost:${port}`
  const stable = (): Promise<void> =>
    until(async () => {
      const answer = await fetch(`${url}/status`)
      return ((await answer.json()) as { status: string }).status === 'stable'
    })
  return {
    port,
    url,
    end,
    stable,
    async say(content) {
      await stable()
      const body = JSON.stringify({ content, type: 'user' })
      const sent = { method: 'POST', headers: { 'content-type': 'application/json' }, body }
      const answer = await fetch(`${url}/message`, sent)
      if (!answer.ok) throw new Error(`${url}: ${answer.status} ${await answer.text()}`)
    },
    memory: () => Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0),
  }
}

async function until(check: () => Promise<boolean>): Promise<void> {
  const end = performance.now() + LONGEST_MS
  while (!(await check().catch(() => false))) {
    if (performance.now() > end) throw new Error('it takes too long')
    await wait(50)
  }
}

function finished(child: ChildProcess): Promise<unknown> {
  return new Promise((resolve) => {
    child.once('exit', resolve)
  })
}

function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address() as AddressInfo
      server.close(() => resolve(port))
    })
  })
}
