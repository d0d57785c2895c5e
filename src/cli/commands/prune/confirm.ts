import type { ExitKind } from '../../../platform/error.ts'
import { palette } from '../../colour.ts'
import type { Context } from '../../command.ts'
import { confirm } from '../../confirm.ts'
import { oneLine } from '../../text.ts'
import type { PruneOptions } from './run.ts'

/**
 * Asks in a terminal unless --yes is given. Anything but `confirmed` is how the command ends without doing anything: in a
 * pipe nobody can answer, which a script has to notice.
 */
export async function confirmAction(
  question: string,
  options: PruneOptions,
  { out, err }: Context,
): Promise<'confirmed' | ExitKind> {
  if (options.yes) return 'confirmed'
  if (options.dryRun) return 'ok'
  const canAsk = out.isTTY && process.stdin.isTTY && !options.json
  if (canAsk && (await confirm(question, 'no'))) return 'confirmed'
  const why = canAsk ? '' : ': there is no terminal to ask in; --yes does it'
  err.write(`${palette(err).faint(`nothing was done${why}`)}\n`)
  return canAsk ? 'ok' : 'refused'
}

/** A session's name in messages. Its id is complete: one that is unique in the index today may not be tomorrow. */
export function nameOf({ agent, id, title }: { agent: string; id: string; title: string | null }): string {
  return `${agent} ${id} (${oneLine(title ?? 'untitled')})`
}
