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

/** An agent in the host's terminal. */
export interface HostedProgram {
  readonly pid: number
  readonly exit: Promise<Exit>
  /** False for one without a terminal: it ignores what is typed. */
  readonly takesKeys: boolean
  write(bytes: Uint8Array | string): void
  resize(size: Size): void
  /** Stops reading its output until the screen has caught up. */
  pause(): void
  resume(): void
  /** Signals its process group. */
  kill(signal: NodeJS.Signals): void
}

/** Called before anything is decided: without it nothing is started. */
export function loadPty(): Pty {
  try {
    return createRequire(import.meta.url)('@lydell/node-pty') as Pty
  } catch (error) {
    const [why] = String((error as Error).message).split('\n')
    throw new IonError('failed', `this installation cannot run agents in the background: ${why}`, {
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

/** Variables of the terminal that Ion was called in: the agent runs in another. */
const OUTER_TERMINAL =
  /^(TMUX|TMUX_PANE|STY|WINDOW|WINDOWID|TERMCAP|COLUMNS|LINES|TERM_PROGRAM.*|TERM_SESSION_ID|TERM_FEATURES|ITERM_.*|LC_TERMINAL.*|KITTY_.*|WEZTERM_.*|ALACRITTY_.*|GHOSTTY_.*|KONSOLE_.*|VTE_VERSION|WT_SESSION|WT_PROFILE_ID|VSCODE_.*|ZED_TERM)$/

function hostedEnvironment(plan: Plan, io: Io): Record<string, string> {
  const env: Record<string, string> = {}
  for (const [name, value] of Object.entries(environmentOf(plan, io))) {
    if (value !== undefined && !OUTER_TERMINAL.test(name)) env[name] = value
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
    // Raw bytes are allowed, although the type says string.
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

/** A turn that reads its prompt from a file, or reports progress to a program, has no terminal. */
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
        // After its last output, but without waiting for a tool that holds the pipe open.
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
