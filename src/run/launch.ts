import { type ChildProcess, spawn } from 'node:child_process'
import { closeSync, openSync } from 'node:fs'
import { constants as os } from 'node:os'
import { basename } from 'node:path'
import type { Io } from '../platform/io.ts'
import { signalProcess } from '../platform/signal-process.ts'
import type { Plan } from './plan.ts'
import { agentProcesses } from './run-processes.ts'

export interface Exit {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
}

/** A started agent. */
export interface Running {
  readonly pid: number
  readonly exit: Promise<Exit>
  kill(signal: NodeJS.Signals): void
}

/** What the agent says when its output is for a program. */
export type OnLine = (line: string) => void

/** The environment of the agent: the user's, with what the plan adds and without what it removes. */
export function environmentOf({ env }: Plan, io: Io): NodeJS.ProcessEnv {
  const all = { ...io.env, ...env.added }
  for (const name of env.removed) delete all[name]
  return all
}

/** Starts the agent by its argument list, in the user's terminal or without one. Throws when it cannot be started. */
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

/** Also the agent's second process, where it has one: the first may wait for it and take no signal. */
function killAll(child: ChildProcess, { run, argv }: Plan, signal: NodeJS.Signals): void {
  const others = agentProcesses(run, basename(argv[0]!)).filter(({ pid }) => pid !== child.pid)
  child.kill(signal)
  for (const mark of others) signalProcess(mark, signal)
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
  // Loaded only here: before the agent starts every millisecond counts, and most speak to the terminal.
  const { createInterface } = process.getBuiltinModule('node:readline')
  const lines = createInterface({ input: stdout, crlfDelay: Number.POSITIVE_INFINITY })
  lines.on('line', onLine)
  return new Promise((resolve) => lines.once('close', resolve))
}

/** After its last line was read; a tool that holds the pipe open is not waited for. */
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

/** As a shell gives it. */
export function exitCodeOf({ code, signal }: Exit): number {
  return code ?? 128 + (signal ? os.signals[signal] : 1)
}
