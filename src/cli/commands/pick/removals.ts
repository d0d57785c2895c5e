import { Archive } from '../../../archive/archive.ts'
import { pruneEach } from '../../../archive/prune/prune.ts'
import { isInterrupted, undoPrune } from '../../../archive/prune/undo.ts'
import type { Catalog } from '../../../catalog/catalog.ts'
import type { SessionRow } from '../../../catalog/session-row.ts'
import { bytes, pluralize } from '../../../platform/format-count.ts'
import type { Io } from '../../../platform/io.ts'
import { inTrash } from '../../../vault/trash.ts'
import type { Removal } from '../../picker/dialog.ts'
import type { Performed } from '../../picker/pick.ts'
import { keyOf } from '../../picker/state.ts'
import { type Prunable, prunableSessions } from '../prune/prunable.ts'

interface Plan extends Pick<Removal, 'kept'> {
  readonly candidates: readonly Prunable[]
}

/** Removes sessions as `ion prune` does, with the same checks, and remembers them for undo. */
export class Removals {
  readonly #catalog: Catalog
  readonly #io: Io
  /** The sessions of each removal, by their keys. */
  readonly #done: ReadonlySet<string>[] = []

  constructor(catalog: Catalog, io: Io) {
    this.#catalog = catalog
    this.#io = io
  }

  /** What is to be asked for. Without a session there may still be something to undo. */
  plan(rows: readonly SessionRow[]): Performed {
    const canUndo = this.#done.length > 0
    if (rows.length === 0 && !canUndo) return { notice: 'no session is selected' }
    const { candidates, kept } = this.#examine(rows)
    const removed = candidates.map(({ row, bytes, group }) => ({ row, bytes, subAgents: group().subAgents.length }))
    return { removal: { removed, kept, canUndo } }
  }

  /** What was planned is examined again: the question may have been open for long. */
  remove(rows: readonly SessionRow[]): Performed {
    const { candidates, kept } = this.#examine(rows)
    const reasons = kept.map(({ reason }) => reason)
    const removed: Prunable[] = []
    const archive = new Archive(this.#io)
    try {
      for (const { candidate, keptBecause } of pruneEach(archive, candidates, this.#io)) {
        if (keptBecause === undefined) removed.push(candidate)
        else reasons.push(keptBecause)
      }
    } finally {
      archive.close()
      if (removed.length > 0) this.#done.push(new Set(removed.map(({ row }) => keyOf(row))))
    }
    const size = bytes(removed.reduce((sum, one) => sum + one.bytes, 0))
    const parts = [
      ...(removed.length > 0 ? [`removed ${pluralize(removed.length, 'session')} (${size}); ctrl-x u restores`] : []),
      ...(reasons.length > 0 ? [`kept ${pluralize(reasons.length, 'session')}: ${reasons[0]}`] : []),
    ]
    return { notice: parts.join('; '), isIndexOld: removed.length > 0 }
  }

  /** Restores what was removed last. */
  undo(): Performed {
    const keys = this.#done.pop() ?? new Set()
    const trash = inTrash(this.#io)
    const runs = new Set(trash.filter(({ agent, id }) => keys.has(`${agent}:${id}`)).map(({ run }) => run))
    const archive = new Archive(this.#io)
    try {
      const outcomes = undoPrune(
        trash.filter(({ run }) => runs.has(run)),
        this.#io,
      )
      const failed = outcomes.filter(({ outcome }) => outcome !== 'restored')
      const restored = `restored ${pluralize(outcomes.length - failed.length, 'session')}`
      return {
        notice: failed.length > 0 ? `${restored}; ${failed[0]!.entry.id}: ${failed[0]!.reason}` : restored,
        isIndexOld: true,
      }
    } finally {
      archive.close()
    }
  }

  #examine(rows: readonly SessionRow[]): Plan {
    if (rows.length === 0) return { candidates: [], kept: [] }
    // It may have been used since the list was loaded.
    this.#catalog.refresh({ paths: rows.map(({ path }) => path) })
    const all = prunableSessions(this.#catalog, [...new Set(rows.map(({ agent }) => agent))], this.#io)
    const byKey = new Map(all.map((candidate) => [keyOf(candidate.row), candidate]))
    const interrupted = new Set(
      inTrash(this.#io)
        .filter(isInterrupted)
        .map(({ agent, id }) => `${agent}:${id}`),
    )
    const candidates: Prunable[] = []
    const kept: { row: SessionRow; reason: string }[] = []
    for (const row of rows) {
      const candidate = byKey.get(keyOf(row))
      const reason = interrupted.has(keyOf(row))
        ? 'its last removal was interrupted: ion prune --undo'
        : candidate
          ? candidate.keepReason()
          : whyNotPrunable(row)
      if (candidate && reason === undefined) candidates.push(candidate)
      else kept.push({ row, reason: reason ?? '' })
    }
    return { candidates, kept }
  }
}

function whyNotPrunable({ only_in_archive, parent_session }: SessionRow): string {
  if (only_in_archive) return "it is only in Ion's archive"
  return parent_session === null ? "it is no longer in its agent's store" : 'it belongs to the session that started it'
}
