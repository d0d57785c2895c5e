import { findAgent } from '../../../agents/find.ts'
import type { Catalog } from '../../../catalog/catalog.ts'
import { amount, pluralize } from '../../../platform/format-count.ts'
import { tilde } from '../../../platform/home.ts'
import {
  isByTime,
  type UnpricedModel,
  type UsageBy,
  type UsageReport,
  type UsageRow,
  type UsageSums,
} from '../../../usage/report.ts'
import { sumsOf, tokenCount } from '../../../usage/sums.ts'
import { timeZone } from '../../../usage/zone.ts'
import { barTable, glyphsFor } from '../../bars.ts'
import { palette } from '../../colour.ts'
import type { Context } from '../../command.ts'
import { shellLine } from '../../shell-line.ts'
import type { Column } from '../../table.ts'
import { oneLine, wrap } from '../../text.ts'
import { costOf, dollars } from './money.ts'
import { lastOrFirst } from './run.ts'

/** A row of the table: of the report, of one model within it, or the total. */
interface Line {
  readonly name: string
  readonly detail: string
  readonly sums: UsageSums
  readonly kind: 'row' | 'part' | 'rest' | 'total'
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
  if (report.rows.length === 0)
    return [`no usage is recorded ${report.repeated === null ? 'in this selection' : 'on this machine'}`]
  const shown = lastOrFirst(report, limit)
  const ofShown = shown.flatMap(linesOf(report, shown, catalog, context))
  const rest = restOf(report, shown)
  const total: Line = { name: 'total', detail: '', sums: report.total, kind: 'total' }
  const lines = isByTime(report.by) ? [...rest, ...ofShown, total] : [...ofShown, ...rest, total]
  const hasCost = report.total.cost !== null
  const measureOf = ({ sums, kind }: Line) => {
    const total = kind === 'total' || kind === 'rest' ? 0 : hasCost ? (sums.cost ?? 0) : tokenCount(sums)
    return { total, solid: kind === 'row' ? total : 0 }
  }
  const drawn = barTable(columnsOf(report), lines, measureOf, out.columns, glyphsFor(out), colours, SHORTEST_BAR)
  const [, ...body] = drawn
  return [
    drawn[0]!,
    ...body.slice(0, -1),
    colours.strong(body.at(-1)!),
    '',
    ...notesOf(report).flatMap((line) => wrap(line, out.columns).map(colours.faint)),
    ...(rest.length > 0 ? [colours.faint('--limit 0 prints all rows')] : []),
  ]
}

/** The rows that are not shown, as one. */
function restOf({ by, rows }: UsageReport, shown: readonly UsageRow[]): Line[] {
  const hidden = rows.filter((row) => !shown.includes(row))
  if (hidden.length === 0) return []
  const sums = sumsOf(hidden.map((row) => ({ ...row, ...row.tokens })))
  return [{ name: `${hidden.length} ${isByTime(by) ? 'earlier' : 'more'}`, detail: '', sums, kind: 'rest' }]
}

