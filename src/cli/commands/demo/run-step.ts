import { spawn } from 'node:child_process'
import type { Io } from '../../../platform/io.ts'
import type { Context } from '../../command.ts'
import { main } from '../../main.ts'
import type { Terminal } from '../../terminal.ts'
import type { ScratchHome } from './scratch-home.ts'

export interface Output {
  /** Null if it was killed. */
  readonly code: number | null
  readonly out: readonly string[]
  /** Stderr before the first line of output, and after it. */
  readonly before: readonly string[]
  readonly after: readonly string[]
}

/** A readable width, also in a pipe. */
export function columnsOf({ isTTY, columns }: Terminal): number {
  return isTTY ? Math.min(columns, 100) : 100
}

/** Runs a command in this process, with the output it would have in the user's terminal. */
export async function runIon(argv: readonly string[], io: Io, { out }: Context): Promise<Output> {
  const captured = { out: '', before: '', after: '' }
  // A terminal even in a pipe: the tour shows short ids.
  const screen = { isTTY: true, columns: columnsOf(out), rows: out.rows, colour: out.colour }
  const code = await main(argv, {
    io,
    out: { ...screen, write: (text) => void (captured.out += text) },
    // Not a terminal: no progress line.
    err: {
      ...screen,
      isTTY: false,
      write: (text) => void (captured[captured.out === '' ? 'before' : 'after'] += text),
    },
  })
  return { code, out: lines(captured.out), before: lines(captured.before), after: lines(captured.after) }
}

/** Runs Ion as a separate process, because it will be killed or starts an agent. */
export function runProcess(
  argv: readonly string[],
  { io }: ScratchHome,
  bin: string,
  env: Readonly<Record<string, string>>,
): Promise<Output> {
  const child = spawn(process.execPath, [process.argv[1]!, ...argv], {
    cwd: io.cwd,
    env: { ...io.env, ...env, PATH: bin },
    stdio: ['ignore', 'pipe', 'pipe'],
    // A process group of its own, so that its agent can be killed with it.
    detached: true,
  })
  // If the demo ends first (`| head`), nothing may write to its scratch home any more.
  const kill = (): void => killGroup(child.pid)
  process.prependOnceListener('exit', kill)
  let [out, err] = ['', '']
  child.stdout.setEncoding('utf8').on('data', (text: string) => void (out += text))
  child.stderr.setEncoding('utf8').on('data', (text: string) => void (err += text))
  return new Promise((resolve, reject) => {
    child.on('error', reject)
    child.on('close', (code) => {
      process.off('exit', kill)
      resolve({ code, out: lines(out), before: lines(err), after: [] })
    })
  })
}

function killGroup(pid: number | undefined): void {
  try {
    if (pid !== undefined) process.kill(-pid, 'SIGKILL')
  } catch {
    // It has just ended.
  }
}

function lines(text: string): string[] {
  return text === '' ? [] : text.replace(/\n+$/, '').split('\n')
}
