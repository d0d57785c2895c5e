import type { ExitKind } from '../../../platform/error.ts'
import { formatCount, pluralize } from '../../../platform/format-count.ts'
import { toJsonText } from '../../../platform/json-text.ts'
import { type ExplainedCall, type Explanation, explainSession, uncountedReasons } from '../../../usage/explain.ts'
import { loadPrices } from '../../../usage/prices/load-prices.ts'
import { palette } from '../../colour.ts'
import type { Context } from '../../command.ts'
import { type Column, table } from '../../table.ts'
import { oneLine } from '../../text.ts'
import { findFresh, withCatalog } from '../../with-catalog.ts'
import { cost, dollars } from './money.ts'

/** `ion usage explain`: every call of a session that was counted, and every record that was not. */
export async function explain(reference: string, json: boolean, context: Context): Promise<ExitKind> {
  const { io, out } = context
  const { book } = await loadPrices(io)
  return withCatalog<ExitKind>(context, (catalog) => {
    const row = findFresh(catalog, reference, context)
    const located = catalog.locate(row)
    const explanation = catalog.calls((calls) => explainSession(located, calls.countedIn, book, io))
    if (json) {
      for (const line of linesOf(explanation)) out.write(`${toJsonText(line)}\n`)
      return 'ok'
    }
    const others = [...new Set(explanation.calls.flatMap(({ counted_in }) => counted_in ?? []))]
    const short = catalog.shortIds(others.map((id) => ({ id, agent: row.agent })))
    const colours = palette(out)
    out.write(
      `${colours.strong(oneLine(row.title ?? 'Untitled session'))}${colours.faint(` · ${row.agent} · ${row.id}`)}\n`,
    )
    out.write(`${render(explanation, (id) => short({ id, agent: row.agent }), context).join('\n')}\n`)
    return 'ok'
  })
}

function linesOf({ calls, uncounted }: Explanation): object[] {
  return [
    ...calls.map(({ cost: found, ...call }) => ({
      kind: 'call',
      ...call,
      cost: found?.micros ?? null,
      ...(found
        ? {
            made_of: found.made_of,
            unpriced: found.unpriced,
            tier: found.tier,
            above: found.above,
            price: found.price.row.model,
          }
        : {}),
    })),
    ...uncounted.map((record) => ({ kind: 'uncounted', ...record })),
  ]
}

function render({ calls, uncounted }: Explanation, shortId: (id: string) => string, context: Context): string[] {
  const { out } = context
  const colours = palette(out)
  const own = calls.filter(({ counted_in }) => counted_in === null)
  const count = (title: string, of: (call: ExplainedCall) => number, dropOrder: number): Column<ExplainedCall> => ({
    title,
    value: (call) => formatCount(of(call)),
    align: 'right',
    dropOrder,
  })
  const columns: Column<ExplainedCall>[] = [
    { title: 'time (UTC)', value: ({ time }) => time.slice(0, 19).replace('T', ' ') },
    { title: 'model', value: ({ model }) => oneLine(model ?? 'unknown'), shrinkTo: 12 },
    count('input', ({ tokens }) => tokens.input, 1),
    count('cache read', ({ tokens }) => tokens.cache_read, 2),
    count('cache write', ({ tokens }) => tokens.cache_write, 3),
    count('output', ({ tokens }) => tokens.output, 1),
    { title: 'cost', value: (call) => cost(call.cost?.micros ?? null), align: 'right' },
    {
      title: '',
      value: ({ counted_in, is_sum }) =>
        [counted_in ? `counted in ${shortId(counted_in)}` : '', is_sum ? 'a sum' : ''].filter(Boolean).join(', '),
    },
  ]
  const sum = own.reduce((total, call) => total + (call.cost?.micros ?? 0), 0)
  const unpriced = own.filter((call) => !call.cost || call.cost.unpriced.length > 0)
  const repeated = calls.length - own.length
  const byReason = Object.entries(uncountedReasons).flatMap(([reason, text]) => {
    const found = uncounted.filter((record) => record.reason === reason)
    return found.length === 0 ? [] : [`not counted: ${pluralize(found.length, 'record')}, ${text} (--json lists them)`]
  })
  return [
    ...table(columns, calls, out.columns, colours),
    '',
    own.length === 0
      ? 'no call is counted in this session'
      : `counted in this session: ${pluralize(own.length, 'call')}, ${dollars(sum)}`,
    ...(repeated > 0 ? [`counted in another session that also has them: ${pluralize(repeated, 'call')}`] : []),
    ...(unpriced.length > 0
      ? [`without a known price, in part or completely: ${pluralize(unpriced.length, 'call')}`]
      : []),
    ...byReason,
  ]
}
