import type { ExitKind } from '../platform/error.ts'
import { requireOwnHome } from '../platform/home-owner.ts'
import type { AnyOptions, Command, Context } from './command.ts'

export type Arguments = readonly (string | readonly string[] | undefined)[]

/** Runs a command with what was parsed. */
export async function runCommand(
  command: Pick<Command, 'load'>,
  args: Arguments,
  options: AnyOptions,
  context: Context,
  rest?: readonly string[],
): Promise<ExitKind | number> {
  requireOwnHome(context.io)
  const { run } = await command.load()
  return run(args, options, context, rest)
}
