import { findAgent } from '../../../agents/find.ts'
import { Archive } from '../../../archive/archive.ts'
import { pruneEach } from '../../../archive/prune/prune.ts'
import { type PruneRule, type PruneSelection, parsePruneRule, selectForPruning } from '../../../archive/prune/rule.ts'
import { isInterrupted, undoPrune } from '../../../archive/prune/undo.ts'
import type { Catalog } from '../../../catalog/catalog.ts'
import { namedProject } from '../../../config/project-alias.ts'
import { type ExitKind, IonError } from '../../../platform/error.ts'
import { bytes, pluralize } from '../../../platform/format-count.ts'
import { toJsonText } from '../../../platform/json-text.ts'
import { plain } from '../../../platform/plain-text.ts'
import { isWithin } from '../../../platform/project.ts'
import { inTrash } from '../../../vault/trash.ts'
import { palette } from '../../colour.ts'
import type { Context, OptionsOf, Run } from '../../command.ts'
import type { prune as definition } from '../../definitions/copies.ts'
import { progressLine } from '../../progress.ts'
import { shownIds } from '../../short-id.ts'
import { type Column, table } from '../../table.ts'
import { outputWidth } from '../../terminal.ts'
import { ago, oneLine } from '../../text.ts'
import { refreshed, withCatalog } from '../../with-catalog.ts'
import { confirmAction, nameOf } from './confirm.ts'
import { type Prunable, prunableSessions } from './prunable.ts'
import { dropCopies, undo } from './undo.ts'

export type PruneOptions = OptionsOf<typeof definition>

export const run: Run<typeof definition> = async ([ids], options, context) => {
  const { olderThan, keep, maxSize, agent, project } = options
  if (options.undo && options.emptyTrash) throw exclusive('--undo', '--empty-trash')
  if (options.dryRun && options.yes) throw exclusive('--dry-run', '--yes')
  const hasRule = agent.length > 0 || [olderThan, keep, maxSize, project].some((value) => value !== undefined)
  if ((options.undo || options.emptyTrash) && hasRule) {
    throw new IonError('usage', 'pruning rules cannot be combined with --undo or --empty-trash', {
      hint: 'ion prune --undo <id>…, or ion prune --empty-trash',
    })
  }
  if (ids.length > 0 && !options.undo) {
    throw new IonError('usage', 'ids can only be given with --undo', { hint: 'ion prune --undo <id>…' })
  }
  if (options.undo) return undo(ids, options, context)
  return options.emptyTrash ? dropCopies(options, context) : prune(options, context)
}

function exclusive(one: string, other: string): IonError {
  return new IonError('usage', `${one} and ${other} exclude each other`, { hint: 'give one of them' })
}

async function prune(options: PruneOptions, context: Context): Promise<ExitKind> {
  const { io, out, err } = context
  const rule = parsePruneRule(options, io.now())
  return withCatalog(context, async (catalog) => {
    refreshed(catalog, context, { extent: 'full' })
    const selection = selectForPruning(candidates(catalog, options, context), rule)
    const interrupted = inTrash(io).filter(isInterrupted).length
    if (interrupted > 0) {
      err.write(`ion: the last prune was interrupted; recovering ${pluralize(interrupted, 'session')} first\n`)
    }
    if (selection.selected.length === 0 && interrupted === 0) {
      reportKept(selection, options, context)
      if (!options.json) out.write('nothing to prune\n')
      return 'ok'
    }
    if (!options.json) showSelection(catalog, selection, options, context)
    reportKept(selection, options, context)
    const question = `Archive and remove ${pluralize(selection.selected.length, 'session')}?`
    const answer = await confirmAction(question, options, context)
    if (answer !== 'confirmed') {
      if (options.json) for (const one of selection.selected) out.write(jsonLine(one, 'would prune'))
      return answer
    }
    return pruneSelected(catalog, selection, rule, options, context)
  })
}

function candidates(catalog: Catalog, options: PruneOptions, { io, config }: Context): Prunable[] {
  const all = prunableSessions(
    catalog,
    options.agent.map((name) => findAgent(name).id),
    io,
  )
  if (options.project === undefined) return all
  const project = namedProject(options.project, config, io)
  return all.filter(({ row }) => isWithin(row.project, project))
}

