import { palette } from '../../colour.ts'
import type { Context } from '../../command.ts'
import { confirm } from '../../confirm.ts'
import { shortIds } from '../../short-id.ts'
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

interface Nameable {
  readonly agent: string
  readonly id: string
  readonly title: string | null
}

/** Names for people, with ids that are short but unique among `sessions`. */
export function namesFor(sessions: readonly Nameable[]): (session: Nameable) => string {
  const short = shortIds(sessions.map(({ id }) => id))
  return ({ agent, id, title }) => `${agent} ${short.get(id)} (${oneLine(title ?? 'untitled')})`
}
