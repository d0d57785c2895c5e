import { Archive } from '../../../archive/archive.ts'
import { dropSafetyCopies, emptyTrash } from '../../../archive/prune/prune-undo.ts'
import { sessionId } from '../../../events/id.ts'
import type { ExitKind } from '../../../platform/error.ts'
import type { Io } from '../../../platform/io.ts'
import { plain } from '../../../platform/plain-text.ts'
import { knownTasks } from '../../../run/tasks.ts'
import { inTrash } from '../../../vault/trash.ts'
import type { Context, Options } from '../../command.ts'
import { pluralize } from '../../pluralize.ts'
import { bytes } from '../../text.ts'
import { confirmAction } from './confirm.ts'
import { lineOf, namesFor } from './undo.ts'

/** For good: what was pruned can be read after it, but not put back. */
export async function emptyAll(options: Options, context: Context): Promise<ExitKind> {
  const { io, out, err } = context
  const trash = inTrash(io).filter(({ act }) => act === 'pruned')
  const nameOf = namesFor(trash)
  if (!options.json) {
    for (const entry of trash) out.write(`${nameOf(entry)}, ${bytes(entry.bytes)}\n`)
    out.write(trash.length > 0 ? `${pluralize(trash.length, 'session')} in the trash\n` : 'nothing is in the trash\n')
  }
  const question = `Drop the exact copies of ${pluralize(trash.length, 'session')}? They can be read after it, but not put back.`
  if (!(await confirmAction(question, options, context))) {
    if (options.json) for (const entry of trash) out.write(`${lineOf(entry, 'would empty')}\n`)
    return 'ok'
  }
  const archive = new Archive(io)
  try {
    const { outcomes, freed } = emptyTrash(trash, io)
    const safety = dropSafetyCopies(sessionsOfRuns(io), io)
    for (const { entry, outcome, reason } of outcomes) {
      if (options.json) out.write(`${lineOf(entry, outcome, reason)}\n`)
      else if (outcome === 'back') out.write(`${nameOf(entry)} is there again, and keeps its copy\n`)
      else if (outcome !== 'emptied') err.write(`ion: ${nameOf(entry)} stays in the trash: ${plain(reason ?? '')}\n`)
    }
    if (!options.json) {
      const old = safety > 0 ? `, ${bytes(safety)} of them old safety copies` : ''
      out.write(`freed ${bytes(freed + safety)}${old}; the readable archive stays\n`)
    }
    return outcomes.some(({ outcome }) => outcome === 'failed') ? 'failed' : 'ok'
  } finally {
    archive.close()
  }
}

/** The session of a run, from the ledgers of the tasks. */
function sessionsOfRuns(io: Io): (agent: string, run: string) => string | undefined {
  const known = new Map<string, string>()
  for (const { task, state } of knownTasks(io)) {
    for (const { run, session } of state.runs) known.set(`${task.agent}/${run}`, sessionId(task.agent, session))
  }
  return (agent, run) => known.get(`${agent}/${run}`)
}
