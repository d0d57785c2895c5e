import { type ExitKind, IonError } from '../../../platform/error.ts'
import type { Context, Options } from '../../command.ts'
import { emptyAll } from './empty-trash.ts'
import { pruneAll } from './prune-all.ts'
import { undo } from './undo.ts'

const rules = ['olderThan', 'keep', 'maxSize', 'agent', 'project'] as const

export async function run(args: readonly unknown[], options: Options, context: Context): Promise<ExitKind> {
  const ids = (args[0] as readonly string[] | undefined) ?? []
  if (options.undo && options.emptyTrash) throw excluding('--undo', '--empty-trash')
  if (options.dryRun && options.yes) throw excluding('--dry-run', '--yes')
  const rule = rules.find((name) => options[name] !== undefined)
  if ((options.undo || options.emptyTrash) && rule !== undefined) {
    throw new IonError('usage', 'a rule says what to prune; it cannot be undone or emptied by one', {
      hint: 'ion prune --undo <id>…, or ion prune --empty-trash',
    })
  }
  if (ids.length > 0 && !options.undo) {
    throw new IonError('usage', 'ids are for --undo only', { hint: 'ion prune --undo <id>…' })
  }
  if (options.undo) return undo(ids, options, context)
  return options.emptyTrash ? emptyAll(options, context) : pruneAll(options, context)
}

function excluding(one: string, other: string): IonError {
  return new IonError('usage', `${one} and ${other} exclude each other`, { hint: 'give one of them' })
}