function linesOf(
  { by, timezone }: UsageReport,
  shown: readonly UsageRow[],
  catalog: Pick<Catalog, 'shortIds'>,
  { io }: Context,
): (row: UsageRow) => Line[] {
  const shortId =
    by === 'sessions' ? catalog.shortIds(shown.map(({ key, agents }) => ({ id: key, agent: agents[0]! }))) : undefined
  const zone = timeZone(timezone)
  return (row) => {
    const agents = row.agents.map((id) => findAgent(id).title).join(', ')
    const names: Record<UsageBy, () => readonly [name: string, detail: string]> = {
      daily: () => [row.key, agents],
      weekly: () => [row.key, agents],
      monthly: () => [row.key, agents],
      blocks: () => [zone.timeOf(Date.parse(row.key)).slice(0, 16), `${agents}${row.block?.is_active ? ' (now)' : ''}`],
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
    return [{ name: oneLine(name), detail: oneLine(detail), sums: row, kind: 'row' }, ...(by === 'models' ? [] : parts)]
  }
}

const detailHeadings: Partial<Record<UsageBy, string>> = { sessions: 'title', agents: 'models' }

function columnsOf({ by, total }: UsageReport): Column<Line>[] {
  /** A kind that nobody used needs no column. */
  const tokens = (title: string, dropOrder: number, of: (sums: UsageSums) => number): Column<Line> => ({
    title,
    value: ({ sums }) => (of(total) === 0 ? '' : amount(of(sums))),
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
      // A block is one of an agent.
      ...(by === 'blocks' ? {} : { dropOrder: by === 'sessions' ? 1 : 7 }),
    },
    tokens('calls', 5, ({ calls }) => calls),
    tokens('input', 3, ({ tokens }) => tokens.input),
    tokens('cache read', 4, ({ tokens }) => tokens.cache_read),
    tokens('cache write', 6, ({ tokens }) => tokens.cache_write),
    tokens('output', 2, ({ tokens }) => tokens.output),
    { title: 'cost', value: ({ sums }) => costOf(sums), align: 'right' },
    ...(total.cost_given === null
      ? []
      : [
          {
            title: 'by the agent',
            value: ({ sums }: Line) => (sums.cost_given === null ? '' : dollars(sums.cost_given)),
            align: 'right',
            dropOrder: 2,
          } as const,
        ]),
  ]
}

/** What the figures are made of, and what they leave out. */
function notesOf({ by, total, unpriced, repeated, prices, timezone, rows }: UsageReport): string[] {
  const notes = [`list prices: ${prices.source}, ${prices.date}; times in ${timezone}`]
  if (repeated)
    notes.push(`${pluralize(repeated, 'repetition')} of calls in forks, resumed sessions and copies not counted again`)
  if (total.sums > 0)
    notes.push(`${pluralize(total.sums, 'call is a total', 'calls are totals')}: the agent does not store single calls`)
  notes.push(...unpricedNotes(unpriced))
  const { given_to_compare, cost_to_compare } = total
  if (given_to_compare !== null && given_to_compare !== cost_to_compare) {
    notes.push(
      `of the calls with both: ${dollars(given_to_compare)} by the agent, ${dollars(cost_to_compare!)} at list prices`,
    )
  }
  const active = by === 'blocks' ? rows.filter(({ block }) => block?.is_active) : []
  for (const { block, agents } of active) {
    const until = timeZone(timezone).timeOf(Date.parse(block!.ends)).slice(11, 16)
    const projected =
      block!.projected_cost === null ? `${amount(block!.projected_tokens!)} tokens` : dollars(block!.projected_cost)
    const agent = agents.map((id) => findAgent(id).title).join(', ')
    notes.push(`${agent}: this block ends at ${until}, with ${projected} if it continues like this`)
  }
  return notes
}

/** What a user can do about it depends on whether the model has a price at all. */
function unpricedNotes(unpriced: readonly UnpricedModel[]): string[] {
  const notes: string[] = []
  const note = (what: string, models: readonly UnpricedModel[], hint: (model: string) => string): void => {
    if (models.length === 0) return
    const texts = models.map(({ model, tokens }) => `${oneLine(model ?? 'unknown model')} (${amount(tokens)} tokens)`)
    const more = texts.length > 4 ? ` and ${texts.length - 4} more` : ''
    notes.push(`${what}: ${texts.slice(0, 4).join(', ')}${more}`)
    const named = models.find(({ model }) => model !== null)?.model
    if (named) notes.push(`  -> ${hint(shellLine([oneLine(named)]))}`)
  }
  note(
    'models without a price',
    unpriced.filter(({ has_rates }) => !has_rates),
    (model) => `ion prices set ${model} --input <usd> --output <usd>`,
  )
  note(
    'some tokens have no price (because of their kind, tier or time)',
    unpriced.filter(({ has_rates }) => has_rates),
    (model) => `ion prices ${model} shows the known ones`,
  )
  return notes
}
