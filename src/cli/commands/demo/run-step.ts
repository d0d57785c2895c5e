import type { Io } from '../../../platform/io.ts'
import type { Context } from '../../command.ts'
import { main } from '../../main.ts'
import type { Terminal } from '../../terminal.ts'

export interface Output {
  readonly code: number
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

function lines(text: string): string[] {
  return text === '' ? [] : text.replace(/\n+$/, '').split('\n')
}
