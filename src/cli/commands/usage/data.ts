import { toJsonText } from '../../../platform/json-text.ts'
import type { UsageReport, UsageRow, UsageSums } from '../../../usage/report.ts'

/** One object per row, then the total with everything that belongs to the report as a whole. */
export function jsonLines({ rows, ...report }: UsageReport): string[] {
  const { by } = report
  return [
    ...rows.map((row) => ({ kind: by, ...row })),
    { kind: 'total', ...report.total, ...report, total: undefined },
  ].map((line) => `${toJsonText(line)}\n`)
}

const sumColumns = [
  ['calls', ({ calls }) => calls],
  ['input', ({ tokens }) => tokens.input],
  ['output', ({ tokens }) => tokens.output],
  ['cache_read', ({ tokens }) => tokens.cache_read],
  ['cache_write', ({ tokens }) => tokens.cache_write],
  ['cache_write_1h', ({ tokens }) => tokens.cache_write_1h],
  ['reasoning', ({ tokens }) => tokens.reasoning],
  ['cost_micro_usd', ({ cost }) => cost],
  ['unpriced_tokens', ({ unpriced_tokens }) => unpriced_tokens],
  ['cost_given_micro_usd', ({ cost_given }) => cost_given],
] as const satisfies readonly (readonly [name: string, value: (sums: UsageSums) => number | null])[]

/** One line per row, or per row and model; an unknown value is an empty field. */
export function csvLines({ by, rows }: UsageReport): string[] {
  const isSplit = rows.some(({ breakdown }) => breakdown !== undefined)
  const heading = [by, 'title', 'project', 'agents', 'models', 'first', 'last', ...sumColumns.map(([name]) => name)]
  const lines = rows.flatMap((row) =>
    isSplit
      ? (row.breakdown ?? []).map(({ model, ...sums }) =>
          lineOf({ ...row, models: model === null ? [] : [model] }, sums),
        )
      : [lineOf(row, row)],
  )
  return [heading, ...lines].map((fields) => `${fields.map(csvField).join(',')}\n`)
}

function lineOf(row: UsageRow, sums: UsageSums): (string | number | null)[] {
  const { key, title = null, project = null, agents, models, first, last } = row
  const texts = [key, title, project, agents.join(' '), models.join(' '), first, last]
  return [...texts, ...sumColumns.map(([, value]) => value(sums))]
}

/** A spreadsheet would run a text that begins like a formula. */
function csvField(value: string | number | null): string {
  if (value === null) return ''
  if (typeof value === 'number') return String(value)
  const safe = /^[=+\-@\t\r]/.test(value) ? `'${value}` : value
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}
