import { spawn } from 'node:child_process'
import { closeSync, openSync } from 'node:fs'
import { createRequire } from 'node:module'
import { constants } from 'node:os'
import { createInterface } from 'node:readline'
import { IonError, messageOf } from '../platform/error.ts'
import type { Io } from '../platform/io.ts'
import { type Exit, environmentOf, type OnLine } from '../run/launch.ts'
import type { Plan } from '../run/plan.ts'
import type { Size } from './screen.ts'

type Pty = typeof import('@lydell/node-pty')

/** An agent in a terminal that nobody sees. */
export interface HostedProgram {
  readonly pid: number
  readonly exit: Promise<Exit>
  /** False for one without a terminal: what is typed goes nowhere. */
  readonly takesKeys: boolean
  write(bytes: Uint8Array | string): void
  resize(size: Size): void
  /** While the screen has not caught up, nothing more is read. */
  pause(): void
  resume(): void
  /** To all of its process group. */
  kill(signal: NodeJS.Signals): void
}

/** Asked before anything is decided: without it nothing is started. */
export function loadPty(): Pty {
  try {
    return createRequire(import.meta.url)('@lydell/node-pty') as Pty
  } catch (error) {
    const [why] = String((error as Error).message).split('\n')
    throw new IonError('failed', `this installation has no terminal for the background: ${why}`, {
      cause: error,
      hint: 'install Ion with its optional dependencies (@lydell/node-pty), or run without --detach in tmux or screen',
    })
  }
}

export function startHosted(
  pty: Pty,
  plan: Plan,
  size: Size,
  io: Io,
  onText: (text: string) => void,
  onLine: OnLine,
): HostedProgram {
  const env = hostedEnvironment(plan, io)
  return plan.stdin === 'prompt' || plan.output === 'lines'
    ? startWithPipes(plan, env, onText, onLine)
    : startInTerminal(pty, plan, env, size, onText)
}

/** Names of the terminal that Ion was called in: the agent is in another. */
const OUTER =
  /^(TMUX|TMUX_PANE|STY|WINDOW|WINDOWID|TERMCAP|COLUMNS|LINES|TERM_PROGRAM.*|TERM_SESSION_ID|TERM_FEATURES|ITERM_.*|LC_TERMINAL.*|KITTY_.*|WEZTERM_.*|ALACRITTY_.*|GHOSTTY_.*|KONSOLE_.*|VTE_VERSION|WT_SESSION|WT_PROFILE_ID|VSCODE_.*|ZED_TERM)$/

function hostedEnvironment(plan: Plan, io: Io): Record<string, string> {
  const env: Record<string, string> = {}
  for (const [name, value] of Object.entries(environmentOf(plan, io))) {
    if (value !== undefined && !OUTER.test(name)) env[name] = value
  }
  return { ...env, TERM: 'xterm-256color', COLORTERM: 'truecolor' }
}

function startInTerminal(
  pty: Pty,
  { argv, cwd }: Plan,
  env: Record<string, string>,
  { columns, rows }: Size,
  onText: (text: string) => void,
): HostedProgram {
  const [program, ...args] = argv
  const child = pty.spawn(program!, args, { name: env.TERM!, cols: columns, rows, cwd, env })
  child.onData(onText)
  const exit = new Promise<Exit>((resolve) => {
    child.onExit(({ exitCode, signal }) => {
      resolve(signal ? { code: null, signal: signalName(signal) } : { code: exitCode, signal: null })
    })
  })
  return {
    pid: child.pid,
    exit,
    takesKeys: true,
    // Bytes as they are: its types know text alone.
    write: (bytes) => child.write((typeof bytes === 'string' ? bytes : Buffer.from(bytes)) as string),
    resize: (size) => {
      try {
        child.resize(size.columns, size.rows)
      } catch {
        // It has just ended.
      }
    },
    pause: () => child.pause(),
    resume: () => child.resume(),
    kill: (signal) => killGroup(child.pid, signal, () => child.kill()),
  }
}

/** A turn that takes its prompt from a file, or tells a program what it does: no terminal of its own. */
function startWithPipes(
  plan: Plan,
  env: Record<string, string>,
  onText: (text: string) => void,
  onLine: OnLine,
): HostedProgram {
  const [program, ...args] = plan.argv
  const input = plan.stdin === 'prompt' && plan.prompt.action !== 'skip' ? openSync(plan.prompt.file, 'r') : undefined
  try {
    const child = spawn(program!, args, {
      cwd: plan.cwd,
      env,
      stdio: [input ?? 'ignore', 'pipe', 'pipe'],
      detached: true,
      windowsHide: true,
    })
    const toScreen = (text: string): void => onText(text.replace(/\r?\n/g, '\r\n'))
    const [stdout, stderr] = [child.stdout!, child.stderr!]
    stderr.setEncoding('utf8').on('data', toScreen)
    if (plan.output === 'lines') createInterface({ input: stdout }).on('line', onLine)
    else stdout.setEncoding('utf8').on('data', toScreen)
    const exit = new Promise<Exit>((resolve) => {
      child.once('error', (error) => {
        toScreen(`${messageOf(error)}\n`)
        resolve({ code: 127, signal: null })
      })
      child.once('exit', (code, signal) => {
        // After its last words; a tool that holds the pipe open is not waited for.
        const limit = setTimeout(() => resolve({ code, signal }), 500)
        child.once('close', () => {
          clearTimeout(limit)
          resolve({ code, signal })
        })
      })
    })
    return {
      pid: child.pid ?? 0,
      exit,
      takesKeys: false,
      write: () => {},
      resize: () => {},
      pause: () => {
        for (const stream of [stdout, stderr]) stream.pause()
      },
      resume: () => {
        for (const stream of [stdout, stderr]) stream.resume()
      },
      kill: (signal) => killGroup(child.pid ?? 0, signal, () => child.kill(signal)),
    }
  } finally {
    if (input !== undefined) closeSync(input)
  }
}

function killGroup(pid: number, signal: NodeJS.Signals, alone: () => void): void {
  if (pid <= 0) return
  try {
    if (process.platform !== 'win32') process.kill(-pid, signal)
    else alone()
  } catch {
    // It has ended already.
  }
}

function signalName(number: number): NodeJS.Signals {
  const found = Object.entries(constants.signals).find(([, value]) => value === number)
  return (found?.[0] ?? 'SIGKILL') as NodeJS.Signals
}
