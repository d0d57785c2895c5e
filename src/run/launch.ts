import { type ChildProcess, spawn } from 'node:child_process'
import { closeSync, openSync } from 'node:fs'
import { constants as os } from 'node:os'
import { basename } from 'node:path'
import { type Io, programEnvironment } from '../platform/io.ts'
import { signalProcess } from '../platform/process.ts'
import type { Plan } from './plan.ts'
import { agentProcesses } from './run-processes.ts'

export interface Exit {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
  /** Ion was asked to stop it. */
  readonly stopped?: true
}

/** A started agent. */
export interface Running {
  readonly pid: number
  readonly exit: Promise<Exit>
  kill(signal: NodeJS.Signals): void
}

/** Receives the agent's output if it is machine-readable. */
export type OnLine = (line: string) => void

/** The user's environment, changed as the plan says. */
export function environmentOf({ env }: Plan, io: Io): NodeJS.ProcessEnv {
  const all = { ...programEnvironment(io), ...env.added }
  for (const name of env.removed) delete all[name]
  return all
}

/** Starts the agent, in the user's terminal or without one. Throws if it cannot be started. */
export async function launch(plan: Plan, io: Io, onLine: OnLine, stdinFromTty = false): Promise<Running> {
  const [program, ...args] = plan.argv
  const input = openInput(plan, stdinFromTty)
  try {
    const child = spawn(program!, args, {
      cwd: plan.cwd,
      env: environmentOf(plan, io),
      stdio: [
        input ?? (plan.stdin === 'terminal' ? 'inherit' : 'ignore'),
        plan.output === 'lines' ? 'pipe' : plan.output === 'talk' ? 2 : 'inherit',
        'inherit',
      ],
      windowsHide: true,
    })
    const output = linesOf(child, onLine)
    const exit = exitOf(child, output)
    await spawned(child)
    return { pid: child.pid!, exit, kill: (signal) => killAll(child, plan, signal) }
  } finally {
    if (input !== undefined) closeSync(input)
  }
}

/** Also signals the agent's second process, if it has one: the first may wait for it and ignore signals. */
function killAll(child: ChildProcess, { run, argv }: Plan, signal: NodeJS.Signals): void {
  const others = agentProcesses(run, basename(argv[0]!)).filter(({ pid }) => pid !== child.pid)
  child.kill(signal)
  for (const identity of others) signalProcess(identity, signal)
}

function openInput(plan: Plan, stdinFromTty: boolean): number | undefined {
  if (plan.stdin === 'prompt' && plan.prompt.action !== 'skip') return openSync(plan.prompt.file, 'r')
  return plan.stdin === 'terminal' && stdinFromTty ? openSync('/dev/tty', 'r+') : undefined
}

function spawned(child: ChildProcess): Promise<void> {
  return new Promise((resolve, reject) => {
    child.once('spawn', resolve)
    child.once('error', reject)
  })
}

function linesOf(child: ChildProcess, onLine: OnLine): Promise<void> {
  const { stdout } = child
  if (!stdout) return Promise.resolve()
  // Loaded lazily: most agents write to the terminal, and start sooner without it.
  const { createInterface } = process.getBuiltinModule('node:readline')
  const lines = createInterface({ input: stdout, crlfDelay: Number.POSITIVE_INFINITY })
  lines.on('line', onLine)
  return new Promise((resolve) => lines.once('close', resolve))
}

/** Resolves after the last line was read, but does not wait for a tool that keeps the pipe open. */
function exitOf(child: ChildProcess, output: Promise<void>): Promise<Exit> {
  return new Promise((resolve) => {
    child.once('exit', (code, signal) => {
      const done = (): void => {
        child.stdout?.destroy()
        resolve({ code, signal })
      }
      const limit = setTimeout(done, 500)
      void output.then(() => {
        clearTimeout(limit)
        done()
      })
    })
  })
}

/** As in a shell. */
export function exitCodeOf({ code, signal }: Exit): number {
  return code ?? 128 + (signal ? os.signals[signal] : 1)
}

/** The signals that Ion receives while an agent runs. */
export interface ForwardedSignals {
  /** The first one that was meant for the agent. */
  readonly received: NodeJS.Signals | undefined
  restore(): void
}

/**
 * Forwards signals that only Ion receives. While the agent has the terminal, Ctrl-C reaches it directly, and Ion stays
 * alive to record how it ended. `restore` undoes it.
 */
export function forwardSignals(running: Pick<Running, 'kill'>, isShared: boolean): ForwardedSignals {
  let received: NodeJS.Signals | undefined
  const pass = (signal: NodeJS.Signals) => (): void => {
    received ??= signal
    running.kill(signal)
  }
  const ignore = (): void => {}
  const handlers: [NodeJS.Signals, () => void][] = [
    ['SIGTERM', pass('SIGTERM')],
    // Closing a terminal signals only its session leader, which may be Ion. A second SIGHUP does no harm.
    ['SIGHUP', pass('SIGHUP')],
    ['SIGINT', isShared ? ignore : pass('SIGINT')],
    ['SIGQUIT', isShared ? ignore : pass('SIGQUIT')],
  ]
  for (const [signal, handler] of handlers) process.on(signal, handler)
  return {
    get received() {
      return received
    },
    restore() {
      for (const [signal, handler] of handlers) process.off(signal, handler)
    },
  }
}

/** Some agents exit with 0 when they are interrupted; their turn was interrupted all the same. */
export function interruptedExit(exit: Exit, received: NodeJS.Signals | undefined): Exit {
  return exit.code === 0 && received ? { code: null, signal: received } : exit
}
