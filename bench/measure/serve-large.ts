// A large session in a database behind ion serve: how long an appended message takes to a reader of /events.
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { chmodSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { dirname, join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { cpuMs } from '../process-cpu.ts'
import { quantile } from '../statistics.ts'
import type { BenchContext, Row } from '../types.ts'
import { gooseSession, openCodeSession } from './watch-sessions.ts'

const GOAL_MS = 200
const MEGABYTES = 50
const BETWEEN_MS = 300
const LONGEST_MS = 120_000
/** A slow build is not measured for hours. */
const ENOUGH_MS = 90_000

const agents = [
  { id: 'goose', title: 'Goose', version: 'goose 1.52.0', session: gooseSession },
  { id: 'opencode', title: 'OpenCode', version: '1.18.33', session: openCodeSession },
]

export async function serveLarge(context: BenchContext): Promise<Row[]> {
  const rows: Row[] = []
  for (const agent of agents) rows.push(await measure(agent, context))
  return rows
}

async function measure(
  { id, title, version, session: makeSession }: (typeof agents)[number],
  { program, rounds, scratch, say }: BenchContext,
): Promise<Row> {
  const count = Math.min(rounds.appends, 60)
  const folder = scratch(`serve-large-${id}`)
  const [home, bin, ionHome] = [join(folder, 'home'), join(folder, 'bin'), join(folder, 'ion')]
  for (const path of [home, bin]) mkdirSync(path, { recursive: true })
  // It only has to be running: the benchmark writes its database.
  writeFileSync(join(bin, id), `#!/bin/sh\ncase "$1" in *version) echo '${version}'; exit;; esac\nexec sleep 3600\n`)
  chmodSync(join(bin, id), 0o755)
  const session = makeSession(home, MEGABYTES, { cwd: home, talk: true })
  const env = {
    PATH: `${bin}:${dirname(process.execPath)}:/usr/bin:/bin`,
    HOME: home,
    ION_HOME: ionHome,
    TMPDIR: folder,
  }
  const ion = (...args: string[]): Promise<string> =>
    output(spawn(process.execPath, [program, ...args], { cwd: home, env }))
  try {
    const { id: sessionId } = JSON.parse(await ion('sessions', '--all', '--json')) as { id: string }
    await ion('resume', sessionId, '--detach')
    const began = performance.now()
    await ion('serve', id, '--task', sessionId.slice(0, 8), '--detach', '--no-token', '--port', '0')
    const server = readdirSync(join(ionHome, 'servers'))[0]!
    const { port, pid } = JSON.parse(readFileSync(join(ionHome, 'servers', server), 'utf8')) as {
      port: number
      pid: number
    }
    const reader = await startReader(port)
    say(`  ${id}: served after ${((performance.now() - began) / 1000).toFixed(1)} s`)
    const times: number[] = []
    const cpuBefore = cpuMs(pid)
    const end = performance.now() + ENOUGH_MS
    for (let number = 0; number < count && (times.length < 3 || performance.now() < end); number++) {
      await wait(BETWEEN_MS)
      const text = `appended message number ${number} of the benchmark`
      const arrived = reader.next(text)
      const written = performance.now()
      session.write(text)
      times.push((await arrived) - written)
    }
    const cpu = (cpuMs(pid) - cpuBefore) / times.length
    reader.end()
    return {
      id: `serve-large-${id}`,
      what: `from a message appended to a ${MEGABYTES} MB session of ${title} until a reader of /events has it, p95`,
      unit: 'ms',
      goal: GOAL_MS,
      value: quantile(times, 0.95),
      detail: `p50 ${quantile(times, 0.5).toFixed(0)} ms; ${cpu.toFixed(0)} ms of CPU each; ${times.length} messages`,
    }
  } finally {
    session.close()
    await ion('stop', '--all', '--grace', '1').catch(() => {})
  }
}

interface Reader {
  /** When the text arrived. */
  next(text: string): Promise<number>
  end(): void
}

/** Resolves at the first status: by then it has the complete history. */
async function startReader(port: number): Promise<Reader> {
  let rest = ''
  let wanted = 'event: status_change'
  let found = (_at: number): void => {}
  const socket = connect(port, '127.0.0.1')
  socket.write('GET /events HTTP/1.1\r\nHost: localhost\r\n\r\n')
  socket.setEncoding('latin1').on('data', (text: string) => {
    const all = rest + text
    rest = all.slice(-200)
    if (all.includes(wanted)) found(performance.now())
  })
  const next = (text: string): Promise<number> =>
    new Promise((resolve, reject) => {
      const timer = setTimeout(() => reject(new Error(`"${text}" did not arrive`)), LONGEST_MS)
      wanted = text
      found = (at) => {
        clearTimeout(timer)
        resolve(at)
      }
    })
  await next(wanted)
  return { next, end: () => void socket.destroy() }
}

function output(child: ChildProcessWithoutNullStreams): Promise<string> {
  let [out, err] = ['', '']
  child.stdout.setEncoding('utf8').on('data', (text: string) => (out += text))
  child.stderr.setEncoding('utf8').on('data', (text: string) => (err += text))
  return new Promise((resolve, reject) => {
    child.once('close', (code) =>
      code === 0 ? resolve(out) : reject(new Error(`${child.spawnargs.slice(2).join(' ')}: ${err}`)),
    )
  })
}
