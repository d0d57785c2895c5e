// Real S3 servers for tests and for the proof, from the Go proxy and PyPI, in the cache of the proof: `npm run s3-servers`
// installs them.
import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { realIo } from '../../src/platform/io.ts'
import { S3Client } from '../../src/replica/store/s3-client.ts'
import { s3Settings } from '../../src/replica/store/s3-settings.ts'
import { cacheFolder } from '../prove/cache-folder.ts'
import { findInstalled } from '../prove/install.ts'
import type { Build } from '../prove/pins.ts'

const KEYS = { AWS_ACCESS_KEY_ID: 'test-key', AWS_SECRET_ACCESS_KEY: 'test-secret' }
const START_DEADLINE_MS = 120_000
export const SERVER_BUCKET = 'bucket'

interface ServerKind {
  readonly build: Build
  /** The arguments to serve this port of the loopback interface with an empty folder for its data. */
  readonly args: (port: number, data: string) => string[]
  /** Why it may let two writers win that put under a condition at the same time; real stores never do. */
  readonly whyNoRaces?: string
}

export const versitygw: ServerKind = {
  build: {
    name: 'versitygw',
    agent: 'versitygw',
    pin: {
      from: 'go',
      package: 'github.com/versity/versitygw',
      program: 'versitygw',
      binary: './cmd/versitygw',
      versions: ['v1.8.0'],
    },
  },
  args: (port, data) => ['--port', `127.0.0.1:${port}`, '--keep-alive', '--quiet', 'posix', data],
}

const moto: ServerKind = {
  build: {
    name: 'moto',
    agent: 'moto',
    pin: { from: 'pip', package: 'moto[server]', program: 'moto_server', versions: ['5.2.5'], check: '--help' },
  },
  args: (port) => ['--host', '127.0.0.1', '--port', String(port)],
  whyNoRaces: 'moto looks at the condition, and only then puts, in several threads',
}

export const serverKinds: readonly ServerKind[] = [versitygw, moto]

/** Undefined where it is not installed: the tests that need it are skipped, and the proof uses a folder. */
export async function installedServer({ build }: ServerKind): Promise<string | undefined> {
  return (await findInstalled(build, cacheFolder()))?.program
}

export interface RunningServer {
  /** The variables with which it is used. */
  readonly env: Record<string, string>
  stop(): Promise<void>
}

/** Started and with an empty bucket. */
export async function startServer({ build, args }: ServerKind, program: string): Promise<RunningServer> {
  const data = mkdtempSync(join(tmpdir(), 'ion-s3-'))
  const port = await freePort()
  const child = spawn(program, args(port, data), {
    cwd: data,
    env: {
      PATH: process.env.PATH,
      HOME: data,
      ROOT_ACCESS_KEY: KEYS.AWS_ACCESS_KEY_ID,
      ROOT_SECRET_KEY: KEYS.AWS_SECRET_ACCESS_KEY,
    },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()))
  let said = ''
  child.stderr.setEncoding('utf8').on('data', (part: string) => (said = (said + part).slice(-2000)))
  child.on('error', (error) => (said += error.message))
  const stop = async (): Promise<void> => {
    child.kill('SIGKILL')
    await ended
    rmSync(data, { recursive: true, force: true })
  }
  const env = { ...KEYS, AWS_ENDPOINT_URL_S3: `http://127.0.0.1:${port}` }
  try {
    await createBucket(child, env)
    return { env, stop }
  } catch (error) {
    await stop()
    throw new Error(`${build.name} did not start: ${said}`, { cause: error })
  }
}

async function createBucket(child: ChildProcess, env: Record<string, string>): Promise<void> {
  const io = { ...realIo(), env, home: '/nonexistent' }
  const patience = { attempts: 1, firstWaitMs: 0, deadlineMs: 10_000 }
  const client = new S3Client(SERVER_BUCKET, `s3://${SERVER_BUCKET}`, () => s3Settings(io), io.now, patience)
  for (const start = performance.now(); ; await wait(50)) {
    try {
      return void (await client.send({ method: 'PUT' }))
    } catch (error) {
      if (child.exitCode !== null || performance.now() - start > START_DEADLINE_MS) throw error
    }
  }
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer()
    server.on('error', reject)
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address() as AddressInfo
      server.close(() => resolve(port))
    })
  })
}
