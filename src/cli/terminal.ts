import type { Writable } from 'node:stream'
import type { Colour } from '../config/config.ts'
import type { Context } from './command.ts'

/** One output stream as the commands see it. */
export interface Terminal {
  write(text: string): void
  /** Resolves when the reader has caught up. Long output waits for it, to use little memory. */
  drained?(): Promise<void>
  /** Read by a person: colours, pager, progress and pickers make sense. */
  readonly isTTY: boolean
  readonly columns: number
  readonly rows: number
  /** Colours are wanted: by default in a terminal. */
  readonly colour: boolean
}

type Env = Readonly<Record<string, string | undefined>>

export function terminalOf(
  stream: Writable & { isTTY?: boolean; columns?: number; rows?: number },
  env: Env,
  colour: Colour,
): Terminal {
  const isTTY = stream.isTTY === true
  return {
    write: (text) => void stream.write(text),
    drained: () => drained(stream),
    isTTY,
    get columns() {
      return stream.columns || Number(env.COLUMNS) || 80
    },
    get rows() {
      return stream.rows || 24
    },
    colour: colour === 'auto' ? isTTY && env.TERM !== 'dumb' : colour === 'always',
  }
}

function drained(stream: Writable): Promise<void> {
  if (!stream.writableNeedDrain || stream.destroyed) return Promise.resolve()
  return new Promise((resolve) => {
    const done = (): void => {
      stream.off('drain', done).off('close', done)
      resolve()
    }
    stream.on('drain', done).on('close', done)
  })
}

/** A person sits there, in a terminal that can be drawn on. */
export function canPick({ io, out }: Context): boolean {
  return out.isTTY && process.stdin.isTTY === true && io.env.TERM !== 'dumb'
}

/** How wide a line may be: the width of the terminal; in a pipe `COLUMNS`, or `inPipe`, by default nothing is cut there. */
export function outputWidth({ io, out }: Pick<Context, 'io' | 'out'>, inPipe = Number.POSITIVE_INFINITY): number {
  return out.isTTY ? out.columns : Number(io.env.COLUMNS) || inPipe
}
