import { prefixOf } from '../../platform/project.ts'
import type { Database, Value } from '../../platform/sqlite.ts'
import { type CallTokens, type StoredCall, sumTokens, unpackCalls } from './packed-calls.ts'
import { addRecord, type SettledCalls } from './settle.ts'

/** Local days begin at a quarter of an hour of UTC in every time zone, so groups of this length belong to one day. */
export const SLOT_MS = 15 * 60_000

/**
 * The price of calls of a model within a time and a length: micro-dollars per million tokens, null where unknown. What a caller
 * knows about prices is passed as plain numbers, so that each call is charged where it is stored.
 */
export interface CallRate {
  readonly model: string
  readonly tier: 'standard' | 'flex' | 'priority'
  /** Milliseconds since 1970: from then on, and before. */
  readonly from: number
  readonly to: number
  /** Total input above, and up to. */
  readonly above: number
  readonly upTo: number
  readonly input: number | null
  readonly output: number | null
  readonly cache_read: number | null
  readonly cache_write: number | null
  readonly cache_write_1h: number | null
}

export interface CallFilter {
  readonly agents?: readonly string[]
  /** This project and folders below it. */
  readonly project?: string
  /** Exact names. */
  readonly models?: readonly string[]
  readonly since?: Date
  readonly until?: Date
  /** Only calls of the session with this id. */
  readonly session?: string
}

/** What calls are grouped by, beside their model. */
export interface CallDimensions {
  readonly slot?: boolean
  readonly session?: boolean
  readonly project?: boolean
}

/** Sums of calls with the same model, agent, tier and whatever else was asked for. */
export interface CallGroup extends CallTokens {
  readonly agent: string
  /** Null where the agent does not store it. */
  readonly model: string | null
  /** Quarter of an hour, counted since 1970. */
  readonly slot: number | null
  /** The id of the session. */
  readonly session: string | null
  readonly project: string | null
  /** Milliseconds since 1970, of the first and the last call. */
  readonly first: number
  readonly last: number
  readonly calls: number
  /** Of these, those that are sums of several calls. */
  readonly sums: number
  /** In micro-dollars, each call rounded by itself; null if no call has a price. */
  readonly cost: number | null
  readonly unpriced_calls: number
  readonly unpriced_tokens: number
  readonly cost_given: number | null
  /** Of the calls with a given cost and a price for everything: what is given, and `cost`. To compare the two. */
  readonly given_to_compare: number | null
  readonly cost_to_compare: number | null
}

/** The groups of the calls that the filter selects, each call once; sorted by agent, session, project, model and slot. */
export function groupCalls(
  { database, packed, owners }: SettledCalls,
  filter: CallFilter,
  by: CallDimensions,
  rates: readonly CallRate[],
): CallGroup[] {
  const models = pricedModels(database, rates)
  const isWanted = callCondition(filter, models)
  const groups: CallGroup[] = []
  for (const { keys, ...dimensions } of selectedSessions(database, filter, by)) {
    /** By model and slot, as one number: a text for each call would take longer than everything else. */
    const own = new Map<number, Group>()
    const add = (call: StoredCall): void => {
      const model = models.get(call.model)!
      const slot = by.slot ? Math.floor(call.at / SLOT_MS) : 0
      const place = model.place * MAX_SLOTS + slot
      const known = own.get(place)
      const group = known ?? newGroup({ ...dimensions, slot: by.slot ? slot : null }, model)
      if (!known) own.set(place, group)
      addCall(group.sums, call, rateOf(group.rates, call))
    }
    for (const key of JSON.parse(keys) as number[]) {
      const inParts = new Map<number, StoredCall[]>()
      for (const part of packed.get(key) ?? []) {
        for (const call of unpackCalls(part)) {
          const owner = owners.get(call.identity)
          if (owner === key) addRecord(inParts, call)
          else if (owner === undefined && isWanted(call)) add(call)
        }
      }
      for (const records of inParts.values()) {
        const call = sumOf(records)
        if (isWanted(call)) add(call)
      }
    }
    for (const place of Float64Array.from(own.keys()).sort()) groups.push(own.get(place)!.sums)
  }
  return groups
}

/** More than there are quarters of an hour in all dates that JavaScript knows. */
const MAX_SLOTS = 2 ** 34

interface Group {
  readonly sums: Sums
  readonly rates: readonly CallRate[]
}

type Sums = { -readonly [K in keyof CallGroup]: CallGroup[K] }

const nothing: Omit<CallGroup, 'agent' | 'model' | 'slot' | 'session' | 'project'> = {
  ...{ first: Number.POSITIVE_INFINITY, last: Number.NEGATIVE_INFINITY, calls: 0, sums: 0 },
  ...{ input: 0, output: 0, cache_read: 0, cache_write: 0, cache_write_1h: 0, reasoning: 0 },
  ...{ cost: null, unpriced_calls: 0, unpriced_tokens: 0 },
  ...{ cost_given: null, given_to_compare: null, cost_to_compare: null },
}

function newGroup(
  { agent, slot, session, project }: Pick<CallGroup, 'agent' | 'slot' | 'session' | 'project'>,
  { name, rates }: PricedModel,
): Group {
  return { sums: { agent, model: name, slot, session, project, ...nothing }, rates }
}

