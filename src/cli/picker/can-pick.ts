import type { Context } from '../command.ts'

/** A person sits there, in a terminal that can be drawn on. */
export function canPick({ io, out }: Context): boolean {
  return out.isTTY && process.stdin.isTTY === true && io.env.TERM !== 'dumb'
}
