import type { Context } from './command.ts'

/** Wide enough for full ids and most titles. */
const IN_PIPE = 120

/** How wide a line may be: the width of the terminal; in a pipe `COLUMNS`, or `inPipe`. */
export function roomOf({ io, out }: Pick<Context, 'io' | 'out'>, inPipe: number = IN_PIPE): number {
  return out.isTTY ? out.columns : Number(io.env.COLUMNS) || inPipe
}
