import type { JSX } from 'preact'
import { plain } from '../../../platform/plain-text.ts'
import type { TopRow, TopRows, UsageOverview } from '../../../usage/overview.ts'
import { count } from '../../text/labels.ts'
import { getUsage } from '../api.ts'
import { compactCount, costLabel, dayIn, dayLabel, titleOf } from '../labels.ts'
import { hrefOf, hrefWith, route } from '../state/route.ts'
import { agentTitle, projectTitle } from '../state/sessions.ts'
import {
  type Bars,
  barsOf,
  gridLines,
  type Measure,
  OTHER,
  partsByDay,
  type Stack,
  UNKNOWN,
  weeksOf,
} from '../usage-bars.ts'
import { useAnswer } from '../use-answer.ts'

/** What sessions used, and at list prices cost. Every figure leads to the sessions behind it. */
export function UsageScreen(): JSX.Element {
  const { query } = route.value
  const measure: Measure = query.get('measure') === 'tokens' ? 'tokens' : 'cost'
  const stack: Stack = query.get('stack') === 'agent' ? 'agent' : 'model'
  const asked = Object.fromEntries(
    ['agent', 'project', 'since', 'day'].map((name) => [name, query.get(name) ?? undefined]),
  )
  const { body, error } = useAnswer(() => getUsage(asked), JSON.stringify(asked))
  if (!body) {
    return <div class="pane nothing">{error ? <p class="bad">{plain(error)}</p> : <p class="late">Counting…</p>}</div>
  }
  const { total, prices, unpriced, repeated } = body
  const { input, output, cache_read, cache_write } = total.tokens
  const day = query.get('day') ?? undefined
  const bars = barsOf(
    partsByDay(body.days, measure, ({ agent, model }) => (stack === 'agent' ? agentTitle(agent) : (model ?? UNKNOWN))),
  )
  return (
    <div class="pane usage">
      <div class="pane-head">
        <h1>Usage</h1>
        <span class="grow" />
        <Segments
          name="measure"
          current={measure}
          choices={[
            ['cost', 'Cost'],
            ['tokens', 'Tokens'],
          ]}
        />
        <Segments
          name="stack"
          current={stack}
          choices={[
            ['model', 'by model'],
            ['agent', 'by agent'],
          ]}
        />
      </div>
      <dl class="figures">
        <div>
          <dt>At list prices</dt>
          <dd
            title={total.unpriced_tokens > 0 ? 'Plus tokens without a known price, which are listed below' : undefined}
          >
            {costLabel(total.cost)}
            {total.unpriced_tokens > 0 && total.cost !== null && '+'}
          </dd>
        </div>
        {[
          ['Input', input],
          ['Read from cache', cache_read],
          ['Written to cache', cache_write],
          ['Output', output],
          ['Model calls', total.calls],
        ].map(([label, value]) => (
          <div key={label}>
            <dt>{label}</dt>
            <dd title={value!.toLocaleString()}>{compactCount(value as number)}</dd>
          </div>
        ))}
        {total.cost_given !== null && (
          <div>
            <dt>As agents report it</dt>
            <dd
              title={
                total.given_to_compare === null
                  ? 'These calls have no list price'
                  : `Of the calls with a list price: ${costLabel(total.given_to_compare)}, which cost ${costLabel(total.cost_to_compare)} at list prices`
              }
            >
              {costLabel(total.cost_given)}
            </dd>
          </div>
        )}
      </dl>
      {bars.bars.length === 0 ? (
        <p class="empty-tab">No session in this selection has token counts.</p>
      ) : (
        <>
          {bars.max > 0 ? (
            <Chart bars={bars} lastDay={body.days.at(-1)!.day} measure={measure} stack={stack} />
          ) : (
            <p class="empty-tab">
              None of this has a known price. <a href={hrefWith({ measure: 'tokens' })}>Show its tokens</a>
            </p>
          )}
          <HeatMap days={body.days} today={dayIn(body.timezone, Date.now())} measure={measure} day={day} />
          <Rows
            title={day ? `Sessions on ${dayLabel(day)}` : `Sessions, by ${measure}`}
            what="sessions"
            rows={body.sessions}
            measure={measure}
            day={day}
          />
          <div class="columns">
            <Rows title="Models" what="models" rows={body.models} measure={measure} />
            <Rows title="Agents" what="agents" rows={body.agents} measure={measure} />
            <Rows title="Projects" what="projects" rows={body.projects} measure={measure} />
          </div>
        </>
      )}
      {unpriced.length > 0 && (
        <section class="unpriced">
          <h2 class="table-title">Without a known price</h2>
          <p class="explain">
            Not part of the cost above. Give a model a price with <code>ion prices set &lt;model&gt;</code>.
          </p>
          <ul>
            {unpriced.map(({ model, calls, tokens, has_rates }) => (
              <li key={model}>
                <code>{plain(model ?? UNKNOWN)}</code>{' '}
                <span class="quiet">
                  {compactCount(tokens)} tokens{calls > 0 && ` in ${count(calls, 'call', 'calls')}`}
                  {has_rates && ', of a kind or tier that its price does not cover'}
                </span>
              </li>
            ))}
          </ul>
        </section>
      )}
      <p class="explain">
        List prices of {plain(prices.date)} ({plain(prices.source)}); what you pay depends on your plan. Each model call
        is counted once
        {repeated !== null &&
          repeated > 0 &&
          `; ${count(repeated, 'repetition', 'repetitions')} in forks and copies were left out`}
        . Days are those of {plain(body.timezone)}. The Usage tab of a session lists its calls.
      </p>
    </div>
  )
}

