import { findAgent } from '../../../agents/find.ts'
import type { Catalog } from '../../../catalog/catalog.ts'
import { amount, pluralize } from '../../../platform/format-count.ts'
import { tilde } from '../../../platform/home.ts'
import { localTime, minuteOf } from '../../../platform/local-time.ts'
import type { UsageBy, UsageReport, UsageRow, UsageSums } from '../../../usage/report.ts'
import { tokenCount } from '../../../usage/sums.ts'
import { barTable, glyphsFor } from '../../bars.ts'
import { palette } from '../../colour.ts'
import type { Context } from '../../command.ts'
import type { Column } from '../../table.ts'
import { oneLine } from '../../text.ts'
import { cost, dollars } from './money.ts'
import { lastOrFirst } from './run.ts'

/** A row of the table: of the report, of one model within it, or the total. */
interface Line {
  readonly name: string
  readonly detail: string
  readonly sums: UsageSums
  readonly kind: 'row' | 'part' | 'total'
}

const headings: Readonly<Record<UsageBy, string>> = {
  daily: 'day',
  weekly: 'week from',
  monthly: 'month',
  sessions: 'session',
  models: 'model',
  projects: 'project',
  agents: 'agent',
  blocks: 'block from',
}

/** Figures come first: longer bars are only drawn where the columns leave space. */
const SHORTEST_BAR = 6

/** The report for a person: a table with bars of the costs, and below it what it is made of. */
export function renderReport(
  report: UsageReport,
  limit: number | undefined,
  catalog: Pick<Catalog, 'shortIds'>,
  context: Context,
): string[] {
  const { out } = context
  const colours = palette(out)
  if (report.rows.length === 0) return ['no usage was recorded in this selection']
  const shown = lastOrFirst(report, limit)
  const lines = [...shown.flatMap(linesOf(report, shown, catalog, context)), totalLine(report.total)]
  const hasCost = report.total.cost !== null
  const measureOf = ({ sums, kind }: Line) => {
    const total = kind === 'total' ? 0 : hasCost ? (sums.cost ?? 0) : tokenCount(sums)
    return { total, solid: kind === 'row' ? total : 0 }
  }
  const drawn = barTable(columnsOf(report), lines, measureOf, out.columns, glyphsFor(out), colours, SHORTEST_BAR)
  const [, ...body] = drawn
  const cut = report.rows.length - shown.length
  return [
    drawn[0]!,
    ...body.slice(0, -1),
    colours.strong(body.at(-1)!),
    '',
    ...notesOf(report).map((line) => colours.faint(line)),
    ...(cut > 0 ? [colours.faint(`${pluralize(cut, 'more row')}: --limit 0 prints all`)] : []),
  ]
}

function linesOf(
  { by }: UsageReport,
  shown: readonly UsageRow[],
  catalog: Pick<Catalog, 'shortIds'>,
  { io }: Context,
): (row: UsageRow) => Line[] {
  const shortId =
    by === 'sessions' ? catalog.shortIds(shown.map(({ key, agents }) => ({ id: key, agent: agents[0]! }))) : undefined
  return (row) => {
    const agents = row.agents.map((id) => findAgent(id).title).join(', ')
    const names: Record<UsageBy, () => readonly [name: string, detail: string]> = {
      daily: () => [row.key, agents],
      weekly: () => [row.key, agents],
      monthly: () => [row.key, agents],
      blocks: () => [localTime(row.key), `${agents}${row.block?.is_active ? ' (now)' : ''}`],
      sessions: () => [
        shortId!({ id: row.key, agent: row.agents[0]! }),
        `${row.parent_session ? '↳ ' : ''}${row.title ?? 'Untitled session'}`,
      ],
      models: () => [row.key || 'unknown model', agents],
      projects: () => [row.key === '' ? 'no folder' : tilde(row.key, io), agents],
      agents: () => [agents, row.models.join(', ')],
    }
    const [name, detail] = names[by]()
    const parts = (row.breakdown ?? []).map(
      ({ model, ...sums }): Line => ({
        name: `  ${oneLine(model ?? 'unknown model')}`,
        detail: '',
        sums,
        kind: 'part',
      }),
    )
    return [
      { name: oneLine(name), detail: oneLine(detail), sums: row, kind: 'row' },
      ...(parts.length > 1 || by === 'agents' ? parts : []),
    ]
  }
}

