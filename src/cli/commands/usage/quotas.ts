import { findAgent } from '../../../agents/find.ts'
import type { Quota } from '../../../agents/quota.ts'
import type { ExitKind } from '../../../platform/error.ts'
import { toJsonText } from '../../../platform/json-text.ts'
import { quotas as storedQuotas } from '../../../usage/quotas.ts'
import { barTable, glyphsFor } from '../../bars.ts'
import { palette } from '../../colour.ts'
import type { Context } from '../../command.ts'
import { withDocPaths } from '../../doc-paths.ts'
import type { Column } from '../../table.ts'
import { ago, oneLine } from '../../text.ts'

/** `ion usage quotas`: limits of vendors, as agents have stored them. */
export async function quotas(names: readonly string[], json: boolean, { io, out, err }: Context): Promise<ExitKind> {
  const chosen = names.map((name) => findAgent(name).id)
  const found = storedQuotas(io).filter(({ agent }) => chosen.length === 0 || chosen.includes(agent))
  if (json) for (const quota of found) out.write(`${toJsonText({ kind: 'quota', ...quota })}\n`)
  else if (found.length > 0) {
    const columns: Column<Quota>[] = [
      { title: 'agent', value: ({ agent }) => findAgent(agent).title },
      { title: 'window', value: ({ label }) => oneLine(label) },
      { title: 'used', value: ({ used_percent }) => `${Math.round(used_percent)}%`, align: 'right' },
      { title: 'resets', value: ({ resets_at }) => (resets_at === null ? '' : `in ${until(resets_at, io.now())}`) },
      { title: 'seen', value: ({ seen_at }) => seenText(seen_at, io.now()) },
    ]
    const measureOf = ({ used_percent }: Quota) => ({ total: 100, solid: used_percent })
    out.write(`${barTable(columns, found, measureOf, out.columns, glyphsFor(out), palette(out)).join('\n')}\n`)
  } else {
    err.write('no agent has stored a limit that still applies\n')
    const where = withDocPaths('docs/usage.md')
    err.write(`  -> some store them while they run; others pass them to a statusline hook: ${where}\n`)
  }
  return 'ok'
}

function seenText(seenAt: string, now: Date): string {
  const age = ago(seenAt, now)
  return age === 'now' ? 'now' : `${age} ago`
}

function until(time: string, now: Date): string {
  const minutes = Math.max(0, Math.round((Date.parse(time) - now.getTime()) / 60_000))
  if (minutes < 60) return `${minutes}m`
  if (minutes < 48 * 60) return `${Math.floor(minutes / 60)}h ${minutes % 60}m`
  return `${Math.round(minutes / 1440)}d`
}
