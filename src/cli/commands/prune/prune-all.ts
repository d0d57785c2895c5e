import { randomUUID } from 'node:crypto'
import { Archive } from '../../../archive/archive.ts'
import { pruneSession } from '../../../archive/prune/prune.ts'
import { type Choice, choosePruned } from '../../../archive/prune/prune-choice.ts'
import { undoPrune } from '../../../archive/prune/prune-undo.ts'
import type { Catalog } from '../../../catalog/catalog.ts'
import { type ExitKind, IonError, isDiskFull, messageOf } from '../../../platform/error.ts'
import { plain } from '../../../platform/plain-text.ts'
import { inTrash } from '../../../vault/trash.ts'
import { palette } from '../../colour.ts'
import type { Context, Options } from '../../command.ts'
import { roomOf } from '../../output-width.ts'
import { pluralize } from '../../pluralize.ts'
import { progressLine } from '../../progress.ts'
import { shortIds, shownIds } from '../../short-id.ts'
import { type Column, table } from '../../table.ts'
import { ago, bytes, oneLine } from '../../text.ts'
import { refreshed, withCatalog } from '../../with-catalog.ts'
import { candidates, type Prunable } from './candidates.ts'
import { confirmAction } from './confirm.ts'
import { ruleOf } from './rule.ts'

export async function pruneAll(options: Options, context: Context): Promise<ExitKind> {
  const rule = ruleOf(options, context.io)
  return withCatalog(context, async (catalog) => {
    const { io, out, err } = context
    refreshed(catalog, context, { extent: 'full' })
    const choice = choosePruned(candidates(catalog, options, io), rule)
    const cutOff = inTrash(io).filter(({ act }) => act === 'pruning').length
    if (cutOff > 0)
      err.write(`ion: the last prune was killed within ${pluralize(cutOff, 'session')}; put right first\n`)
    if (choice.go.length === 0 && cutOff === 0) {
      tellStaying(choice, options, context)
      if (!options.json) out.write('nothing to prune\n')
      return 'ok'
    }
    if (!options.json) show(choice, context)
    tellStaying(choice, options, context)
    const question = `Archive and remove ${pluralize(choice.go.length, 'session')}?`
    if (!(await confirmAction(question, options, context))) {
      if (options.json) for (const one of choice.go) out.write(`${JSON.stringify(lineOf(one, 'would prune'))}\n`)
      return 'ok'
    }
    return act(catalog, choice, rule, options, context)
  })
}

function act(
  catalog: Catalog,
  first: Choice<Prunable>,
  rule: ReturnType<typeof ruleOf>,
  options: Options,
  context: Context,
): ExitKind {
  const { io, out, err } = context
  const archive = new Archive(io)
  const progress = progressLine(context)
  const total = { sessions: 0, bytes: 0, inDatabase: 0, stay: 0 }
  try {
    const choice = afterFinishing(catalog, options, context)
      ? choosePruned(candidates(catalog, options, io), rule)
      : first
    const run = randomUUID()
    const nameOf = namesFor(choice.go)
    for (const [done, one] of choice.go.entries()) {
      progress.onProgress({ phase: 'pruning', done, total: choice.go.length })
      const pruned = pruneSession(archive, one.family(), run, io)
      if (pruned.stays === undefined) {
        total.sessions++
        total.bytes += pruned.bytes
        total.inDatabase += pruned.inDatabase ? 1 : 0
      } else total.stay++
      const outcome = pruned.stays === undefined ? 'pruned' : 'stays'
      progress.clear()
      if (options.json) out.write(`${JSON.stringify(lineOf(one, outcome, pruned.stays))}\n`)
      else if (pruned.stays !== undefined) err.write(`ion: ${nameOf(one)} stays: ${plain(pruned.stays)}\n`)
    }
  } catch (error) {
    if (!isDiskFull(error)) throw error
    throw new IonError('failed', `the archive cannot be written: ${messageOf(error)}`, {
      cause: error,
      hint: 'nothing more was removed; make room elsewhere first, and start it again',
    })
  } finally {
    progress.clear()
    archive.close()
  }
  if (!options.json) {
    out.write(`pruned ${pluralize(total.sessions, 'session')}, ${bytes(total.bytes)}; all of it is in Ion's archive\n`)
    if (total.inDatabase > 0) {
      out.write('The databases keep their size until the agents use the free pages again.\n')
    }
    if (total.sessions > 0) out.write('ion prune --undo puts it back; ion prune --empty-trash drops the exact copies\n')
  }
  return total.stay > 0 ? 'refused' : 'ok'
}

/** What was killed while it was removed is put back first, whole; then the rule decides about it again. */
function afterFinishing(catalog: Catalog, options: Options, context: Context): boolean {
  const { io, err } = context
  const cutOff = inTrash(io).filter(({ act: last }) => last === 'pruning')
  if (cutOff.length === 0) return false
  for (const { entry, outcome, reason } of undoPrune(cutOff, io)) {
    if (outcome !== 'restored' && !options.json) err.write(`ion: ${entry.agent} ${entry.id}: ${plain(reason ?? '')}\n`)
  }
  refreshed(catalog, context, { extent: 'full' })
  return true
}

function lineOf({ id, agent, row, bytes: size, updated_at }: Prunable, outcome: string, reason?: string): object {
  const { title, project } = row
  return { id, agent, title, project, updated_at, bytes: size, outcome, ...(reason === undefined ? {} : { reason }) }
}

/** With an id that is no other's. */
function namesFor(all: readonly Prunable[]): (one: Prunable) => string {
  const short = shortIds(all.map(({ id }) => id))
  return ({ agent, id, row }) => `${agent} ${short.get(id)} (${oneLine(row.title ?? 'untitled')})`
}

function show({ go, left }: Choice<Prunable>, { io, out }: Context): void {
  const colours = palette(out)
  const shown = shownIds(
    go.map(({ id }) => id),
    out,
  )
  const columns: Column<Prunable>[] = [
    { title: 'agent', value: (one) => one.agent, paint: colours.accent, dropOrder: 1 },
    { title: 'id', value: (one) => shown(one.id), paint: colours.faint },
    { title: 'age', value: (one) => ago(one.updated_at, io.now()), align: 'right' },
    { title: 'size', value: (one) => bytes(one.bytes), align: 'right' },
    { title: 'title', value: (one) => oneLine(one.row.title ?? '') || '-', shrinkTo: 16 },
  ]
  const room = roomOf({ io, out })
  if (go.length > 0) out.write(`${table(columns, go, room, colours).join('\n')}\n`)
  const size = go.reduce((sum, one) => sum + one.bytes, 0)
  out.write(`${pluralize(go.length, 'session')}, ${bytes(size)}; the others take ${bytes(left)}\n`)
}

/** With `--json` as objects too, so that a program knows why something stays. */
function tellStaying({ stay }: Choice<Prunable>, options: Options, { out, err }: Context): void {
  const nameOf = namesFor(stay.map(({ one }) => one))
  for (const { one, reason } of stay) {
    if (options.json) out.write(`${JSON.stringify(lineOf(one, 'stays', reason))}\n`)
    else err.write(`${palette(err).faint(`${nameOf(one)} stays: ${oneLine(reason)}`)}\n`)
  }
}
