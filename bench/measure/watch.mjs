// An agent writes: how long until it is in the archive and on the disk; and what the watch takes while nobody writes.
import { spawn } from 'node:child_process'
import { appendFileSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as wait } from 'node:timers/promises'
import { writeTinyCorpus } from '../corpus/main.mjs'
import { quantile } from '../statistics.mjs'
import { amount } from '../words.mjs'
import { claudeSession, codexSession, gooseSession, openCodeSession } from './watch-sessions.mjs'

const GOAL_MS = 50
const LARGE_MB = 50
const SMALL_MB = 0.1
/** Other sessions, which nobody writes to. */
const OTHERS = 1000
/** As agents write: a record, then a while nothing. */
const BETWEEN_MS = 100
const LONGEST_MS = 60_000
/** What is slow is not measured so often. */
const ENOUGH_MS = 30_000

/** Until the line comes that tells of it, which is printed after the wait for the disk. */
export async function watch({ program, rounds, scratch, say }) {
  const small = scene(scratch('watch-small'), SMALL_MB)
  writeTinyCorpus(small.home, OTHERS, 7, {})
  const large = scene(scratch('watch-large'), LARGE_MB)
  const floor = await startBare(scratch('watch-bare'))
  const rows = []
  for (const { home, sessions, size } of [small, large]) {
    const watcher = await startWatch(program, home, say)
    try {
      if (size === SMALL_MB) rows.push(await idleRow(watcher.pid, rounds.idleSeconds, say))
      for (const [id, what, session] of sessions) {
        const { times, bare, cpu } = await timesOf(session, watcher, floor, rounds.appends)
        session.close()
        rows.push({
          id: `watch-${id}`,
          what: `from a write to ${what} of ${size < 1 ? `${size * 1000} KB` : `${size} MB`} until it is archived and on the disk, p95`,
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

function scene(folder, size) {
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

async function startWatch(program, home, say) {
  const child = spawn(process.execPath, [program, 'capture', '--watch', '--json'], {
    cwd: home,
    env: { HOME: home, ION_HOME: join(home, '.ion'), PATH: '', NO_COLOR: '1' },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const listener = lines(child)
  const started = performance.now()
  await new Promise((resolve, reject) => {
    let errors = ''
    child.stderr.setEncoding('utf8').on('data', (text) => {
      errors += text
      if (errors.includes('watching')) resolve()
    })
    child.on('exit', (code) => reject(new Error(`the watch ended with ${code}\n${errors}`)))
  })
  say(`  archived what was there in ${((performance.now() - started) / 1000).toFixed(1)} s`)
  return { pid: child.pid, ...listener }
}

/** Watches one file, copies what is new and waits for the disk: less cannot be done. */
async function startBare(folder) {
  const [from, to] = ['from', 'to'].map((name) => join(folder, name))
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

/** What a process prints, line by line, with the time of each. */
function lines(child) {
  let heard = () => {}
  createInterface(child.stdout).on('line', () => heard(performance.now()))
  return {
    next: () =>
      new Promise((resolve, reject) => {
        const timer = setTimeout(() => reject(new Error('what was written did not arrive')), LONGEST_MS)
        heard = (at) => {
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

/** In turn with the bare watcher: what else the machine does falls on both alike. */
async function timesOf(session, watcher, floor, count) {
  const times = []
  const bare = []
  const end = performance.now() + ENOUGH_MS
  let cpu = 0
  // The first time the session is read whole.
  for (let i = 0; i <= count && (times.length < 10 || performance.now() < end); i++) {
    const taken = await timeOf(session, watcher)
    if (i > 0) times.push(taken)
    else cpu = cpuMs(watcher.pid)
    bare.push(await timeOf(floor, floor))
  }
  return { times, bare, cpu: (cpuMs(watcher.pid) - cpu) / times.length }
}

async function timeOf({ write }, { next }) {
  await wait(BETWEEN_MS)
  const arrived = next()
  const written = performance.now()
  write()
  return (await arrived) - written
}

function ms(times, share) {
  return `${quantile(times, share).toFixed(1)} ms`
}

async function idleRow(pid, seconds, say) {
  say(`  idle for ${seconds} s`)
  const before = cpuMs(pid)
  await wait(seconds * 1000)
  return {
    id: 'watch-idle',
    what: `CPU of a minute in which nobody writes, ${amount(OTHERS + 4)} sessions under watch`,
    unit: 'ms',
    value: ((cpuMs(pid) - before) / seconds) * 60,
    detail: `in ${seconds} s; the system counts in steps of 10 ms`,
  }
}

/** Linux only. */
function cpuMs(pid) {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1].split(' ')
  return (Number(fields[11]) + Number(fields[12])) * 10
}
