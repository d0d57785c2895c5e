import type { Catalog, RefreshOptions, RefreshReport } from '../catalog/catalog.ts'
import { openCatalog } from '../catalog/open.ts'
import { formatCount } from '../platform/format-count.ts'
import { plain } from '../platform/plain-text.ts'
import { palette } from './colour.ts'
import type { Context } from './command.ts'
import { progressLine } from './progress.ts'
import { ago } from './text.ts'

/** Opens the catalogue for the time of `body`; a notice of its own goes to stderr. */
export async function withCatalog<T>(context: Context, body: (catalog: Catalog) => T | Promise<T>): Promise<T> {
  const { io, err } = context
  const catalog = openCatalog(io, (line) => err.write(`${palette(err).faint(`ion: ${plain(line)}`)}\n`))
  try {
    return await body(catalog)
  } finally {
    catalog.close()
  }
}

/** Brings the catalogue up to date, with a progress line where that takes long. */
export function refreshed(catalog: Catalog, context: Context, options: RefreshOptions = {}): RefreshReport {
  const progress = progressLine(context)
  try {
    return catalog.refresh({ ...options, onProgress: progress.onProgress })
  } finally {
    progress.clear()
  }
}

/** What is not known for certain about an answer, for stderr; nothing when all was compared just now. */
export function freshnessNotice({ freshness }: RefreshReport, { io }: Context): string | undefined {
  const { checked, known, fullCheckAt } = freshness
  if (checked >= known) return undefined
  const age = fullCheckAt === null ? 'never' : ago(fullCheckAt, io.now())
  const since = age === 'never' ? age : age === 'now' ? 'a moment ago' : `${age} ago`
  return `checked now: all folders and the ${formatCount(checked)} newest of ${formatCount(known)} files; all of them ${since} (ion reindex checks all)`
}