function pruneSelected(
  catalog: Catalog,
  confirmed: PruneSelection<Prunable>,
  rule: PruneRule,
  options: PruneOptions,
  context: Context,
): ExitKind {
  const { io, out, err } = context
  const archive = new Archive(io)
  const progress = progressLine(context)
  const total = { sessions: 0, bytes: 0, inDatabase: 0, kept: 0 }
  try {
    const { selected } = recoverInterrupted(catalog, options, context)
      ? selectForPruning(candidates(catalog, options, context), rule)
      : confirmed
    let done = 0
    progress.onProgress({ phase: 'pruning', done, total: selected.length })
    for (const { candidate, keptBecause, ...pruned } of pruneEach(archive, selected, io)) {
      progress.clear()
      if (keptBecause === undefined) {
        total.sessions++
        // As it was listed before: its copy may have more or less bytes.
        total.bytes += candidate.bytes
        total.inDatabase += pruned.inDatabase ? 1 : 0
        if (options.json) out.write(jsonLine(candidate, 'pruned'))
      } else {
        total.kept++
        if (options.json) out.write(jsonLine(candidate, 'stays', keptBecause))
        else err.write(`ion: ${nameOf(candidate.row)} kept: ${plain(keptBecause)}\n`)
      }
      progress.onProgress({ phase: 'pruning', done: ++done, total: selected.length })
    }
  } finally {
    progress.clear()
    archive.close()
  }
  if (!options.json) {
    out.write(`pruned ${pluralize(total.sessions, 'session')}, ${bytes(total.bytes)}; all of it is in Ion's archive\n`)
    if (total.inDatabase > 0) out.write('Databases keep their size until the agents reuse the free pages.\n')
    if (total.sessions > 0) {
      out.write('ion prune --undo restores it; ion prune --empty-trash deletes the exact copies\n')
    }
  }
  return total.kept > 0 ? 'refused' : 'ok'
}

/** Restores sessions whose removal was interrupted; the rule then decides about them again. False when there were none. */
function recoverInterrupted(catalog: Catalog, options: PruneOptions, context: Context): boolean {
  const { io, err } = context
  const interrupted = inTrash(io).filter(isInterrupted)
  if (interrupted.length === 0) return false
  for (const { entry, outcome, reason } of undoPrune(interrupted, io)) {
    if (outcome !== 'restored' && !options.json) err.write(`ion: ${entry.agent} ${entry.id}: ${plain(reason ?? '')}\n`)
  }
  refreshed(catalog, context, { extent: 'full' })
  return true
}

function jsonLine({ id, agent, row, bytes: size, updated_at }: Prunable, outcome: string, reason?: string): string {
  const { title, project } = row
  const line = { id, agent, title, project, updated_at, bytes: size, outcome }
  return `${toJsonText(reason === undefined ? line : { ...line, reason })}\n`
}

function showSelection(
  catalog: Catalog,
  { selected, remainingBytes }: PruneSelection<Prunable>,
  { dryRun }: PruneOptions,
  { io, out }: Context,
): void {
  const colours = palette(out)
  const columns: Column<Prunable>[] = [
    { title: 'agent', value: (one) => one.agent, paint: colours.accent, dropOrder: 1 },
    { title: 'id', value: shownIds(selected, catalog, out), paint: colours.faint },
    { title: 'age', value: (one) => ago(one.updated_at, io.now()), align: 'right' },
    { title: 'size', value: (one) => bytes(one.bytes), align: 'right' },
    { title: 'title', value: (one) => oneLine(one.row.title ?? '') || '-', shrinkTo: 16 },
  ]
  if (selected.length > 0) out.write(`${table(columns, selected, outputWidth({ io, out }), colours).join('\n')}\n`)
  const size = selected.reduce((sum, one) => sum + one.bytes, 0)
  const what = `${pluralize(selected.length, 'session')} (${bytes(size)})`
  const others = remainingBytes > 0 ? `; the other sessions take ${bytes(remainingBytes)}` : ''
  out.write(`${dryRun ? 'would remove' : 'to remove:'} ${what}${others}\n`)
}

/** With `--json` too, so that a program knows why a session was kept. */
function reportKept({ kept }: PruneSelection<Prunable>, options: PruneOptions, { out, err }: Context): void {
  for (const { candidate, reason } of kept) {
    if (options.json) out.write(jsonLine(candidate, 'stays', reason))
    else err.write(`${palette(err).faint(`${nameOf(candidate.row)} kept: ${oneLine(reason)}`)}\n`)
  }
}
