import { palette } from '../../colour.ts'
import type { Context } from '../../command.ts'
import { confirm } from '../../confirm.ts'
import { oneLine } from '../../text.ts'
import type { PruneOptions } from './run.ts'

/** Asks in a terminal unless --yes is given. In a pipe nobody can answer, so nothing is done. */
export async function confirmAction(question: string, options: PruneOptions, { out, err }: Context): Promise<boolean> {
  if (options.yes) return true
  if (options.dryRun) return false
  if (out.isTTY && process.stdin.isTTY && !options.json) return confirm(question, 'no')
  err.write(`${palette(err).faint('nothing was done: there is no terminal to ask in; --yes does it')}\n`)
  return false
}

/** A session's name in messages. Its id is complete: one that is unique in the index today may not be tomorrow. */
export function nameOf({ agent, id, title }: { agent: string; id: string; title: string | null }): string {
  return `${agent} ${id} (${oneLine(title ?? 'untitled')})`
}
