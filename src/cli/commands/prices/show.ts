import { type ExitKind, IonError } from '../../../platform/error.ts'
import { formatCount, pluralize } from '../../../platform/format-count.ts'
import { tilde } from '../../../platform/home.ts'
import { toJsonText } from '../../../platform/json-text.ts'
import { localTime } from '../../../platform/local-time.ts'
import { type LoadedPrices, loadPrices, updatedTablePath } from '../../../usage/prices/load-prices.ts'
import { type NameRule, priceOf, pricesOf, similarModels } from '../../../usage/prices/price-book.ts'
import { type Band, dollarsText, type Kind, type PriceRow } from '../../../usage/prices/price-row.ts'
import { byModel, digestOf } from '../../../usage/prices/price-table.ts'
import { palette } from '../../colour.ts'
import type { Context } from '../../command.ts'
import { shellLine } from '../../shell-line.ts'
import { type Column, table } from '../../table.ts'
import { outputWidth } from '../../terminal.ts'
import { oneLine } from '../../text.ts'

const DAY_MS = 86_400_000

export async function listPrices(json: boolean, context: Context): Promise<ExitKind> {
  const { io, out } = context
  const { book, isUpdated, problems } = await loadPrices(io)
  const { source, date, rows } = book.table
  const age = Math.max(0, Math.floor((io.now().getTime() - Date.parse(date)) / DAY_MS))
  const [digest, models] = [digestOf(rows), byModel(rows).size]
  const own = [...byModel(book.overrides).values()].flat()
  warn(problems, context)
  if (json) {
    out.write(`${toJsonText({ kind: 'table', source, updated: isUpdated, date, age_days: age, digest, models })}\n`)
    for (const row of own) out.write(`${toJsonText({ kind: 'override', ...rowJson(row) })}\n`)
    return 'ok'
  }
  const colours = palette(out)
  const line = (name: string, value: string): string => `${colours.faint(name.padEnd(8))} ${oneLine(value)}\n`
  out.write(line('source', `${source}, ${isUpdated ? tilde(updatedTablePath(io), io) : 'shipped with Ion'}`))
  out.write(line('date', `${date} (${age === 0 ? 'today' : `${pluralize(age, 'day')} old`})`))
  out.write(line('digest', digest))
  out.write(line('models', formatCount(models)))
  out.write(line('your own', own.length === 0 ? 'none: ion prices set <model> …' : pluralize(own.length, 'price')))
  if (own.length > 0) writeBands(own, true, context)
  return 'ok'
}

const ruleTexts: Readonly<Record<NameRule, string>> = {
  exact: 'the same name',
  spelling: 'another spelling of the same name',
  maker: "the maker's price, since the table has none of this provider",
  'other-provider': 'the price of another provider of the same model',
  'without-date': 'its date left out',
  'only-date': 'the only date it has',
}

export async function showModel(model: string, json: boolean, context: Context): Promise<ExitKind> {
  const { io, out } = context
  const { book, problems } = await loadPrices(io)
  warn(problems, context)
  const price = priceOf(book, model, io.now())
  const all = pricesOf(book, model)
  if (all.length === 0) throw unknownModel(model, book)
  if (json) {
    for (const { rows, rules, isOverride } of all) {
      for (const row of rows) {
        out.write(
          `${toJsonText({ kind: isOverride ? 'override' : 'row', asked: model, ...rowJson(row), rules, used_now: row === price?.row })}\n`,
        )
      }
    }
    return 'ok'
  }
  const colours = palette(out)
  for (const { rows, rules, isOverride } of all) {
    const where = isOverride ? 'your own price' : book.table.source
    const isUsed = price?.isOverride === isOverride
    const why = rules.map((rule) => ruleTexts[rule]).join(', ')
    const unused = isUsed ? '' : isOverride ? '; not used yet' : '; not used now: your own price takes precedence'
    out.write(`${colours.accent(oneLine(rows[0]!.model))} ${colours.faint(oneLine(`${where}: ${why}${unused}`))}\n`)
    writeBands(rows, false, context)
  }
  out.write(`${colours.faint('US dollars per million tokens; - is not known, which is not 0')}\n`)
  return 'ok'
}

interface BandLine extends Band {
  readonly row: PriceRow
}

function writeBands(rows: readonly PriceRow[], named: boolean, context: Context): void {
  const { out } = context
  const colours = palette(out)
  const lines = rows.flatMap((row) => row.bands.map((band): BandLine => ({ ...band, row })))
  const rate = (title: string, kind: Kind): Column<BandLine> => ({
    title,
    value: ({ rates }) => (rates[kind] === undefined ? '-' : dollarsText(rates[kind])),
    align: 'right',
  })
  const columns: Column<BandLine>[] = [
    ...(named
      ? [{ title: 'model', value: ({ row }: BandLine) => oneLine(row.model), paint: colours.accent, shrinkTo: 16 }]
      : []),
    { title: 'from', value: ({ row }) => (row.from === undefined ? '' : startLabel(row.from)), shrinkTo: 10 },
    { title: 'tier', value: ({ tier }) => (named ? '' : tier) },
    { title: 'input above', value: ({ above }) => (above === 0 ? '' : formatCount(above)), align: 'right' },
    rate('input', 'input'),
    rate('output', 'output'),
    rate('cache read', 'cache_read'),
    rate('write 5m', 'cache_write'),
    rate('write 1h', 'cache_write_1h'),
  ]
  const text = table(columns, lines, outputWidth(context) - 2, colours).map((line) => `  ${line}\n`)
  out.write(text.join(''))
}

/** When a price begins: days of a table are written as such, a time was given as on the command line. */
export function startLabel(from: string): string {
  return from.includes('T') ? localTime(from).replace(/ 00:00$/, '') : from
}

/** Rates are integers: micro-dollars per million tokens. */
function rowJson({ model, from, bands }: PriceRow): object {
  return { model, from: from ?? null, bands }
}

function unknownModel(model: string, book: LoadedPrices['book']): IonError {
  const similar = similarModels(book, model)
  const known = similar.length > 0 ? `known: ${similar.join(', ')}; ` : ''
  return new IonError('not-found', `no price is known for ${model === '' ? '""' : model}`, {
    hint: `${known}to set one: ion prices set ${shellLine([model])} --input <usd> --output <usd>`,
  })
}

function warn(problems: readonly string[], { err }: Context): void {
  for (const problem of problems) err.write(`${palette(err).faint(`ignored: ${oneLine(problem)}`)}\n`)
}
