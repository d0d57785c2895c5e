import { Archive } from '../../../archive/archive.ts'
import { undoPrune } from '../../../archive/prune/prune-undo.ts'
import { type ExitKind, IonError } from '../../../platform/error.ts'
import { plain } from '../../../platform/plain-text.ts'
import { inTrash, type TrashEntry } from '../../../vault/trash.ts'
import type { Context, Options } from '../../command.ts'
import { oneSession } from '../../one-session.ts'
import { pluralize } from '../../pluralize.ts'
import { shortIds } from '../../short-id.ts'
import { oneLine } from '../../text.ts'

/** Nothing that is there is overwritten by it, so nobody is asked. */
export async function undo(ids: readonly string[], options: Options, { io, out, err }: Context): Promise<ExitKind> {
  const trash = inTrash(io)
  const chosen =
    ids.length > 0 ? [...new Set(ids.map((id) => oneSession(id, trash, () => notInTrash(id))))] : lastOf(trash)
  const nameOf = namesFor(trash)
  if (chosen.length === 0) {
    if (!options.json) out.write('nothing is in the trash\n')
    return 'ok'
  }
  if (options.dryRun) {
    for (const entry of chosen) {
      out.write(options.json ? `${lineOf(entry, 'would restore')}\n` : `would put back ${nameOf(entry)}\n`)
    }
    return 'ok'
  }
  const archive = new Archive(io)
  try {
    const outcomes = undoPrune(chosen, io)
    for (const { entry, outcome, reason } of outcomes) {
      if (options.json) out.write(`${lineOf(entry, outcome, reason)}\n`)
      else if (outcome === 'restored') out.write(`put back ${nameOf(entry)}\n`)
      else err.write(`ion: ${outcome} ${nameOf(entry)}: ${plain(reason ?? '')}\n`)
    }
    const left = inTrash(io).length
    if (!options.json && left > 0) out.write(`${pluralize(left, 'session')} more in the trash\n`)
    if (outcomes.some(({ outcome }) => outcome === 'failed')) return 'failed'
    return outcomes.some(({ outcome }) => outcome === 'refused') ? 'refused' : 'ok'
  } finally {
    archive.close()
  }
}

/** Those that went together last, and those of which nobody knows how far they went. */
function lastOf(trash: readonly TrashEntry[]): TrashEntry[] {
  const run = trash.at(-1)?.run
  return trash.filter((entry) => entry.run === run || entry.act === 'pruning')
}

function notInTrash(reference: string): IonError {
  return new IonError('not-found', `no session "${reference}" is in the trash`, {
    hint: 'ion prune --undo --dry-run shows the last; ion restore <id> puts back any that was captured',
  })
}

/** With an id that is no other's. */
export function namesFor(entries: readonly TrashEntry[]): (entry: TrashEntry) => string {
  const short = shortIds(entries.map(({ id }) => id))
  return ({ agent, id, title }) => `${agent} ${short.get(id)} (${oneLine(title ?? 'untitled')})`
}

export function lineOf({ id, agent, title, bytes }: TrashEntry, outcome: string, reason?: string): string {
  return JSON.stringify({ id, agent, title, bytes, outcome, ...(reason === undefined ? {} : { reason }) })
}
