import { agents } from '../../../agents/_registry.ts'
import { findAgent } from '../../../agents/find.ts'
import { Archive, type Captured, type CaptureOptions } from '../../../archive/archive.ts'
import type { CompressionResult } from '../../../archive/compress-old-logs.ts'
import type { Catalog } from '../../../catalog/catalog.ts'
import { type Located, storeAgent } from '../../../catalog/read-session.ts'
import { type ExitKind, IonError, isDiskFull, messageOf } from '../../../platform/error.ts'
import { plain } from '../../../platform/plain-text.ts'
import type { Context, Options } from '../../command.ts'
import { findFresh } from '../../find-session.ts'
import { pluralize } from '../../pluralize.ts'
import { progressLine } from '../../progress.ts'
import { refreshed, withCatalog } from '../../with-catalog.ts'
import { tellCooled } from './report-compression.ts'
import { verify } from './verify.ts'

export async function run(args: readonly unknown[], options: Options, context: Context): Promise<ExitKind> {
  const references = (args[0] as readonly string[] | undefined) ?? []
  if (references.length > 0 && (options.all || options.watch || options.verify || options.agent)) {
    throw new IonError('usage', 'ids stand alone', { hint: 'ion capture <id>, or ion capture --all --agent <id>' })
  }
  if (options.verify) return verify(options, context)
  if (options.watch) {
    const { watch } = await import('./watch.ts')
    return watch(options, context)
  }
  if (references.length === 0 && options.all !== true) {
    throw new IonError('usage', 'which sessions?', { hint: 'ion capture <id>, or ion capture --all' })
  }
  return withCatalog(context, (catalog) => captureAll(located(catalog, references, options, context), options, context))
}

function located(catalog: Catalog, references: readonly string[], options: Options, context: Context): Located[] {
  if (references.length) return references.map((reference) => catalog.locate(findFresh(catalog, reference, context)))
  const named = (options.agent as readonly string[] | undefined)?.map((name) => findAgent(name).id)
  refreshed(catalog, context, { extent: 'full' })
  return catalog
    .sessions({ hidden: true, subAgents: true, ...(named ? { agents: named } : {}) })
    .map((row) => catalog.locate(row))
}

/** Sessions that are only in the archive have nothing to be captured from. */
function captureAll(sessions: readonly Located[], options: Options, context: Context): ExitKind {
  const { io, out, err } = context
  const own = sessions.filter((session) => !storeAgent(session).isArchive)
  const archive = new Archive(io)
  const progress = progressLine(context)
  const total = { sessions: 0, events: 0, unchanged: 0, failed: 0 }
  let cooled: CompressionResult | undefined
  try {
    for (const [done, session] of own.entries()) {
      progress.onProgress({ phase: 'archiving', done, total: own.length })
      // Who names a session wants its copy to be good.
      const captured = captureOne(archive, session, { anew: options.all !== true })
      if ('error' in captured) total.failed++
      else if (captured.unchanged) total.unchanged++
      else {
        total.sessions += captured.added > 0 ? 1 : 0
        total.events += captured.added
      }
      const { id, agent } = session.head
      if (options.json) out.write(`${JSON.stringify({ id, agent, ...captured })}\n`)
      else if ('error' in captured) err.write(`ion: ${agent} ${id}: ${plain(captured.error)}\n`)
      else if (captured.uncopied !== undefined) {
        err.write(`ion: ${agent} ${id}: archived, but without an exact copy: ${plain(captured.uncopied)}\n`)
      }
    }
    if (options.all) {
      cooled = archive.cool()
      if (total.sessions > 0) archive.sweep(agents)
    }
  } finally {
    progress.clear()
    archive.close()
  }
  if (!options.json) {
    const skipped = total.unchanged ? `, ${total.unchanged} unchanged` : ''
    out.write(`archived ${pluralize(total.events, 'new event')} of ${pluralize(total.sessions, 'session')}${skipped}\n`)
  }
  if (cooled) tellCooled(cooled, options, context)
  return total.failed ? 'failed' : 'ok'
}

/** One session that cannot be archived does not keep the others from it. A full disk does. */
function captureOne(
  archive: Archive,
  { head, store }: Located,
  how: CaptureOptions,
): Captured | { readonly error: string } {
  try {
    return archive.capture(storeAgent({ head, store }), head, how)
  } catch (error) {
    if (isDiskFull(error)) {
      throw new IonError('failed', `the archive cannot be written: ${messageOf(error)}`, {
        cause: error,
        hint: 'make room, and start it again; what was archived stays',
      })
    }
    return { error: messageOf(error) }
  }
}
