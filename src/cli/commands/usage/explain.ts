import type { ExitKind } from '../../../platform/error.ts'
import { formatCount, pluralize } from '../../../platform/format-count.ts'
import { toJsonText } from '../../../platform/json-text.ts'
import { type ExplainedCall, type Explanation, explainSession, uncountedReasons } from '../../../usage/explain.ts'
import { loadPrices } from '../../../usage/prices/load-prices.ts'
import type { Zone } from '../../../usage/zone.ts'
import { palette } from '../../colour.ts'
import type { Context } from '../../command.ts'
import { type Column, table } from '../../table.ts'
import { oneLine } from '../../text.ts'
import { findFresh, withCatalog } from '../../with-catalog.ts'

/** `ion usage explain`: every call of a session that was counted, and every record that was not. */
export async function explain(reference: string, zone: Zone, json: boolean, context: Context): Promise<ExitKind> {
  const { io, out } = context
  const { book } = await loadPrices(io)
  return withCatalog<ExitKind>(context, (catalog) => {
    const row = findFresh(catalog, reference, context)
    const located = catalog.locate(row)
    const explanation = catalog.calls((calls) => explainSession(located, calls.countedIn, book, io))
    if (json) {
      for (const line of jsonLines(explanation)) out.write(`${toJsonText(line)}\n`)
      return 'ok'
    }
    const others = [...new Set(explanation.calls.flatMap(({ counted_in }) => counted_in ?? []))]
    const short = catalog.shortIds(others.map((id) => ({ id, agent: row.agent })))
    const colours = palette(out)
    const lines = linesOf(explanation, zone, (id) => short({ id, agent: row.agent }))
    out.write(
      `${colours.strong(oneLine(row.title ?? 'Untitled session'))}${colours.faint(` · ${row.agent} · ${row.id}`)}\n`,
    )
    out.write(`${[...table(columns, lines, out.columns, colours), '', ...sumsOf(explanation)].join('\n')}\n`)
    return 'ok'
  })
}

function jsonLines({ calls, uncounted }: Explanation): object[] {
  return [
    ...calls.map(({ cost: found, ...call }) => ({
      kind: 'call',
      ...call,
      cost: found?.micros ?? null,
      unpriced: found ? found.unpriced : 'all',
      ...(found ? { made_of: found.made_of, above: found.above, price: found.price.row.model } : {}),
    })),
    ...uncounted.map((record) => ({ kind: 'uncounted', ...record })),
  ]
}

/** A call, or a record that is not one. */
interface Line extends Pick<ExplainedCall, 'tokens'> {
  readonly time: string
  readonly model: string
  readonly cost: string
  readonly given: string
  readonly remark: string
}

const count = (title: string, dropOrder: number, of: (tokens: ExplainedCall['tokens']) => number): Column<Line> => ({
  title,
  value: ({ tokens }) => formatCount(of(tokens)),
  align: 'right',
  dropOrder,
})

const columns: readonly Column<Line>[] = [
  { title: 'time', value: ({ time }) => time },
  { title: 'model', value: ({ model }) => model, shrinkTo: 18 },
  count('input', 1, ({ input }) => input),
  count('cache read', 2, ({ cache_read }) => cache_read),
  count('cache write', 3, ({ cache_write }) => cache_write),
  count('output', 1, ({ output }) => output),
  { title: 'cost', value: ({ cost }) => cost, align: 'right' },
  { title: 'by the agent', value: ({ given }) => given, align: 'right', dropOrder: 1 },
  { title: '', value: ({ remark }) => remark },
]

/** For a column of a table; what they mean is below it. */
const shortReasons: Readonly<Record<keyof typeof uncountedReasons, string>> = {
  repeated: 'repeated',
  sum: 'a sum',
  not_a_call: 'not a call',
  empty: 'no tokens',
}

/** In the order of their times; a record without one comes last. */
function linesOf({ calls, uncounted }: Explanation, zone: Zone, shortId: (id: string) => string): Line[] {
  const timeOf = (time: string | null): string => (time === null ? '' : zone.timeOf(Date.parse(time)))
  const lines = [
    ...calls.map((call) => ({
      at: call.time,
      time: timeOf(call.time),
      model: oneLine(call.model ?? 'unknown'),
      tokens: call.tokens,
      cost: call.cost ? `${exact(call.cost.micros)}${call.cost.unpriced.length > 0 ? '+' : ''}` : '-',
      given: call.cost_given === null ? '' : exact(call.cost_given),
      remark: remarkOf(call, shortId),
    })),
    ...uncounted.map(({ time, tokens, reason }) => ({
      at: time ?? '~',
      time: timeOf(time),
      model: '',
      tokens,
      cost: '',
      given: '',
      remark: `not counted: ${shortReasons[reason]}`,
    })),
  ]
  return lines.sort((a, b) => (a.at < b.at ? -1 : Number(a.at > b.at)))
}

function remarkOf({ counted_in, is_sum, cost, tier }: ExplainedCall, shortId: (id: string) => string): string {
  const ofTier = tier === 'standard' ? '' : ` for ${tier} calls`
  const kinds = cost?.unpriced.map((kind) => kind.replaceAll('_', ' ')).join(', ')
  return [
    counted_in ? `counted in ${shortId(counted_in)}` : '',
    is_sum ? 'several calls' : '',
    cost ? (kinds ? `no price for ${kinds}` : '') : `no price${ofTier}`,
  ]
    .filter(Boolean)
    .join(', ')
}

function sumsOf({ calls, uncounted }: Explanation): string[] {
  const own = calls.filter(({ counted_in }) => counted_in === null)
  const priced = own.flatMap(({ cost }) => cost ?? [])
  const sum = exact(priced.reduce((total, { micros }) => total + micros, 0))
  const unpriced = own.filter(({ cost }) => !cost || cost.unpriced.length > 0).length
  const repeated = calls.length - own.length
  const byReason = Object.entries(uncountedReasons).flatMap(([reason, text]) => {
    const found = uncounted.filter((record) => record.reason === reason)
    return found.length === 0 ? [] : [`not counted: ${pluralize(found.length, 'record')} (${text})`]
  })
  return [
    own.length === 0
      ? 'no call is counted in this session'
      : `counted in this session: ${pluralize(own.length, 'call')}, ${priced.length === 0 ? 'without a known price' : `${sum}${unpriced > 0 ? '+' : ''}`}`,
    ...(repeated > 0 ? [`counted in another session that also has them: ${pluralize(repeated, 'call')}`] : []),
    ...(unpriced > 0 ? [`without a known price, in part or completely: ${pluralize(unpriced, 'call')}`] : []),
    ...byReason,
  ]
}

/** Rows whose sum is below them: rounded to cents they would not add up. */
function exact(micros: number): string {
  return `$${(micros / 1_000_000).toFixed(4)}`
}
