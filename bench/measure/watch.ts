// An agent writes: how long until it is archived and on disk; and what the watch takes while nobody writes.
import { type ChildProcess, spawn } from 'node:child_process'
import { appendFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'
import { setTimeout as wait } from 'node:timers/promises'
import { writeTinyCorpus } from '../corpus/main.ts'
import { amount } from '../format.ts'
import { cpuMs } from '../process-cpu.ts'
import { quantile } from '../statistics.ts'
import type { BenchContext, Row } from '../types.ts'
import { type BenchSession, claudeSession, codexSession, gooseSession, openCodeSession } from './watch-sessions.ts'

const GOAL_MS = 50
const LARGE_MB = 50
const SMALL_MB = 0.1
/** Other sessions, which nobody writes to. */
const OTHERS = 1000
/** As agents write: a record, then nothing for a while. */
const BETWEEN_MS = 100
const LONGEST_MS = 60_000
/** Slow things are measured less often. */
const ENOUGH_MS = 30_000

/** Measured until the watch prints its line, which it does after the wait for the disk. */
export async function watch({ program, rounds, scratch, say }: BenchContext): Promise<Row[]> {
  const small = scene(scratch('watch-small'), SMALL_MB)
  writeTinyCorpus(small.home, OTHERS, 7, {})
  const large = scene(scratch('watch-large'), LARGE_MB)
  const floor = await startBare(scratch('watch-bare'))
  const rows: Row[] = []
  for (const { home, sessions, size } of [small, large]) {
    const watcher = await startWatch(program, home, say)
    try {
      if (size === SMALL_MB) rows.push(await idleRow(watcher.pid, rounds.idleSeconds, say))
      for (const [id, what, session] of sessions) {
        const { times, bare, cpu } = await timesOf(session, watcher, floor, rounds.appends)
        session.close()
        rows.push({
          id: `watch-${id}`,
          what: `from a write to ${what} of ${size < 1 ? `${size * 1000} KB` : `${size} MB`} until it is archived and on disk, p95`,
          unit: 'ms',
          goal: GOAL_MS,
          value: quantile(times, 0.95),
          detail: `p50 ${ms(times, 0.5)}; ${cpu.toFixed(1)} ms of CPU; a bare watcher, which only copies: p50 ${ms(bare, 0.5)}, p95 ${ms(bare, 0.95)}; ${times.length} times`,
        })
      }
    } finally {
      await watcher.end()
    }
  }
  await floor.end()
  return rows
}

interface Scene {
  readonly home: string
  readonly size: number
  readonly sessions: readonly (readonly [id: string, what: string, session: BenchSession])[]
}

function scene(folder: string, size: number): Scene {
  const home = join(folder, 'home')
  const name = size === SMALL_MB ? 'small' : 'large'
  return {
    home,
    size,
    sessions: [
      [`claude-${name}`, 'a file of lines (Claude Code)', claudeSession(home, size)],
      [`codex-${name}`, 'a file of lines (Codex)', codexSession(home, size)],
      [`goose-${name}`, 'a database (Goose)', gooseSession(home, size)],
      [`opencode-${name}`, 'a database (OpenCode)', openCodeSession(home, size)],
    ],
  }
}

interface Listener {
  /** When the next line was printed. */
  next(): Promise<number>
  end(): Promise<unknown>
}

interface Watcher extends Listener {
  readonly pid: number
}

async function startWatch(program: string, home: string, say: (text: string) => void): Promise<Watcher> {
  const child = spawn(process.execPath, [program, 'capture', '--watch', '--json'], {
    cwd: home,
    env: { HOME: home, ION_HOME: join(home, '.ion'), PATH: '', NO_COLOR: '1' },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const listener = lines(child)
  const started = performance.now()
  await new Promise<void>((resolve, reject) => {
    let errors = ''
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      errors += text
      if (errors.includes('watching')) resolve()
    })
    child.on('exit', (code) => reject(new Error(`the watch ended with ${code}\n${errors}`)))
  })
  say(`  archived the existing sessions in ${((performance.now() - started) / 1000).toFixed(1)} s`)
  return { pid: child.pid!, ...listener }
}

/** Watches one file, copies what is new and waits for the disk: the least that can be done. */
async function startBare(folder: string): Promise<Listener & Writer> {
  const [from, to] = [join(folder, 'from'), join(folder, 'to')]
  writeFileSync(from, '')
  const child = spawn(process.execPath, ['-e', BARE, folder, from, to], { stdio: ['ignore', 'pipe', 'inherit'] })
  const listener = lines(child)
  await listener.next()
  return { ...listener, write: () => appendFileSync(from, 'x'.repeat(4000)) }
}

const BARE = `
const fs = require('node:fs')
const [folder, from, to] = process.argv.slice(1)
const target = fs.openSync(to, 'a')
let offset = 0
fs.watch(folder, (kind, name) => {
  if (name !== 'from') return
  const bytes = fs.readFileSync(from).subarray(offset)
  if (bytes.length === 0) return
  offset += bytes.length
  fs.writeSync(target, bytes)
  fs.fdatasyncSync(target)
  console.log(offset)
})
console.log('ready')`

interface Writer {
  write(): void
}

/** The lines that a process prints, with the time of each. */
function lines(child: ChildProcess & { readonly stdout: Readable }): Listener {
  let onLine = (_at: number): void => {}
  createInterface(child.stdout).on('line', () => onLine(performance.now()))
  return {
    next: () =>
      new Promise((resolve, reject) => {
        const timer = setTimeout(() => reject(new Error('a written record did not arrive')), LONGEST_MS)
        onLine = (at) => {
          clearTimeout(timer)
          resolve(at)
        }
      }),
    end: () =>
      new Promise((resolve) => {
        child.on('exit', resolve)
        child.kill('SIGTERM')
      }),
  }
}

/** In turn with the bare watcher, so that whatever else the machine does affects both alike. */
async function timesOf(
  session: Writer,
  watcher: Watcher,
  floor: Listener & Writer,
  count: number,
): Promise<{ times: number[]; bare: number[]; cpu: number }> {
  const times: number[] = []
  const bare: number[] = []
  const end = performance.now() + ENOUGH_MS
  let cpu = 0
  // The first time the session is read completely.
  for (let i = 0; i <= count && (times.length < 10 || performance.now() < end); i++) {
    const taken = await timeOf(session, watcher)
    if (i > 0) times.push(taken)
    else cpu = cpuMs(watcher.pid)
    bare.push(await timeOf(floor, floor))
  }
  return { times, bare, cpu: (cpuMs(watcher.pid) - cpu) / times.length }
}

async function timeOf({ write }: Writer, { next }: Listener): Promise<number> {
  await wait(BETWEEN_MS)
  const arrived = next()
  const written = performance.now()
  write()
  return (await arrived) - written
}

function ms(times: readonly number[], share: number): string {
  return `${quantile(times, share).toFixed(1)} ms`
}

async function idleRow(pid: number, seconds: number, say: (text: string) => void): Promise<Row> {
  say(`  idle for ${seconds} s`)
  const before = cpuMs(pid)
  await wait(seconds * 1000)
  return {
    id: 'watch-idle',
    what: `CPU in a minute in which nobody writes, ${amount(OTHERS + 4)} watched sessions`,
    unit: 'ms',
    value: ((cpuMs(pid) - before) / seconds) * 60,
    detail: `in ${seconds} s; the system counts in steps of 10 ms`,
  }
}
