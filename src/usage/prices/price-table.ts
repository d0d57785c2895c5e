import { createHash } from 'node:crypto'
import { bandsText, type PriceRow, parseBands, sameBands } from './price-row.ts'

/** Prices from one source. */
export interface PriceTable {
  /** `LiteLLM 1.108.4`, or the name of the file they were read from. */
  readonly source: string
  /** The day (UTC) on which they were read from the source. */
  readonly date: string
  /** Rows of one model are together, the earliest first. */
  readonly rows: readonly PriceRow[]
}

const FORMAT = '# US dollars per million tokens: input/output/cache read/cache write/cache write of 1 hour'

/** One line per row, so that a change of a price is a change of a line. */
export function tableText(table: PriceTable): string {
  const head = [FORMAT, `# source: ${table.source}`, `# date: ${table.date}`, `# digest: ${digestOf(table.rows)}`]
  return `${[...head, ...lines(table.rows)].join('\n')}\n`
}

/** Of the rows alone, whatever their order: two tables with equal digests have equal prices. */
export function digestOf(rows: readonly PriceRow[]): string {
  return `sha256:${createHash('sha256').update(lines(rows).join('\n')).digest('hex')}`
}

function lines(rows: readonly PriceRow[]): string[] {
  return sortedRows(rows).map(
    ({ model, from, bands }) => `${model} ${from === undefined ? '' : `from ${from} `}${bandsText(bands)}`,
  )
}

/** Undefined if it is not a table, or if it is damaged: its digest would be another one. */
export function parseTable(text: string): PriceTable | undefined {
  const head = (name: string): string | undefined => new RegExp(`^# ${name}: (.+)$`, 'm').exec(text)?.[1]
  const [source, date, digest] = [head('source'), head('date'), head('digest')]
  const rows: PriceRow[] = []
  for (const line of text.split('\n')) {
    if (line === '' || line.startsWith('# ')) continue
    const [, model, from, rest] = /^(\S+) (?:from (\S+) )?(.+)$/.exec(line) ?? []
    const bands = rest === undefined ? undefined : parseBands(rest)
    if (!bands || (from !== undefined && Number.isNaN(Date.parse(from)))) return undefined
    rows.push({ model: model!, ...(from === undefined ? {} : { from }), bands })
  }
  if (source === undefined || date === undefined || digest !== digestOf(rows)) return undefined
  return { source, date, rows }
}

function sortedRows(rows: readonly PriceRow[]): PriceRow[] {
  return [...rows].sort((a, b) => compare(a.model, b.model) || compare(a.from ?? '', b.from ?? ''))
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}

export function byModel(rows: readonly PriceRow[]): Map<string, PriceRow[]> {
  const models = new Map<string, PriceRow[]>()
  for (const row of sortedRows(rows)) {
    const found = models.get(row.model)
    if (found) found.push(row)
    else models.set(row.model, [row])
  }
  return models
}

/**
 * The newer table, with the prices of the older one for usage before `from`. Models that the newer one lacks are kept: they
 * have been used. Merging the same table again changes nothing, unless `isSince`: then its prices count at least since `from`.
 */
export function mergeTables(older: PriceTable, newer: PriceTable, from: string, isSince = false): PriceTable {
  const models = byModel(older.rows)
  for (const [model, rows] of byModel(newer.rows)) {
    const known = models.get(model)
    models.set(model, known ? mergeRows(known, rows, from, isSince) : rows)
  }
  return { source: newer.source, date: newer.date, rows: sortedRows([...models.values()].flat()) }
}

function mergeRows(older: readonly PriceRow[], newer: readonly PriceRow[], from: string, isSince: boolean): PriceRow[] {
  const [before, after] = [older.at(-1)!, newer.at(-1)!]
  const isSame = sameBands(before.bands, after.bands)
  const isLater = before.from !== undefined && before.from > from
  if (isSame && !(isSince && isLater)) return [...(older.length >= newer.length ? older : newer)]
  // A table with dates of its own knows better when its prices changed.
  if (newer.length > 1) return [...newer]
  const kept = older.filter((row) => row.from === undefined || row.from < from)
  return [...kept, { ...after, from }]
}
