import { toJsonText } from '../../../platform/json-text.ts'
import { plain } from '../../../platform/plain-text.ts'
import type { UsageBy, UsageReport, UsageRow, UsageSums } from '../../../usage/report.ts'

/** One object per row, then the total with everything that belongs to the report as a whole. */
export function jsonLines({ rows, ...report }: UsageReport): string[] {
  const { by } = report
  return [
    ...rows.map((row) => ({ kind: by, ...row })),
    { kind: 'total', ...report.total, ...report, total: undefined },
  ].map((line) => `${toJsonText(line)}\n`)
}

const textColumns = [
  ['key', ({ key }) => key],
  ['title', ({ title }) => title ?? null],
  ['project', ({ key, project }, by) => (by === 'projects' ? key : (project ?? null))],
  ['parent_session', ({ parent_session }) => parent_session ?? null],
  ['block_ends', ({ block }) => block?.ends ?? null],
  ['agents', ({ agents }) => agents.join(' ')],
  ['models', ({ models }) => models.join(' ')],
  ['first', ({ first }) => first],
  ['last', ({ last }) => last],
] as const satisfies readonly (readonly [name: string, value: (row: UsageRow, by: UsageBy) => string | null])[]

const sumColumns = [
  ['calls', ({ calls }) => calls],
  ['sums', ({ sums }) => sums],
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
  const heading = [...textColumns.map(([name]) => name), ...sumColumns.map(([name]) => name)]
  const lines = rows
    .flatMap((row) =>
      isSplit
        ? (row.breakdown ?? []).map(({ model, ...part }) => ({
            ...row,
            ...part,
            models: model === null ? [] : [model],
          }))
        : [row],
    )
    .map((row) => [...textColumns.map(([, value]) => value(row, by)), ...sumColumns.map(([, value]) => value(row))])
  return [heading, ...lines].map((fields) => `${fields.map(csvField).join(',')}\n`)
}

/** A spreadsheet would run a text that begins like a formula, and a terminal one with its sequences. */
function csvField(value: string | number | null): string {
  if (value === null) return ''
  if (typeof value === 'number') return String(value)
  const text = plain(value)
  const safe = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}
