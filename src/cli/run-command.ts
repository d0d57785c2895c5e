import type { ExitKind } from '../platform/error.ts'
import { requireOwnHome } from '../platform/home-owner.ts'
import type { AnyOptions, Command, Context } from './command.ts'

export type Arguments = readonly (string | readonly string[] | undefined)[]

/** Runs a command with what was parsed. */
export async function runCommand(
  command: Pick<Command, 'name' | 'internal' | 'load'>,
  args: Arguments,
  options: AnyOptions,
  context: Context,
  rest?: readonly string[],
): Promise<ExitKind | number> {
  requireOwnHome(context.io)
  if (context.config.problems.length > 0 && !command.internal && command.name !== 'config')
    (await import('./config-problems.ts')).warnOfProblems(context)
  const { run } = await command.load()
  return run(args, options, context, rest)
}
