import { palette } from '../../colour.ts'
import type { Context, Options } from '../../command.ts'
import { confirm } from '../../confirm.ts'

/** Whether to go on: said by --yes, or by a person who was asked. In a pipe nobody can be, and nothing is done. */
export async function confirmAction(question: string, options: Options, { out, err }: Context): Promise<boolean> {
  if (options.yes) return true
  if (options.dryRun) return false
  if (out.isTTY && process.stdin.isTTY && !options.json) return confirm(question, 'no')
  err.write(`${palette(err).faint('nothing was done, since this is a pipe; --yes does it')}\n`)
  return false
}
