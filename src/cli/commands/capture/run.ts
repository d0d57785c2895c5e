import { agents } from '../../../agents/_registry.ts'
import { findAgent } from '../../../agents/find.ts'
import { Archive, type Captured, type CaptureOptions } from '../../../archive/archive.ts'
import type { CompressionResult } from '../../../archive/log-compression.ts'
import type { Catalog } from '../../../catalog/catalog.ts'
import type { Located } from '../../../catalog/read-session.ts'
import { type ExitKind, IonError, isDiskFull, messageOf } from '../../../platform/error.ts'
import { bytes, pluralize } from '../../../platform/format-count.ts'
import { toJsonText } from '../../../platform/json-text.ts'
import { plain } from '../../../platform/plain-text.ts'
import { writeHint } from '../../../platform/write-hint.ts'
import { Vault } from '../../../vault/vault.ts'
import type { Context, OptionsOf, Run } from '../../command.ts'
import type { capture } from '../../definitions/copies.ts'
import { progressLine } from '../../progress.ts'
import { findFresh, refreshed, withCatalog } from '../../with-catalog.ts'

export type CaptureCommandOptions = OptionsOf<typeof capture>

export const run: Run<typeof capture> = async ([references], options, context) => {
  const { all, verify, watch, agent } = options
  if (references.length > 0 && (all || watch || verify || agent.length > 0)) {
    throw new IonError('usage', '--all, --watch, --verify and --agent cannot be combined with ids', {
      hint: 'ion capture <id>, or ion capture --all --agent <id>',
    })
  }
  if (verify) return verifyCopies(options, context)
  if (watch) return (await import('./watch.ts')).watch(options, context)
  if (references.length === 0 && !all) {
    throw new IonError('usage', 'no session given', { hint: 'ion capture <id>, or ion capture --all' })
  }
  return withCatalog(context, (catalog) => captureAll(locate(catalog, references, options, context), options, context))
}

function locate(
  catalog: Catalog,
  references: readonly string[],
  options: CaptureCommandOptions,
  context: Context,
): Located[] {
  if (references.length) return references.map((reference) => catalog.locate(findFresh(catalog, reference, context)))
  const ids = options.agent.map((name) => findAgent(name).id)
  refreshed(catalog, context, { extent: 'full' })
  return catalog
    .sessions({ hidden: true, subAgents: true, ...(ids.length > 0 ? { agents: ids } : {}) })
    .map((row) => catalog.locate(row))
}

function captureAll(sessions: readonly Located[], options: CaptureCommandOptions, context: Context): ExitKind {
  const { io, out, err } = context
  // Sessions that exist only in the archive cannot be captured.
  const inStores = sessions.filter(({ reader }) => !reader.isArchive)
  const archive = new Archive(io)
  const progress = progressLine(context)
  const total = { sessions: 0, events: 0, unchanged: 0, readAgain: 0, failed: 0 }
  let compression: CompressionResult | undefined
  try {
    for (const [done, session] of inStores.entries()) {
      progress.onProgress({ phase: 'archiving', done, total: inStores.length })
      // Naming a session also repairs its copy.
      const captured = captureOne(archive, session, { force: !options.all })
      if ('error' in captured) total.failed++
      else if (captured.unchanged) total.unchanged++
      else {
        if (captured.added > 0) total.sessions++
        else total.readAgain++
        total.events += captured.added
      }
      const { id, agent } = session.head
      if (options.json) out.write(`${toJsonText({ id, agent, ...captured })}\n`)
      else if ('error' in captured) err.write(`ion: ${agent} ${id}: ${plain(captured.error)}\n`)
      else if (captured.uncopied !== undefined) {
        err.write(`ion: ${agent} ${id}: archived, but without an exact copy: ${plain(captured.uncopied)}\n`)
      }
    }
    if (options.all) {
      compression = archive.compressOld()
      if (total.sessions > 0) archive.sweep(agents)
    }
  } finally {
    progress.clear()
    archive.close()
  }
  if (!options.json) {
    const archived = `archived ${pluralize(total.events, 'new event')} of ${pluralize(total.sessions, 'session')}`
    const parts = [
      total.events > 0 ? archived : 'nothing new to archive',
      ...(total.unchanged ? [`${pluralize(total.unchanged, 'session')} unchanged`] : []),
      ...(total.readAgain ? [`${pluralize(total.readAgain, 'session')} read again, without new events`] : []),
      ...(total.failed ? [`${pluralize(total.failed, 'session')} failed`] : []),
    ]
    out.write(`${parts.join('; ')}\n`)
  }
  if (compression) reportCompression(compression, options.json, context)
  return total.failed ? 'failed' : 'ok'
}

/** A session that cannot be archived does not stop the others. A full disk does. */
export function captureOne(
  archive: Archive,
  { head, reader }: Located,
  how: CaptureOptions = {},
): Captured | { readonly error: string } {
  try {
    return archive.capture(reader, head, how)
  } catch (error) {
    if (isDiskFull(error)) {
      throw new IonError('failed', `the archive cannot be written: ${messageOf(error)}`, {
        cause: error,
        hint: `${writeHint(error, 'the archive')}, and run it again; what was archived is kept`,
      })
    }
    return { error: messageOf(error) }
  }
}

/** With `--json` only errors, since each object on stdout is a session. */
export function reportCompression(result: CompressionResult, json: boolean, { out, err }: Context): void {
  for (const problem of result.problems) err.write(`ion: not compressed: ${plain(problem)}\n`)
  if (json || result.logs === 0) return
  const sizes = `${bytes(result.before)} to ${bytes(result.after)}`
  const left = result.left > result.problems.length ? `; ${pluralize(result.left, 'more log')} next time` : ''
  out.write(`compressed ${pluralize(result.logs, 'old log')}: ${sizes}${left}\n`)
}

/** Reads every exact copy back and reports each that is damaged. */
function verifyCopies(options: CaptureCommandOptions, context: Context): ExitKind {
  const { io, out } = context
  const progress = progressLine(context)
  const total = { sessions: 0, bytes: 0, damaged: 0 }
  for (const copy of new Vault(io).verify(agents)) {
    progress.onProgress({ phase: 'reading copies', done: total.sessions, total: 0 })
    total.sessions++
    total.bytes += copy.bytes
    if (copy.problem !== undefined) total.damaged++
    if (options.json) out.write(`${toJsonText({ ...copy, problem: copy.problem ?? null })}\n`)
    else if (copy.problem !== undefined) {
      progress.clear()
      out.write(`${copy.agent} ${copy.id}: ${plain(copy.problem)}\n`)
    }
  }
  progress.clear()
  if (!options.json) {
    const result = total.damaged === 0 ? 'all intact' : `${total.damaged} damaged`
    out.write(`${pluralize(total.sessions, 'copy', 'copies')} of ${bytes(total.bytes)} read back: ${result}\n`)
  }
  return total.damaged ? 'failed' : 'ok'
}