function Segments({
  name,
  current,
  choices,
}: {
  readonly name: string
  readonly current: string
  readonly choices: readonly (readonly [string, string])[]
}): JSX.Element {
  return (
    <div class="segments" role="group">
      {choices.map(([value, label], index) => (
        <a
          key={value}
          href={hrefWith({ [name]: index === 0 ? undefined : value })}
          aria-current={value === current ? 'true' : undefined}
        >
          {label}
        </a>
      ))}
    </div>
  )
}

function label(value: number, measure: Measure): string {
  return measure === 'cost' ? costLabel(value) : compactCount(value)
}

const HEIGHT = 150

/** Stacked bars. The table of sessions below has the same figures as text. */
function Chart({
  bars: { unit, bars, names, max },
  lastDay,
  measure,
  stack,
}: {
  readonly bars: Bars
  readonly lastDay: string
  readonly measure: Measure
  readonly stack: string
}): JSX.Element {
  const step = 100 / bars.length
  const lines = gridLines(max)
  const heightOf = (value: number): number => HEIGHT - (value / max) * (HEIGHT - 4)
  return (
    <figure class="chart">
      <figcaption>
        {measure === 'cost' ? 'Cost' : 'Tokens'} per {unit}, by {stack}
        <span class="quiet">up to {label(max, measure)}</span>
      </figcaption>
      <div class="plot">
        <div class="scale" aria-hidden="true">
          {lines.map((value) => (
            <span key={value} style={{ top: `${heightOf(value)}px` }}>
              {label(value, measure)}
            </span>
          ))}
        </div>
        <svg height={HEIGHT} role="img" aria-label={`${measure} per ${unit}: highest ${label(max, measure)}`}>
          {lines.map((value) => (
            <line key={value} class="grid" x1="0" x2="100%" y1={heightOf(value)} y2={heightOf(value)} />
          ))}
          {bars.map(({ day, total, parts }, index) => {
            let top = HEIGHT
            return (
              <g key={day}>
                <title>
                  {`${day}: ${label(total, measure)}\n${parts.map(({ name, value }) => `${plain(name)}: ${label(value, measure)}`).join('\n')}`}
                </title>
                {/* The column itself can be pointed at, however low its bar is. */}
                <rect class="column" x={`${index * step}%`} width={`${step}%`} y={0} height={HEIGHT} />
                {parts.map(({ name, value }) => {
                  const height = max === 0 ? 0 : (value / max) * (HEIGHT - 4)
                  top -= height
                  return (
                    <rect
                      key={name}
                      class={`part-${name === OTHER ? 'other' : names.indexOf(name)}`}
                      x={`${index * step + step * 0.12}%`}
                      width={`${step * 0.76}%`}
                      y={top}
                      height={Math.max(0.5, height)}
                    />
                  )
                })}
              </g>
            )
          })}
        </svg>
      </div>
      <div class="axis">
        <span>{dayLabel(bars[0]!.day)}</span>
        <span>{dayLabel(lastDay)}</span>
      </div>
      <ul class="legend">
        {names.map((name, index) => (
          <li key={name}>
            <svg width="10" height="10" aria-hidden="true">
              <rect class={`part-${name === OTHER ? 'other' : index}`} width="10" height="10" rx="2" />
            </svg>
            {plain(name)}
          </li>
        ))}
      </ul>
    </figure>
  )
}

const CELL = 12
const GAP = 3
const WEEKS = 27
/** Above the days: the name of a month where it begins. */
const MONTHS = 16
const monthFormat = new Intl.DateTimeFormat([], { month: 'short', timeZone: 'UTC' })

