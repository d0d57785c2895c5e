import { askYes } from '../../confirm.ts'
import { palette } from '../../colour.ts'
import type { Context, Options } from '../../command.ts'

/** Whether to go on: said by --yes, or by a person who was asked. In a pipe nobody can be, and nothing is done. */
export async function mayAct(question: string, options: Options, { out, err }: Context): Promise<boolean> {
  if (options.yes) return true
  if (options.dryRun) return false
  if (out.isTTY && process.stdin.isTTY && !options.json) return askYes(question, 'no')
  err.write(`${palette(err).faint('nothing was done, since this is a pipe; --yes does it')}\n`)
  return false
}
