import type { Context } from './command.ts'

/** Wide enough for whole ids and most titles. */
const IN_PIPE = 120

/** How wide a line may be: the terminal's width, in a pipe `COLUMNS`, else `inPipe`. */
export function roomOf({ io, out }: Pick<Context, 'io' | 'out'>, inPipe: number = IN_PIPE): number {
  return out.isTTY ? out.columns : Number(io.env.COLUMNS) || inPipe
}