function addCall(sums: Sums, call: StoredCall, rate: CallRate | undefined): void {
  const { cost, unpriced } = charge(call, rate)
  sums.first = Math.min(sums.first, call.at)
  sums.last = Math.max(sums.last, call.at)
  sums.calls++
  if (call.is_sum) sums.sums++
  sums.input += call.input
  sums.output += call.output
  sums.cache_read += call.cache_read
  sums.cache_write += call.cache_write
  sums.cache_write_1h += call.cache_write_1h
  sums.reasoning += call.reasoning
  if (cost === null) sums.unpriced_calls++
  else sums.cost = (sums.cost ?? 0) + cost
  sums.unpriced_tokens += unpriced
  if (call.cost === null) return
  sums.cost_given = (sums.cost_given ?? 0) + call.cost
  if (cost === null || unpriced > 0) return
  sums.given_to_compare = (sums.given_to_compare ?? 0) + call.cost
  sums.cost_to_compare = (sums.cost_to_compare ?? 0) + cost
}

const MILLION = 1_000_000

/** In micro-dollars, null if nothing of it has a price although there is something to pay for; and the tokens without a price. */
function charge(call: StoredCall, rate: CallRate | undefined): { cost: number | null; unpriced: number } {
  let tokens = 0
  let unpriced = 0
  let cost = 0
  let rest = 0
  const add = (count: number, price: number | null | undefined): void => {
    tokens += count
    if (price === null || price === undefined) unpriced += count
    else {
      // In two parts, since price times tokens may be more than a number holds exactly.
      cost += Math.floor(count / MILLION) * price
      rest += (count % MILLION) * price
    }
  }
  add(call.input, rate?.input)
  add(call.output, rate?.output)
  add(call.cache_read, rate?.cache_read)
  // It contains what is kept for an hour.
  add(Math.max(0, call.cache_write - call.cache_write_1h), rate?.cache_write)
  add(call.cache_write_1h, rate?.cache_write_1h)
  const hasPrice = rate !== undefined && (tokens === 0 || unpriced < tokens)
  return { cost: hasPrice ? cost + Math.floor((rest + MILLION / 2) / MILLION) : null, unpriced }
}

/** A call that the agent reported in parts, as one. */
function sumOf(parts: readonly StoredCall[]): StoredCall {
  const [first, ...more] = parts.toSorted((a, b) => a.at - b.at) as [StoredCall, ...StoredCall[]]
  if (more.length === 0) return first
  const costs = parts.flatMap(({ cost }) => cost ?? [])
  return {
    ...first,
    ...sumTokens(parts),
    cost: costs.length > 0 ? costs.reduce((sum, cost) => sum + cost, 0) : null,
    is_sum: parts.some(({ is_sum }) => is_sum),
  }
}

/** Of the rates of its model. How long the calls of a sum were is not known: they are charged as short ones. */
function rateOf(rates: readonly CallRate[], call: StoredCall): CallRate | undefined {
  const { at, tier, input, cache_read, cache_write, is_sum } = call
  const length = is_sum ? 0 : input + cache_read + cache_write
  for (const rate of rates) {
    const isInTime = at >= rate.from && at < rate.to
    if (isInTime && rate.tier === (tier ?? 'standard') && length > rate.above && length <= rate.upTo) return rate
  }
  return undefined
}

interface PricedModel {
  /** Among all by name; 0 where the agent does not store it. */
  readonly place: number
  readonly name: string | null
  readonly rates: readonly CallRate[]
}

/** By their ids; 0 is a model that the agent does not store. */
function pricedModels(database: Database, rates: readonly CallRate[]): Map<number, PricedModel> {
  const models = new Map<number, PricedModel>([[0, { place: 0, name: null, rates: [] }]])
  const rows = database.prepare('SELECT id, name FROM model ORDER BY name').all() as { id: number; name: string }[]
  for (const { id, name } of rows) {
    models.set(id, { place: models.size, name, rates: rates.filter(({ model }) => model === name) })
  }
  return models
}

function callCondition(
  { since, until, models }: CallFilter,
  known: ReadonlyMap<number, PricedModel>,
): (call: StoredCall) => boolean {
  const [from, to] = [since?.getTime() ?? Number.NEGATIVE_INFINITY, until?.getTime() ?? Number.POSITIVE_INFINITY]
  const wanted = models && new Set([...known].flatMap(([id, { name }]) => (models.includes(name!) ? [id] : [])))
  return ({ at, model }) => at >= from && at < to && (wanted === undefined || wanted.has(model))
}

interface SelectedSessions {
  readonly agent: string
  readonly session: string | null
  readonly project: string | null
  /** As JSON, since a row for each session would take longer. */
  readonly keys: string
}

/** The sessions that the filter selects, by what calls are grouped by. */
function selectedSessions(database: Database, filter: CallFilter, by: CallDimensions): SelectedSessions[] {
  const parts: string[] = []
  const values: Value[] = []
  const add = (sql: string, ...more: Value[]): void => {
    parts.push(sql)
    values.push(...more)
  }
  if (filter.agents?.length) add('agent IN (SELECT value FROM json_each(?))', JSON.stringify(filter.agents))
  if (filter.session !== undefined) add('id = ?', filter.session)
  const project = 'ifnull(project, cwd)'
  if (filter.project !== undefined) {
    const prefix = prefixOf(filter.project)
    add(`(${project} = ? OR (${project} >= ? AND ${project} < ?))`, filter.project, prefix, `${prefix.slice(0, -1)}0`)
  }
  const where = parts.length > 0 ? `WHERE ${parts.join(' AND ')}` : ''
  return database
    .prepare(
      `SELECT agent, ${by.session ? 'id' : 'NULL'} AS session, ${by.project ? project : 'NULL'} AS project,
         json_group_array(key) AS keys
       FROM stored_session ${where} GROUP BY 1, 2, 3 ORDER BY 1, 2, 3`,
    )
    .all(...values) as SelectedSessions[]
}