function totalLine(sums: UsageSums): Line {
  return { name: 'total', detail: '', sums, kind: 'total' }
}

const detailHeadings: Partial<Record<UsageBy, string>> = { sessions: 'title', agents: 'models' }

function columnsOf({ by, total }: UsageReport): Column<Line>[] {
  const tokens = (title: string, dropOrder: number, of: (sums: UsageSums) => number): Column<Line> => ({
    title,
    value: ({ sums }) => amount(of(sums)),
    align: 'right',
    dropOrder,
  })
  return [
    {
      title: headings[by],
      value: ({ name }) => name,
      ...(by === 'projects' || by === 'models' ? { shrinkTo: 24 } : {}),
    },
    {
      title: detailHeadings[by] ?? 'agents',
      value: ({ detail }) => detail,
      shrinkTo: by === 'sessions' ? 26 : 10,
      dropOrder: by === 'sessions' ? 1 : 6,
    },
    tokens('calls', 4, ({ calls }) => calls),
    tokens('input', 3, ({ tokens }) => tokens.input),
    tokens('cache read', 2, ({ tokens }) => tokens.cache_read),
    tokens('cache write', 5, ({ tokens }) => tokens.cache_write),
    tokens('output', 2, ({ tokens }) => tokens.output),
    {
      title: 'cost',
      value: ({ sums }) => `${cost(sums.cost)}${sums.unpriced_tokens > 0 && sums.cost !== null ? '+' : ''}`,
      align: 'right',
    },
    ...(total.cost_given === null
      ? []
      : [
          {
            title: 'by the agent',
            value: ({ sums }: Line) => (sums.cost_given === null ? '' : dollars(sums.cost_given)),
            align: 'right',
            dropOrder: 7,
          } as const,
        ]),
  ]
}

/** What the figures are made of, and what they leave out. */
function notesOf({ by, total, unpriced, repeated, prices, timezone, rows }: UsageReport): string[] {
  const notes = [`list prices: ${prices.source}, ${prices.date}; days of ${timezone}`]
  if (repeated > 0)
    notes.push(`${pluralize(repeated, 'repetition')} of calls in forks, resumed sessions and copies not counted again`)
  if (total.sums > 0)
    notes.push(`${pluralize(total.sums, 'call is a sum', 'calls are sums')}: the agent stores no single ones`)
  if (unpriced.length > 0) {
    const models = unpriced.map(
      ({ model, tokens }) => `${oneLine(model ?? 'unknown model')} (${amount(tokens)} tokens)`,
    )
    notes.push(
      `not priced, marked +: ${models.slice(0, 4).join(', ')}${models.length > 4 ? ` and ${models.length - 4} more` : ''}`,
    )
    const named = unpriced.find(({ model }) => model !== null)?.model
    if (named) notes.push(`  -> ion prices set ${oneLine(named)} --input <usd> --output <usd>`)
  }
  const { cost_given, cost_where_given } = total
  if (cost_given !== null && cost_where_given !== null && cost_given !== cost_where_given) {
    notes.push(
      `for the calls that agents priced themselves: ${dollars(cost_given)} by them, ${dollars(cost_where_given)} at list prices`,
    )
  }
  const active = by === 'blocks' ? rows.filter(({ block }) => block?.is_active) : []
  for (const { block, agents } of active) {
    const until = minuteOf(new Date(block!.ends))
    const projected =
      block!.projected_cost === null ? `${amount(block!.projected_tokens!)} tokens` : dollars(block!.projected_cost)
    notes.push(`${agents.join(', ')}: this block ends at ${until}, with ${projected} if it continues like this`)
  }
  return notes
}
