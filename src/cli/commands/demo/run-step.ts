import { spawn } from 'node:child_process'
import type { Io } from '../../../platform/io.ts'
import type { Context } from '../../command.ts'
import { main } from '../../main.ts'
import type { Terminal } from '../../terminal.ts'
import type { ScratchHome } from './scratch-home.ts'

export interface Output {
  /** Null when it was killed. */
  readonly code: number | null
  readonly out: readonly string[]
  /** What stderr said before the first line of output, and after it. */
  readonly before: readonly string[]
  readonly after: readonly string[]
}

/** As wide as is pleasant to read, also in a pipe. */
export function columnsOf({ isTTY, columns }: Terminal): number {
  return isTTY ? Math.min(columns, 100) : 100
}

/** Runs a command of Ion in this process, as it would look in the user's terminal. */
export async function runIon(argv: readonly string[], io: Io, { out }: Context): Promise<Output> {
  const said = { out: '', before: '', after: '' }
  // In a pipe too: the tour shows what a terminal would, with short ids.
  const screen = { isTTY: true, columns: columnsOf(out), rows: out.rows, colour: out.colour }
  const code = await main(argv, {
    io,
    out: { ...screen, write: (text) => void (said.out += text) },
    // Not a terminal: no progress line in between.
    err: { ...screen, isTTY: false, write: (text) => void (said[said.out === '' ? 'before' : 'after'] += text) },
  })
  return { code, out: lines(said.out), before: lines(said.before), after: lines(said.after) }
}

/** Runs Ion as a process of its own, since it is going to be killed, or to start an agent that speaks by itself. */
export function runOwn(
  argv: readonly string[],
  { io }: ScratchHome,
  bin: string,
  env: Readonly<Record<string, string>>,
): Promise<Output> {
  const child = spawn(process.execPath, [process.argv[1]!, ...argv], {
    cwd: io.cwd,
    env: { ...io.env, ...env, PATH: bin },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let [out, err] = ['', '']
  child.stdout.setEncoding('utf8').on('data', (text: string) => void (out += text))
  child.stderr.setEncoding('utf8').on('data', (text: string) => void (err += text))
  return new Promise((resolve, reject) => {
    child.on('error', reject)
    child.on('close', (code) => resolve({ code, out: lines(out), before: lines(err), after: [] }))
  })
}

function lines(text: string): string[] {
  return text === '' ? [] : text.replace(/\n+$/, '').split('\n')
}
