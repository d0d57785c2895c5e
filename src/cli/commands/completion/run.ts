import { type ExitKind, IonError } from '../../../platform/error.ts'
import type { Context } from '../../command.ts'
import { shells } from './definition.ts'
import { scripts } from './scripts.ts'

export async function run(args: readonly unknown[], _options: unknown, { out }: Context): Promise<ExitKind> {
  const shell = shells.find((name) => name === args[0])
  if (!shell)
    throw new IonError('usage', `there is no script for "${args[0]}"`, { hint: `known: ${shells.join(', ')}` })
  out.write(scripts[shell])
  return 'ok'
}
