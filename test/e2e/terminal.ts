import { dirname, join } from 'node:path'
import { type IPty, spawn } from '@lydell/node-pty'
import { expect, onTestFinished } from 'vitest'
import { Screen, type Size } from '../../src/host/screen.ts'
import { builtFolder } from '../support/built.ts'
import { until } from '../support/wait-until.ts'
import type { Machine } from './run-ion.ts'

/** A terminal window with a program in it. */
export interface Window {
  readonly pid: number
  /** All raw output so far. */
  raw(): string
  /** What it shows now. */
  text(): string
  type(keys: string): void
  resize(size: Size): void
  /** As when the window is closed. */
  close(): void
  /** Waits until it shows that. */
  shows(part: string | RegExp): Promise<void>
  readonly exit: Promise<number>
}

export interface WindowOptions {
  readonly path: string
  readonly size?: Size
  /** Default: the home. */
  readonly cwd?: string
}

/** The built program in a terminal window of its own. */
export function ionWindow(where: Machine, args: readonly string[], options: WindowOptions): Window {
  return openWindow(where, [process.execPath, join(builtFolder(), 'ion.cjs'), ...args], options)
}

export function openWindow(
  { root, home, ionHome }: Machine,
  [program, ...args]: readonly string[],
  { path, size = { columns: 80, rows: 24 }, cwd = home }: WindowOptions,
): Window {
  const env = { PATH: path, HOME: home, ION_HOME: ionHome, TMPDIR: root, TERM: 'xterm-256color' }
  const child: IPty = spawn(program!, args, { cols: size.columns, rows: size.rows, cwd, env })
  const screen = new Screen(size)
  screen.onAnswer((answer) => child.write(answer))
  let raw = ''
  child.onData((data) => {
    raw += data
    screen.write(data)
  })
  let isOver = false
  const exit = new Promise<number>((resolve) => {
    child.onExit(({ exitCode, signal }) => {
      isOver = true
      resolve(signal ? 128 + signal : exitCode)
    })
  })
  onTestFinished(async () => {
    if (!isOver) child.kill('SIGKILL')
    await exit
  })
  return {
    pid: child.pid,
    raw: () => raw,
    text: () => screen.text(),
    type: (keys) => child.write(keys),
    resize: (changed) => {
      screen.resize(changed)
      child.resize(changed.columns, changed.rows)
    },
    close: () => child.kill('SIGHUP'),
    shows: (part) => until(() => expect(screen.text()).toMatch(part instanceof RegExp ? part : literal(part))),
    // With its last output on the screen.
    exit: exit.then((code) => screen.settled().then(() => code)),
  }
}

function literal(text: string): RegExp {
  return new RegExp(text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'))
}

/** A PATH with Node and the system's tools, and `bin` before them. */
export function pathWith(bin: string): string {
  return `${bin}:${dirname(process.execPath)}:/usr/bin:/bin`
}
