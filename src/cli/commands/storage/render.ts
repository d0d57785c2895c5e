import { agents } from '../../../agents/_registry.ts'
import type { Catalog } from '../../../catalog/catalog.ts'
import { amount, bytes, pluralize } from '../../../platform/format-count.ts'
import { ionHome, tilde } from '../../../platform/home.ts'
import { SOON_DAYS } from '../../../storage/deletions.ts'
import type { AgentLine, DeletionLine, IonLine, ProjectLine } from '../../../storage/lines.ts'
import type { StorageReport } from '../../../storage/report.ts'
import { barTable, glyphsFor } from '../../bars.ts'
import { type Palette, palette } from '../../colour.ts'
import type { Context } from '../../command.ts'
import { shownIds } from '../../short-id.ts'
import { type Column, table } from '../../table.ts'
import { outputWidth } from '../../terminal.ts'
import { ago, fit, oneLine, width, wrap } from '../../text.ts'
import { diskText, retentionText, type Sentence, totalText } from './labels.ts'

const ADVICE = 'To keep them: raise the limit in the setting, or copy them with ion capture --all'

/** The report for people, as lines that fit. */
export function renderReport(
  report: StorageReport,
  limit: number | undefined,
  catalog: Pick<Catalog, 'shortIds'>,
  { io, out }: Context,
): string[] {
  const room = outputWidth({ io, out })
  const page: Page = { io, out, catalog, colours: palette(out), glyphs: glyphsFor(out), room, limit }
  const parts = [
    report.ofAgents ? agentSection(report, page) : [],
    projectSection(report.projects, page),
    sessionSection(report, page),
    deletionSection(report, page),
    diskSection(report, page),
    ionSection(report.ion, page),
  ].filter((part) => part.length > 0)
  return parts.flatMap((part, index) => (index === 0 ? part : ['', ...part]))
}

interface Page extends Pick<Context, 'io' | 'out'> {
  readonly catalog: Pick<Catalog, 'shortIds'>
  readonly colours: Palette
  readonly glyphs: ReturnType<typeof glyphsFor>
  readonly room: number
  readonly limit: number | undefined
}

function agentSection(report: StorageReport, { colours, glyphs, room }: Page): string[] {
  const [first, ...more] = totalText(report.agents, report.totals, report.restorable).flatMap((text) =>
    wrap(text, room),
  )
  const columns: Column<AgentLine>[] = [
    { title: 'agent', value: (line) => line.title, paint: colours.accent },
    { title: 'sessions', value: (line) => amount(line.sessions), align: 'right', dropOrder: 2 },
    { title: '7 days', value: (line) => bytes(line.bytes_7d), align: 'right', dropOrder: 4 },
    { title: '30 days', value: (line) => bytes(line.bytes_30d), align: 'right', dropOrder: 3 },
    { title: 'size', value: (line) => bytes(line.bytes), align: 'right', dropOrder: 1 },
    { title: 'folder', value: (line) => atLeast(line.disk_bytes, line), align: 'right' },
  ]
  const measureOf = (line: AgentLine) => ({ total: Math.max(line.disk_bytes, line.bytes), solid: line.bytes })
  const key = `${glyphs.solid} sessions  ${glyphs.rest} everything else in the agent's folders`
  return [
    colours.strong(first!),
    ...more,
    ...(report.agents.length > 0
      ? [
          '',
          ...barTable(columns, report.agents, measureOf, room, glyphs, colours),
          ...wrap(key, room).map(colours.faint),
        ]
      : []),
    ...caveats(report).flatMap((text) => wrap(text, room).map(colours.warn)),
  ]
}

/** Why the sizes of folders may be too low. */
function caveats(report: StorageReport): string[] {
  const measured = [...report.agents, ...report.ion]
  const unreadable = measured.reduce((sum, line) => sum + line.unreadable, 0)
  return [
    ...(unreadable ? [`${pluralize(unreadable, 'file or folder', 'files or folders')} could not be read`] : []),
    ...(measured.some((line) => !line.complete) ? ['+ at least: measuring took too long and was stopped'] : []),
  ]
}

function projectSection(projects: readonly ProjectLine[], page: Page): string[] {
  const nameColumns = Math.max(16, Math.floor(page.room / 3))
  const nameOf = ({ project }: ProjectLine): string =>
    project === null ? 'unknown' : pathEnd(oneLine(tilde(project, page.io)), nameColumns)
  return largest('Projects', projects, page, '', () => [
    { title: 'project', value: nameOf, shrinkTo: 12 },
    { title: 'agent', value: ({ agents: own }) => (own.length === 1 ? own[0]! : `${own.length} agents`), dropOrder: 2 },
    { title: 'sessions', value: (line) => amount(line.sessions), align: 'right', dropOrder: 1 },
    { title: 'size', value: (line) => bytes(line.bytes), align: 'right' },
  ])
}

