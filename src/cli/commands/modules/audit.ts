import { audit } from '../../../modules/audit.ts'
import type { Finding } from '../../../modules/finding.ts'
import { interruptedMigration } from '../../../modules/migrate.ts'
import { type ExitKind, IonError } from '../../../platform/error.ts'
import { tilde } from '../../../platform/home.ts'
import { palette } from '../../colour.ts'
import type { Context, Options } from '../../command.ts'
import { roomOf } from '../../output-width.ts'
import { pluralize } from '../../pluralize.ts'
import { type Column, table } from '../../table.ts'
import { ago, bytes, oneLine } from '../../text.ts'

export function showAudit(names: readonly string[], options: Options, context: Context): ExitKind {
  if (names.length > 0) throw new IonError('usage', 'audit takes no names', { hint: 'ion modules audit' })
  const { io, out, err } = context
  const findings = audit(io)
  if (options.json) for (const finding of findings) out.write(`${JSON.stringify(finding)}\n`)
  else if (findings.length > 0) out.write(`${auditTable(findings, context).join('\n')}\n`)
  if (!options.json) err.write(`${palette(err).faint(summaryOf(findings))}\n`)
  for (const { name } of interruptedMigration(io)) {
    err.write(`the move of ${oneLine(name)} was cut off; "ion modules migrate" puts it right\n`)
  }
  return 'ok'
}

function auditTable(findings: readonly Finding[], { io, out }: Context): string[] {
  const colours = palette(out)
  const columns: Column<Finding>[] = [
    { title: 'name', value: (row) => oneLine(row.name), paint: colours.accent, shrinkTo: 12 },
    {
      title: 'lasts',
      value: (row) => row.survives,
      paint: (text, row) => (row.survives === 'yes' ? text : colours.warn(text)),
    },
    { title: 'size', value: (row) => bytes(row.bytes), align: 'right', dropOrder: 1 },
    { title: 'written', value: (row) => ago(row.updated_at, io.now()), align: 'right', dropOrder: 2 },
    {
      title: 'migrate',
      value: (row) => (row.action === 'none' ? '-' : row.action),
      paint: (text, row) => (row.action === 'refuse' ? colours.bad(text) : text),
    },
    { title: 'path', value: (row) => oneLine(tilde(row.path, io)), shrinkTo: 16 },
    // Whole sentences need room; without it "ion modules migrate --dry-run" tells them.
    { title: 'why', value: (row) => oneLine(row.reason), paint: colours.faint, shrinkTo: 30, dropOrder: 3 },
  ]
  return table(columns, findings, roomOf({ io, out }, 160), colours)
}

function summaryOf(findings: readonly Finding[]): string {
  if (findings.length === 0) return 'no module keeps data here'
  const movable = findings.filter(({ action }) => action === 'move').length
  const lost = findings.filter(({ survives, link }) => link === null && /^(?:no|orphaned)$/.test(survives)).length
  const next = movable === 0 ? '' : `; "ion modules migrate" would move ${movable}`
  return `${pluralize(findings.length, 'place')}, ${lost} of them lost to their module at a restart${next}`
}
