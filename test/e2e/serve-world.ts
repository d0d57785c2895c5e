import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished } from 'vitest'
import { livingProcess } from '../../src/platform/process.ts'
import { taskOf } from '../../src/run/task.ts'
import type { Status } from '../../src/server/contract.ts'
import { knownServers } from '../../src/server/registry.ts'
import { builtFolder } from '../support/built.ts'
import { until } from '../support/wait-until.ts'
import { ioOf } from './fake-agent.ts'
import { claude, installFakeClaude } from './fake-claude.ts'
import { type Machine, machine, type Outcome, runIon } from './run-ion.ts'

export interface Server {
  readonly url: string
  readonly token: string
  /** The token as a header. */
  readonly auth: Readonly<Record<string, string>>
  get(path: string, headers?: Record<string, string>): Promise<Response>
  post(path: string, body?: unknown, headers?: Record<string, string>): Promise<Response>
  /** A message of the user, sent when the agent waits. */
  say(text: string): Promise<Response>
  status(): Promise<Status>
  /** With their parts; `query` begins with `&`. */
  messages(query?: string): Promise<Record<string, unknown>[]>
  /** Waits until the agent waits for input. */
  stable(): Promise<void>
}

export interface ServeWorld {
  readonly where: Machine
  readonly path: string
  readonly folder: string
  ion(...args: string[]): Promise<Outcome>
  /** `ion serve claude --detach`, on any free port. */
  serve(...args: string[]): Promise<Server>
}

/** A machine with the fake agent; everything on it is stopped when the test ends. */
export function serveWorld(): ServeWorld {
  const where = machine()
  const path = installFakeClaude(where, 'serve-agent.mjs')
  const ion = (...args: string[]): Promise<Outcome> => runIon(where, args, { env: { PATH: path }, timeoutMs: 60_000 })
  const { folder } = taskOf(claude.id, where.home, 'main', ioOf(where))
  onTestFinished(async () => {
    await ion('stop', '--all', '--grace', '0')
    expect(knownServers(ioOf(where))).toEqual([])
  })
  return {
    where,
    path,
    folder,
    ion,
    async serve(...args) {
      const { code, out, err } = await ion('serve', 'claude', '--detach', '--port', '0', ...args)
      expect({ code, err }).toEqual({ code: 0, err: expect.any(String) })
      return serverAt(/https?:\/\/\S+/.exec(out)![0], folder)
    },
  }
}

export function tokenOf(folder: string): string {
  return readFileSync(join(folder, 'serve-token'), 'utf8').trim()
}

export function serverAt(address: string, folder: string): Server {
  const { origin } = new URL(address)
  const token = tokenOf(folder)
  const auth = { authorization: `Bearer ${token}` }
  const get = (path: string, headers: Record<string, string> = {}): Promise<Response> =>
    fetch(`${origin}${path}`, { headers: { ...auth, ...headers }, redirect: 'manual' })
  const post = (path: string, body?: unknown, headers: Record<string, string> = {}): Promise<Response> =>
    fetch(`${origin}${path}`, {
      method: 'POST',
      headers: { ...auth, 'content-type': 'application/json', ...headers },
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    })
  const status = async (): Promise<Status> => (await (await get('/status')).json()) as Status
  const stable = async (): Promise<void> => {
    await until(async () => expect(await status()).toMatchObject({ status: 'stable', exited: null }))
  }
  return {
    url: origin,
    token,
    auth,
    get,
    post,
    status,
    stable,
    async say(content) {
      await stable()
      return post('/message', { content, type: 'user' })
    },
    async messages(query = '') {
      const { messages } = (await (await get(`/messages?full=true${query}`)).json()) as {
        messages: Record<string, unknown>[]
      }
      return messages
    },
  }
}

/** A started `ion serve` in the foreground. */
export interface Foreground {
  readonly pid: number
  readonly exit: Promise<number | null>
  out(): string
  err(): string
}

export function serveInForeground(
  { where, path }: ServeWorld,
  args: readonly string[],
  variables: Record<string, string> = {},
): Foreground {
  const { home, ionHome, root } = where
  const child = spawn(process.execPath, [join(builtFolder(), 'ion.cjs'), 'serve', ...args], {
    cwd: home,
    env: { PATH: path, HOME: home, ION_HOME: ionHome, TMPDIR: root, ...variables },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const said = { out: '', err: '' }
  child.stdout.setEncoding('utf8').on('data', (text: string) => (said.out += text))
  child.stderr.setEncoding('utf8').on('data', (text: string) => (said.err += text))
  const exit = new Promise<number | null>((resolve) => child.once('close', resolve))
  onTestFinished(async () => {
    if (child.pid !== undefined && livingProcess(child.pid)) child.kill('SIGKILL')
    await exit
  })
  return { pid: child.pid!, exit, out: () => said.out, err: () => said.err }
}
