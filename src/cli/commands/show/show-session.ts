import { agentPrograms } from '../../../agents/_programs.ts'
import { countHidden } from '../../../catalog/archived-history.ts'
import type { SessionLookup, SubAgent } from '../../../catalog/catalog.ts'
import type { SessionRow } from '../../../catalog/session-row.ts'
import type { IonEvent } from '../../../events/schema.ts'
import { pluralize } from '../../../platform/format-count.ts'
import { tilde } from '../../../platform/home.ts'
import { dayOf, minuteOf } from '../../../platform/local-time.ts'
import { plain } from '../../../platform/plain-text.ts'
import { palette } from '../../colour.ts'
import type { Context } from '../../command.ts'
import { tagText } from '../../list-title.ts'
import { canPage, linesBelow, openPager, type Pager, type PagerOptions } from '../../pager.ts'
import { ProblemSummary } from '../../problem-summary.ts'
import { outputWidth } from '../../terminal.ts'
import { fit, oneLine, wrap } from '../../text.ts'
import { moreInArchive } from '../../totals.ts'
import { type Hidden, type TranscriptOptions, transcript } from '../../transcript.ts'
import type { Mark } from './mark.ts'
import { turnWith } from './part.ts'
import { branchOf, type ShownEvents, type ShowOptions, shownEvents } from './shown-events.ts'

const CHUNK_LENGTH = 32 * 1024

/** Prints a session for reading, in a terminal page by page. Only what is being printed is held in memory. */
export async function showSession(
  catalog: SessionLookup,
  row: SessionRow,
  options: ShowOptions,
  context: Context,
  paging: PagerOptions,
): Promise<Pick<Pager, 'stays'>> {
  const { io, err } = context
  const problems = new ProblemSummary()
  const shown = shownEvents(catalog, row, options, context)
  const isPaged = canPage(context, paging)
  // Without a pager there is no place to go to: the turn is shown that the event is in.
  const events: typeof shown.events =
    shown.at === undefined || isPaged
      ? shown.events
      : (problems) => turnWith(shown.events(problems), ({ id }) => id === shown.at)
  const hidden: Hidden = { thinking: 0, system: 0, native: 0 }
  const settings = await transcriptOptions(catalog, row, options, context, shown)
  const head = headLines(row, options, settings.columns, context)
  const mark = options.mark === undefined ? undefined : (await import('./mark.ts')).parseMark(options.mark, io)
  // A turn that does not exist is an error before anything is printed.
  for (const _first of events()) break
  const line = isPaged ? lineOf(events(), settings, shown.at, mark, linesBelow(context)) : undefined
  const pattern = mark && { pattern: mark.pattern }
  const start = line === undefined ? {} : { start: { line: head.length + line + 1, ...pattern } }
  const pager = await openPager(context, { ...paging, ...start })
  let reading = await pager.write(`${head.join('\n')}\n`)
  let chunk = ''
  for (const line of transcript(events(problems), settings, hidden)) {
    chunk += `${mark ? mark.paint(line, settings.colours.mark) : line}\n`
    if (chunk.length < CHUNK_LENGTH) continue
    reading = await pager.write(chunk)
    chunk = ''
    if (!reading) break
  }
  const notes = [
    ...notesOf(hidden, shown.others, options),
    ...problems.lines(io),
    ...(reading && options.part.kind === 'all' ? archiveNotes(catalog, row, options, context) : []),
  ]
  // A pager shows only the text; in a pipe stdout must contain nothing else.
  if (pager.paged && notes.length)
    chunk += `\n${notes.map((note) => settings.colours.faint(fit(note, settings.columns))).join('\n')}\n`
  if (reading) await pager.write(chunk)
  await pager.end()
  if (!pager.paged) for (const note of notes) err.write(`${palette(err).faint(note)}\n`)
  return pager
}

/**
 * The number of lines before the event, or before the first match; undefined if there is nothing to go to. A match that is not
 * visible together with the beginning of its event comes first.
 */
function lineOf(
  events: Iterable<IonEvent>,
  options: TranscriptOptions,
  at: string | undefined,
  mark: Mark | undefined,
  visible: number,
): number | undefined {
  if (at === undefined && !mark) return undefined
  let lines = 0
  let begin: number | undefined
  let isPast = false
  const onEvent = ({ id }: Pick<IonEvent, 'id'>): void => {
    if (id === at) begin ??= lines
    // A call and its result begin at the same line.
    else isPast = begin !== undefined && lines > begin
  }
  for (const line of transcript(events, { ...options, onEvent }, { thinking: 0, system: 0, native: 0 })) {
    if (isPast || (begin !== undefined && !mark)) break
    const isSearched = at === undefined || begin !== undefined
    if (isSearched && mark!.paint(line, () => '') !== line) {
      return begin === undefined || lines - begin > visible ? lines : begin
    }
    lines++
  }
  return begin
}

export function archiveNotes(
  catalog: SessionLookup,
  row: SessionRow,
  { archived }: Pick<ShowOptions, 'archived'>,
  { io }: Context,
): string[] {
  const hidden = archived ? 0 : countHidden(catalog, row, io)
  return hidden === 0 ? [] : [`${moreInArchive(hidden)}: ion show ${catalog.shortIds([row])(row)} --archived`]
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
    titleOf(row),
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
    ...markLines(row)
      .flatMap((line) => wrap(line, columns))
      .map(colours.accent),
  ]
}

/** What the user added to the session. */
function markLines({ pinned, tags, note }: SessionRow): string[] {
  const short = [pinned ? 'pinned' : '', tagText(tags)].filter(Boolean).join(' · ')
  return [...(short ? [short] : []), ...(note === null ? [] : [`note: ${plain(note).replaceAll('\n', '\n  ')}`])]
}

function titleOf({ agent }: SessionRow): string {
  return agentPrograms.find(({ id }) => id === agent)?.title ?? agent
}

function span({ created_at, updated_at }: SessionRow): string {
  if (!created_at) return ''
  const [from, to] = [new Date(created_at), new Date(updated_at ?? created_at)]
  const end = dayOf(from) === dayOf(to) ? minuteOf(to) : `${dayOf(to)} ${minuteOf(to)}`
  return `${dayOf(from)} ${minuteOf(from)} – ${end}`
}

function notesOf(hidden: Hidden, others: number, options: ShowOptions): string[] {
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

/** Lines longer than this are hard to read, however wide the terminal. */
const MAX_COLUMNS = 120

export async function transcriptOptions(
  catalog: SessionLookup,
  row: SessionRow,
  options: ShowOptions,
  { io, out }: Context,
  { at, turnOf }: Partial<Pick<ShownEvents, 'at' | 'turnOf'>> = {},
): Promise<TranscriptOptions> {
  const children = new Map(catalog.subAgents(row).map((child) => [child.call, child]))
  return {
    ...options,
    columns: Math.min(outputWidth({ io, out }, 100), MAX_COLUMNS),
    colours: palette(out),
    agentTitle: titleOf(row),
    underCall: (id) => subAgentLine(children.get(id)),
    ...(out.isTTY ? { layOut: (await import('../../markdown.ts')).markdownLines } : {}),
    isUnfolded: ({ id }) => id === at,
    ...(turnOf ? { turnOf } : {}),
  }
}

function subAgentLine(child: SubAgent | undefined): string | undefined {
  return child && `sub-agent: ${oneLine(child.title ?? 'untitled')} (ion show ${child.id})`
}
