import { Archive } from '../../../archive/archive.ts'
import { dropSafetyCopies, emptyTrash, lastPruned, undoPrune } from '../../../archive/prune/undo.ts'
import { findAmong } from '../../../catalog/find-session.ts'
import { type ExitKind, IonError } from '../../../platform/error.ts'
import { bytes, pluralize } from '../../../platform/format-count.ts'
import { toJsonText } from '../../../platform/json-text.ts'
import { plain } from '../../../platform/plain-text.ts'
import { sessionsByRun } from '../../../run/tasks.ts'
import { inTrash, type TrashEntry } from '../../../vault/trash.ts'
import type { Context } from '../../command.ts'
import { confirmAction, nameOf } from './confirm.ts'
import type { PruneOptions } from './run.ts'

/** Overwrites nothing, so it does not ask. */
export async function undo(
  ids: readonly string[],
  options: PruneOptions,
  { io, out, err }: Context,
): Promise<ExitKind> {
  const trash = inTrash(io)
  const chosen =
    ids.length > 0 ? [...new Set(ids.map((id) => findAmong(trash, id, () => notPruned(id))))] : lastPruned(trash)
  if (chosen.length === 0) {
    if (!options.json) out.write('no pruned sessions to restore\n')
    return 'ok'
  }
  if (options.dryRun) {
    for (const entry of chosen) {
      out.write(options.json ? jsonLine(entry, 'would restore') : `would restore ${nameOf(entry)}\n`)
    }
    return 'ok'
  }
  const archive = new Archive(io)
  try {
    const outcomes = undoPrune(chosen, io)
    for (const { entry, outcome, reason } of outcomes) {
      if (options.json) out.write(jsonLine(entry, outcome, reason))
      else if (outcome === 'restored') out.write(`restored ${nameOf(entry)}\n`)
      else err.write(`ion: ${outcome} ${nameOf(entry)}: ${plain(reason ?? '')}\n`)
    }
    const left = inTrash(io).length
    if (!options.json && left > 0) out.write(`${pluralize(left, 'more pruned session')} can be restored\n`)
    if (outcomes.some(({ outcome }) => outcome === 'failed')) return 'failed'
    return outcomes.some(({ outcome }) => outcome === 'refused') ? 'refused' : 'ok'
  } finally {
    archive.close()
  }
}

function notPruned(reference: string): IonError {
  return new IonError('not-found', `no pruned session matches "${reference}"`, {
    hint: 'ion prune --undo --dry-run lists the last ones; ion restore <id> restores any session that was captured',
  })
}

const NOTHING_TO_DELETE = 'no pruned session has an exact copy: nothing to delete'

/** Irreversible: afterwards the sessions can be read but not restored. */
export async function dropCopies(options: PruneOptions, context: Context): Promise<ExitKind> {
  const { io, out, err } = context
  const pruned = inTrash(io).filter(({ act }) => act === 'pruned')
  if (pruned.length === 0 && !options.yes) {
    if (!options.json) out.write(`${NOTHING_TO_DELETE}\n`)
    return 'ok'
  }
  if (!options.json && pruned.length > 0) {
    for (const entry of pruned) out.write(`${nameOf(entry)}, ${bytes(entry.bytes)}\n`)
    out.write(`${pluralize(pruned.length, 'pruned session')} with an exact copy\n`)
  }
  const question = `Delete the exact copies of ${pluralize(pruned.length, 'session')}? They stay readable but can no longer be restored.`
  const answer = await confirmAction(question, options, context)
  if (answer !== 'confirmed') {
    if (options.json) for (const entry of pruned) out.write(jsonLine(entry, 'would empty'))
    return answer
  }
  const archive = new Archive(io)
  try {
    const { outcomes, freed } = emptyTrash(pruned, io)
    const sessions = sessionsByRun(io)
    const safety = dropSafetyCopies((agent, run) => sessions.get(`${agent}/${run}`), io)
    for (const { entry, outcome, reason } of outcomes) {
      if (options.json) out.write(jsonLine(entry, outcome, reason))
      else if (outcome === 'back') out.write(`${nameOf(entry)} is in its agent's store again and keeps its copy\n`)
      else if (outcome !== 'emptied') err.write(`ion: ${nameOf(entry)} keeps its copy: ${plain(reason ?? '')}\n`)
    }
    if (!options.json) {
      const old = safety > 0 ? ` (${bytes(safety)} of old safety copies)` : ''
      const result = `freed ${bytes(freed + safety)}${old}; the readable archive is kept`
      out.write(`${pruned.length === 0 && safety === 0 ? NOTHING_TO_DELETE : result}\n`)
    }
    return outcomes.some(({ outcome }) => outcome === 'failed') ? 'failed' : 'ok'
  } finally {
    archive.close()
  }
}

function jsonLine({ id, agent, title, bytes: size }: TrashEntry, outcome: string, reason?: string): string {
  const line = { id, agent, title, bytes: size, outcome }
  return `${toJsonText(reason === undefined ? line : { ...line, reason })}\n`
}