/** A square per day of the last half year; if nothing was used in it, of the half year that ends with the last used day. */
function HeatMap({
  days: used,
  today,
  measure,
  day: chosen,
}: {
  readonly days: UsageOverview['days']
  /** In the time zone of the days. */
  readonly today: string
  readonly measure: Measure
  readonly day: string | undefined
}): JSX.Element {
  const values = new Map(
    used.map(({ day, parts }) => [day, parts.reduce((sum, part) => sum + (part[measure] ?? 0), 0)]),
  )
  const usedDays = new Set(used.filter(({ parts }) => parts.some(({ tokens }) => tokens > 0)).map(({ day }) => day))
  const lastUsed = used.at(-1)?.day ?? today
  const isRecent = lastUsed >= weeksOf(today, WEEKS)[0]![0]!
  const weeks = weeksOf(isRecent ? today : lastUsed, WEEKS)
  const max = Math.max(0, ...weeks.flat().map((day) => values.get(day) ?? 0))
  return (
    <figure class="heat">
      <figcaption>
        {isRecent ? 'The last half year' : `Half a year, until ${dayLabel(lastUsed)}`}
        <span class="quiet">a day shows its sessions below</span>
      </figcaption>
      <div class="wide" tabIndex={0} ref={showEnd}>
        <svg width={WEEKS * (CELL + GAP)} height={MONTHS + 7 * (CELL + GAP)} role="group" aria-label="Days">
          {weeks.map(([monday = ''], week) =>
            week > 0 && monday.slice(0, 7) !== weeks[week - 1]![0]?.slice(0, 7) && week < WEEKS - 1 ? (
              <text key={monday} x={week * (CELL + GAP)} y={10}>
                {monthFormat.format(new Date(monday))}
              </text>
            ) : null,
          )}
          {weeks.map((days, week) =>
            days.map((day, weekday) => {
              const value = values.get(day) ?? 0
              // A day whose usage has no known price is not an empty day.
              const isUsed = value > 0 || usedDays.has(day)
              const text = `${day}: ${value > 0 ? label(value, measure) : isUsed ? 'no known price' : 'nothing'}`
              const cell = (
                <rect
                  class={`heat-${day > today ? 'none' : !isUsed ? 0 : max === 0 ? 1 : Math.max(1, Math.ceil((value / max) * 4))}${day === chosen ? ' chosen' : ''}`}
                  x={week * (CELL + GAP)}
                  y={MONTHS + weekday * (CELL + GAP)}
                  width={CELL}
                  height={CELL}
                  rx="2.5"
                >
                  <title>{text}</title>
                </rect>
              )
              if (!isUsed) return <g key={day}>{cell}</g>
              return (
                <a key={day} href={hrefWith({ day: day === chosen ? undefined : day })} aria-label={text}>
                  {cell}
                </a>
              )
            }),
          )}
        </svg>
      </div>
    </figure>
  )
}

/** Where the page is too narrow, the last weeks are those to see. */
function showEnd(element: HTMLElement | null): void {
  if (element) element.scrollLeft = element.scrollWidth
}

const TOP = 12
const HEADS = { sessions: 'Session', models: 'Model', agents: 'Agent', projects: 'Project' } as const
type What = keyof typeof HEADS

/** A table with a bar in each row; sessions lead to their calls, everything else to its sessions. */
function Rows({
  title,
  what,
  rows: { rows: top, count: all },
  measure,
  day,
}: {
  readonly title: string
  readonly what: What
  readonly rows: TopRows
  readonly measure: Measure
  readonly day?: string | undefined
}): JSX.Element | null {
  const rows = [...top].sort((a, b) => (b[measure] ?? 0) - (a[measure] ?? 0) || b.tokens - a.tokens).slice(0, TOP)
  const max = Math.max(1, ...rows.map((row) => row[measure] ?? 0))
  if (rows.length === 0) return day === undefined ? null : <p class="empty-tab">No session on that day.</p>
  return (
    <section>
      <h2 class="table-title">
        {title}
        {day !== undefined && (
          <a class="clear" href={hrefWith({ day: undefined })}>
            all days
          </a>
        )}
      </h2>
      <table class="table usage-table">
        <thead class="unseen-head">
          <tr>
            <th>{HEADS[what]}</th>
            <th class="number">Tokens</th>
            <th class="number">Cost</th>
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={row.key}>
              <td class="text">
                <span class="bar-back">
                  <svg width="100%" height="100%" aria-hidden="true">
                    <rect class="bar-row" width={`${((row[measure] ?? 0) / max) * 100}%`} height="100%" rx="3" />
                  </svg>
                </span>
                <RowName row={row} what={what} />
              </td>
              <td class="number">{compactCount(row.tokens)}</td>
              <td class="number">
                {costLabel(row.cost)}
                {row.unpriced_tokens > 0 && (
                  <span class="badge warn" title={`${row.unpriced_tokens.toLocaleString()} tokens have no known price`}>
                    unpriced
                  </span>
                )}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      {all > rows.length && <p class="quiet">and {(all - rows.length).toLocaleString()} more</p>}
    </section>
  )
}

function RowName({ row, what }: { readonly row: TopRow; readonly what: What }): JSX.Element {
  const { key } = row
  if (what === 'sessions') {
    return (
      <a href={hrefOf({ screen: 'sessions', session: key, query: { tab: 'usage' } })}>
        {titleOf(row.title ?? null, key)}
      </a>
    )
  }
  if (what === 'agents') return <a href={hrefWith({ agent: key })}>{plain(agentTitle(key))}</a>
  if (what === 'projects') {
    return (
      <a href={hrefWith({ project: key })} title={plain(key)}>
        {projectTitle(key) || 'no project'}
      </a>
    )
  }
  return <span>{plain(key) || UNKNOWN}</span>
}