function sessionSection({ sessions, totals }: StorageReport, page: Page): string[] {
  const { io, out, catalog, colours } = page
  return largest('Sessions', sessions, page, totals.sub_agents > 0 ? ', also of sub-agents' : '', (shown) => [
    { title: 'title', value: (line) => oneLine(line.title ?? '') || '-', shrinkTo: 10 },
    { title: 'agent', value: (line) => line.agent, paint: colours.accent, dropOrder: 2 },
    { title: 'id', value: shownIds(shown, catalog, out), paint: colours.faint, dropOrder: 1 },
    { title: 'age', value: (line) => ago(line.updated_at, io.now()), align: 'right', dropOrder: 3 },
    { title: 'size', value: (line) => bytes(line.bytes), align: 'right' },
  ])
}

/** A heading and the largest lines, with bars. */
function largest<R extends { readonly bytes: number }>(
  title: string,
  all: readonly R[],
  { colours, glyphs, room, limit }: Page,
  among: string,
  columnsFor: (shown: readonly R[]) => readonly Column<R>[],
): string[] {
  const shown = all.slice(0, limit)
  if (shown.length === 0) return []
  const note = shown.length < all.length ? `  the ${shown.length} largest of ${all.length}${among}` : ''
  return [
    colours.strong(title) + colours.faint(fit(note, room - title.length)),
    ...barTable(columnsFor(shown), shown, solid, room, glyphs, colours),
  ]
}

function deletionSection(
  { agents: lines, deletions }: StorageReport,
  { io, out, catalog, colours, room, limit }: Page,
): string[] {
  const ruled = lines.filter((line) => line.retention !== null && line.sessions > 0)
  if (ruled.length === 0) return []
  const soon = deletions.filter((line) => line.days_left <= SOON_DAYS)
  const shown = soon.slice(0, limit)
  const columns: Column<DeletionLine>[] = [
    {
      title: 'days left',
      value: (line) => (line.days_left === 0 ? 'none' : String(line.days_left)),
      align: 'right',
      paint: (text, line) => (line.days_left === 0 ? colours.bad(text) : colours.warn(text)),
    },
    { title: 'agent', value: (line) => line.agent, paint: colours.accent, dropOrder: 2 },
    { title: 'id', value: shownIds(shown, catalog, out), paint: colours.faint, dropOrder: 1 },
    { title: 'size', value: (line) => bytes(line.bytes), align: 'right', dropOrder: 3 },
    { title: 'copy', value: (line) => (line.archived ? 'yes' : 'no'), dropOrder: 4 },
    { title: 'title', value: (line) => oneLine(line.title ?? '') || '-', shrinkTo: 10 },
  ]
  return [
    colours.strong('Deleted automatically by the agents'),
    ...ruled.flatMap((line) => retentionText(line, deletions, io)).flatMap(sentenceLines(room, colours)),
    ...(shown.length === 0 ? [] : ['', ...table(columns, shown, room, colours)]),
    ...(soon.some((line) => !line.archived) ? wrap(ADVICE, room).map(colours.faint) : []),
    ...(shown.length < soon.length ? [colours.faint(fit(`the next ${shown.length} of ${soon.length}`, room))] : []),
  ]
}

function diskSection({ disks }: StorageReport, { io, colours, room }: Page): string[] {
  if (disks.length === 0) return []
  const titleOf = (id: string): string => agents.find((agent) => agent.id === id)?.title ?? id
  return [colours.strong('Free disk space'), ...diskText(disks, titleOf, io).flatMap(sentenceLines(room, colours))]
}

function sentenceLines(room: number, { warn }: Palette): (sentence: Sentence) => string[] {
  return ({ text, warns }) => (warns ? wrap(text, room).map(warn) : wrap(text, room))
}

/** Names for people; the JSON has those of the folders. */
const PART_NAMES: Readonly<Record<IonLine['part'], string>> = {
  sessions: 'archive',
  vault: 'exact copies',
  tasks: 'tasks',
  catalog: 'index',
  other: 'other',
}

function ionSection(ion: readonly IonLine[], { io, colours, glyphs, room }: Page): string[] {
  if (ion.length === 0) return []
  const columns: Column<IonLine>[] = [
    { title: 'part', value: (line) => PART_NAMES[line.part] },
    { title: 'files', value: (line) => amount(line.files), align: 'right', dropOrder: 1 },
    { title: 'size', value: (line) => atLeast(line.bytes, line), align: 'right' },
  ]
  const sum = ion.reduce((total, line) => total + line.bytes, 0)
  const present = ion.filter((line) => line.files > 0)
  return [
    colours.strong(fit(`Ion's own data: ${bytes(sum)} in ${tilde(ionHome(io), io)}`, room)),
    ...barTable(columns, present, solid, room, glyphs, colours),
  ]
}

function solid({ bytes: size }: { readonly bytes: number }): { total: number; solid: number } {
  return { total: size, solid: size }
}

function atLeast(size: number, { complete }: { readonly complete: boolean }): string {
  return bytes(size) + (complete ? '' : '+')
}

/** The end of a path, which says more than its beginning: `…/projects/shop`. */
function pathEnd(path: string, columns: number): string {
  const parts = path.split('/')
  let shown = path
  for (let from = 1; width(shown) > columns && from < parts.length; from++) shown = `…/${parts.slice(from).join('/')}`
  return fit(shown, columns)
}
