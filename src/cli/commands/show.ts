import { findAgent } from '../../agents/find.ts'
import { countHidden, sessionReader } from '../../catalog/archived-history.ts'
import type { Catalog } from '../../catalog/catalog.ts'
import type { SessionRow } from '../../catalog/session-row.ts'
import { isProblem, type SessionItem } from '../../events/item.ts'
import type { IonEvent } from '../../events/schema.ts'
import { tilde } from '../../platform/home.ts'
import { toJsonText } from '../../platform/json-text.ts'
import { dayOf, minuteOf } from '../../platform/local-time.ts'
import { palette } from '../colour.ts'
import type { Context, OptionsOf, Run } from '../command.ts'
import type { show } from '../definitions/sessions.ts'
import { openPager, type Pager, type PagerOptions } from '../pager.ts'
import { ProblemSummary } from '../problem-summary.ts'
import { withRemote } from '../remote-sessions.ts'
import { outputWidth } from '../terminal.ts'
import { fit, oneLine, pluralize, wrap } from '../text.ts'
import { moreInArchive } from '../totals.ts'
import { type Hidden, transcript } from '../transcript.ts'
import { findFresh, withCatalog } from '../with-catalog.ts'
import { type Selection, selectBranch } from './show-branches.ts'

export const run: Run<typeof show> = async ([id], options, context) => {
  await withCatalog(context, async (local) => {
    const catalog = options.remote ? withRemote(local, context) : local
    const row = findFresh(catalog, id, context)
    if (options.json) await showJson(catalog, row, options, context)
    else await showSession(catalog, row, options, context, { off: !options.pager })
  })
  return 'ok'
}

type ShowOptions = Pick<OptionsOf<typeof show>, 'full' | 'thinking' | 'system' | 'branch' | 'archived'>

/** Lines longer than this are hard to read, however wide the terminal. */
const MAX_COLUMNS = 120
const CHUNK_LENGTH = 32 * 1024

/** Prints a session for reading, in a terminal page by page. Only what is being printed is held in memory. */
export async function showSession(
  catalog: Catalog,
  row: SessionRow,
  options: ShowOptions,
  context: Context,
  paging: PagerOptions,
): Promise<Pick<Pager, 'stays'>> {
  const { io, out, err } = context
  const read = sessionReader(catalog, row, options, io)
  const selection = selectBranch(() => eventsOf(read()), branchOf(options))
  const hidden: Hidden = { thinking: 0, system: 0, native: 0 }
  const problems = new ProblemSummary()
  const events = selected(eventsOf(read(), problems), selection)
  const columns = Math.min(outputWidth({ io, out }, 100), MAX_COLUMNS)
  const colours = palette(out)
  const children = subAgents(catalog, row)
  const lines = transcript(
    events,
    {
      ...options,
      columns,
      colours,
      agentTitle: findAgent(row.agent).title,
      underCall: (id) => children.get(id),
    },
    hidden,
  )
  const pager = await openPager(context, paging)
  let reading = await pager.write(`${headLines(row, options, columns, context).join('\n')}\n`)
  let chunk = ''
  for (const line of lines) {
    chunk += `${line}\n`
    if (chunk.length < CHUNK_LENGTH) continue
    reading = await pager.write(chunk)
    chunk = ''
    if (!reading) break
  }
  const notes = [
    ...notesOf(hidden, selection, options),
    ...problems.lines(io),
    ...(reading ? archiveNotes(catalog, row, options, context) : []),
  ]
  // A pager shows only the text; in a pipe stdout must contain nothing else.
  if (pager.paged && notes.length) chunk += `\n${notes.map((note) => colours.faint(fit(note, columns))).join('\n')}\n`
  if (reading) await pager.write(chunk)
  await pager.end()
  if (!pager.paged) for (const note of notes) err.write(`${palette(err).faint(note)}\n`)
  return pager
}

