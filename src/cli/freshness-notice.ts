import type { RefreshReport } from '../catalog/catalog.ts'
import { formatCount } from '../platform/format-count.ts'
import type { Context } from './command.ts'
import { ago } from './text.ts'

/** For stderr, if only a part of the files was checked for changes. */
export function freshnessNotice({ freshness }: Pick<RefreshReport, 'freshness'>, { io }: Context): string | undefined {
  const { checked, known, fullCheckAt } = freshness
  if (checked >= known) return undefined
  const age = ago(fullCheckAt, io.now())
  const since = fullCheckAt === null ? 'never' : age === 'now' ? 'a moment ago' : `${age} ago`
  return `checked for changes: all folders, and the newest and a few other files (${formatCount(checked)} of ${formatCount(known)}); all files ${since} (ion reindex checks all)`
}
