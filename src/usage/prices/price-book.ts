import { type ModelName, makerOf, modelName } from './model-name.ts'
import type { PriceRow } from './price-row.ts'
import { byModel, type PriceTable } from './price-table.ts'

/** Why a row is the one of a model: its name is equal, or what was left out of account. */
export type NameRule =
  | 'exact'
  /** Another way to write the same name at the same provider: prefixes, dots, order. */
  | 'spelling'
  /** The provider has no row of its own: the price of the model's maker. */
  | 'maker'
  /** The maker has no row any more: the price of another provider of the same model. */
  | 'other-provider'
  /** The name has a date and the row has none. */
  | 'without-date'
  /** The name has no date, and of the rows exactly one is of this model, with a date. */
  | 'only-date'

export interface Price {
  readonly row: PriceRow
  readonly rules: readonly NameRule[]
  /** Set by the user, not from the table. */
  readonly isOverride: boolean
}

/** All rows of one model, the earliest first. */
interface ModelRows {
  readonly model: string
  readonly name: ModelName
  readonly host: string
  readonly rows: readonly PriceRow[]
}

interface Found {
  readonly model: ModelRows
  readonly rules: readonly NameRule[]
}

/** A table and the user's own prices, prepared for looking up. */
export interface PriceBook {
  readonly table: PriceTable
  readonly overrides: readonly PriceRow[]
  readonly models: Index
  readonly own: Index
  /** What was looked up before: sessions have many calls and few models. */
  readonly found: Map<string, readonly ModelPrices[]>
}

interface Index {
  readonly byName: ReadonlyMap<string, ModelRows>
  readonly byBody: ReadonlyMap<string, readonly ModelRows[]>
}

export function priceBook(table: PriceTable, overrides: readonly PriceRow[]): PriceBook {
  return { table, overrides, models: indexOf(table.rows), own: indexOf(overrides), found: new Map() }
}

function indexOf(rows: readonly PriceRow[]): Index {
  const byName = new Map<string, ModelRows>()
  const byBody = new Map<string, ModelRows[]>()
  for (const [model, ofModel] of byModel(rows)) {
    const name = modelName(model)
    const entry = { model, name, host: name.route[0] ?? makerOf(name) ?? '', rows: ofModel }
    byName.set(model.toLowerCase(), entry)
    const same = byBody.get(name.body)
    if (same) same.push(entry)
    else byBody.set(name.body, [entry])
  }
  return { byName, byBody }
}

/** The price of a model at a time: the user's own if there is one, else that of the table. Undefined if neither has one. */
export function priceOf(book: PriceBook, model: string, at: Date): Price | undefined {
  for (const { rows, rules, isOverride } of pricesOf(book, model)) {
    const row = rowAt(rows, at)
    if (row) return { row, rules, isOverride }
  }
  return undefined
}

export interface ModelPrices {
  readonly rows: readonly PriceRow[]
  readonly rules: readonly NameRule[]
  readonly isOverride: boolean
}

/** All prices of a model, of any time: the user's own first. */
export function pricesOf(book: PriceBook, model: string): readonly ModelPrices[] {
  const known = book.found.get(model)
  if (known) return known
  const prices = lookUp(book, model)
  book.found.set(model, prices)
  return prices
}

function lookUp({ models, own }: PriceBook, model: string): ModelPrices[] {
  const name = modelName(model)
  const set = named(own, model) ?? ownPrice(own, name)
  const listed = named(models, model) ?? sameModel(models, name)
  return [
    ...(set ? [{ rows: set.model.rows, rules: set.rules, isOverride: true }] : []),
    ...(listed ? [{ rows: listed.model.rows, rules: listed.rules, isOverride: false }] : []),
  ]
}

/** The last one that had begun. */
function rowAt(rows: readonly PriceRow[], at: Date): PriceRow | undefined {
  return rows.findLast(({ from }) => from === undefined || Date.parse(from) <= at.getTime())
}

function named({ byName }: Index, model: string): Found | undefined {
  const found = byName.get(model.trim().toLowerCase())
  return found && { model: found, rules: ['exact'] }
}

/** A price that the user set for `model` counts for every provider, one for `provider/model` only for that provider. */
function ownPrice({ byBody }: Index, name: ModelName): Found | undefined {
  const candidates = (byBody.get(name.body) ?? []).filter(
    ({ name: { route, date } }) =>
      (date === undefined || date === name.date) && route.every((host) => name.route.includes(host)),
  )
  // The one that says most: with the same date, then with a provider.
  const [best] = candidates.sort(
    (a, b) =>
      Number(b.name.date !== undefined) - Number(a.name.date !== undefined) ||
      b.name.route.length - a.name.route.length,
  )
  return best && { model: best, rules: ['spelling', ...dateRule(best, name)] }
}

/** Providers that are asked when neither the one in the name nor the maker has the model. */
const OTHERS = ['bedrock', 'vertex_ai', 'github_copilot', 'mistral', 'dashscope']

function sameModel({ byBody }: Index, name: ModelName): Found | undefined {
  const rows = byBody.get(name.body) ?? []
  const maker = makerOf(name)
  const hosts = [...new Set([...name.route, ...(maker === undefined ? [] : [maker]), ...OTHERS])]
  const ofHost = (dates: (row: ModelRows) => boolean, single: boolean): Found | undefined => {
    for (const host of hosts) {
      const found = rows.filter((row) => row.host === host && dates(row))
      const [first] = found
      if (!first || (single && found.length > 1)) continue
      return { model: first, rules: [hostRule(host, name, maker), ...dateRule(first, name)] }
    }
    return undefined
  }
  return (
    ofHost((row) => row.name.date === name.date, false) ??
    (name.date === undefined
      ? ofHost((row) => row.name.date !== undefined, true)
      : ofHost((row) => row.name.date === undefined, false))
  )
}

function hostRule(host: string, { route }: ModelName, maker: string | undefined): NameRule {
  if (route.length === 0 ? host === maker : host === route[0]) return 'spelling'
  return host === maker ? 'maker' : 'other-provider'
}

function dateRule(row: ModelRows, { date }: ModelName): NameRule[] {
  if (row.name.date === date) return []
  return [date === undefined ? 'only-date' : 'without-date']
}

const SUGGESTIONS = 4

/** Names of the table that begin like this one or contain it, the most similar first. */
export function similarModels({ models, own }: PriceBook, model: string): string[] {
  const { body } = modelName(model)
  const near = [...models.byName.values(), ...own.byName.values()]
    .map((row) => ({ row, common: commonLength(row.name.body, body) }))
    .filter(({ common }) => common >= 4 && common * 2 >= body.length)
    .sort(
      (a, b) =>
        b.common - a.common ||
        Math.abs(a.row.name.body.length - body.length) - Math.abs(b.row.name.body.length - body.length) ||
        a.row.model.length - b.row.model.length,
    )
  const names = new Map<string, string>()
  for (const { row } of near) if (!names.has(row.name.body)) names.set(row.name.body, row.model)
  return [...names.values()].slice(0, SUGGESTIONS)
}

function commonLength(one: string, other: string): number {
  if (one.includes(other)) return other.length
  let at = 0
  while (at < one.length && at < other.length && one[at] === other[at]) at++
  return at
}