/** The canonical events, one per line. What cannot be read is reported on stderr. */
export async function showJson(
  catalog: Catalog,
  row: SessionRow,
  options: Pick<ShowOptions, 'branch' | 'archived'>,
  context: Context,
): Promise<void> {
  const { io, out, err } = context
  const read = sessionReader(catalog, row, options, io)
  const problems = new ProblemSummary()
  const all = eventsOf(read(), problems)
  const events =
    options.branch === undefined
      ? all
      : selected(
          all,
          selectBranch(() => eventsOf(read()), options.branch),
        )
  for (const event of events) {
    const line = `${toJsonText(event)}\n`
    // A terminal would interpret these; JSON can escape them.
    out.write(out.isTTY ? line.replace(/[\x7f-\x9f]/g, (one) => `\\u00${one.charCodeAt(0).toString(16)}`) : line)
    await out.drained?.()
  }
  for (const line of [...problems.lines(io), ...archiveNotes(catalog, row, options, context)]) err.write(`${line}\n`)
}

/** What the archive has of a session is not one conversation with branches any more, so all of it is shown. */
function branchOf({ branch, archived }: ShowOptions): string | undefined {
  return branch ?? (archived ? 'all' : undefined)
}

function archiveNotes(
  catalog: Catalog,
  row: SessionRow,
  { archived }: Pick<ShowOptions, 'archived'>,
  { io }: Context,
): string[] {
  const hidden = archived ? 0 : countHidden(catalog, row, io)
  return hidden === 0 ? [] : [`${moreInArchive(hidden)}: ion show ${catalog.shortIds([row])(row)} --archived`]
}

function* eventsOf(items: Iterable<SessionItem>, problems = new ProblemSummary()): Generator<IonEvent> {
  for (const item of items) {
    if (isProblem(item)) problems.add(item)
    else yield item.event
  }
}

function* selected(events: Iterable<IonEvent>, { includes }: Selection): Generator<IonEvent> {
  let place = 0
  for (const event of events) if (includes(place++)) yield event
}

/** One line for each, by the tool call that started it. */
function subAgents(catalog: Catalog, row: SessionRow): Map<string, string> {
  const lines = new Map<string, string>()
  for (const child of catalog.sessions({ parent: row.id, hidden: true })) {
    const call = catalog.locate(child).head.spawned_by
    if (call) lines.set(call, `sub-agent: ${oneLine(child.title ?? 'untitled')} (ion show ${child.id})`)
  }
  return lines
}

function headLines(
  row: SessionRow,
  { archived }: Pick<ShowOptions, 'archived'>,
  columns: number,
  { io, out }: Context,
): string[] {
  const colours = palette(out)
  const counts = `${pluralize(row.messages, 'message')}, ${pluralize(row.tool_calls, 'tool call')}`
  const facts = [
    findAgent(row.agent).title,
    row.model ?? '',
    tilde(row.cwd ?? '', io),
    span(row),
    // The index counts what the agent has.
    archived && !row.only_in_archive ? "with what only Ion's archive has" : counts,
    row.parent_session ? `sub-agent of ${row.parent_session}` : '',
    row.forked_from ? `forked from ${row.forked_from}` : '',
    row.only_in_archive ? "only in Ion's archive" : '',
    row.id,
  ]
  return [
    ...wrap(oneLine(row.title ?? 'Untitled session'), columns).map(colours.strong),
    ...wrap(facts.map(oneLine).filter(Boolean).join(' · '), columns).map(colours.faint),
  ]
}

function span({ created_at, updated_at }: SessionRow): string {
  if (!created_at) return ''
  const [from, to] = [new Date(created_at), new Date(updated_at ?? created_at)]
  const end = dayOf(from) === dayOf(to) ? minuteOf(to) : `${dayOf(to)} ${minuteOf(to)}`
  return `${dayOf(from)} ${minuteOf(from)} – ${end}`
}

function notesOf(hidden: Hidden, { others }: Selection, options: ShowOptions): string[] {
  const out: string[] = []
  if (hidden.thinking) out.push(`${pluralize(hidden.thinking, 'thinking block')} (--thinking)`)
  if (!options.system && hidden.system) out.push(`${pluralize(hidden.system, 'agent message')} (--system)`)
  const notes = out.length ? [`not shown: ${out.join(', ')}`] : []
  if (hidden.native) notes.push(`${pluralize(hidden.native, 'record')} unknown to Ion, kept unchanged (--system)`)
  if (others && branchOf(options) !== 'all') {
    const range = others === 1 ? '--branch 2' : `--branch 2 to ${others + 1}`
    notes.push(`${pluralize(others, 'other branch', 'other branches')} (${range}, or all)`)
  }
  return notes
}
