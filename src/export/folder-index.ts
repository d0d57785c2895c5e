import { folderNames } from '../platform/folder-names.ts'
import { formatCount } from '../platform/format-count.ts'
import { cleanLine } from './clean.ts'
import { indexStyle, script } from './folder-index-assets.ts'
import { type Family, familiesOf, fileHref, firstById, type Ordered } from './folder-order.ts'
import { hashSource, htmlHead } from './html-head.ts'
import { style } from './html-style.ts'
import { counted, shortCount, sizeLabel } from './labels.ts'
import { escapeForHtml } from './markdown-text.ts'

/** The name of the page that lists the sessions of a folder. */
export const INDEX_FILE = 'index.html'

/** What the index says about a session. All texts are masked already where the folder is. */
export interface IndexEntry extends Ordered {
  /** The name of its page, in the same folder. */
  readonly file: string
  readonly agent: string
  readonly title: string
  /** The beginning of the first prompt; null without one. */
  readonly prompt: string | null
  /** The folder of the project. */
  readonly project: string | null
  readonly updated_at: string | null
  readonly forked_from: string | null
  readonly messages: number
  readonly tool_calls: number
  readonly tokens_in: number
  readonly tokens_out: number
  /** The size of its page. */
  readonly bytes: number
  /** Records of the session that could not be read. */
  readonly problems: number
}

const PROMPT_LENGTH = 160

/**
 * The index of a folder of sessions: one self-contained page, complete without its script, which only filters the list. Piece by
 * piece, and in one pass over the entries.
 */
export function* toIndex(
  entries: readonly IndexEntry[],
  { redacted }: { readonly redacted: boolean },
): Generator<string> {
  const families = familiesOf(entries)
  const days = byDay(families)
  const choices = choicesOf(entries)
  const lookup = { byId: firstById(entries), choices }
  yield htmlHead({ title: 'Sessions', style: style + indexStyle, policy: `script-src ${hashSource(script)}` })
  yield `<header>
<h1>Sessions</h1>
<p>${summary(families, entries)}</p>
${redacted ? '<p>Secrets, home paths and e-mail addresses are masked.</p>\n' : ''}${filterForm(choices)}${monthLinks(days)}</header>
<main>
`
  let month: string | undefined
  for (const [day, members] of days) {
    const anchor = monthOf(day) === month ? '' : ` id="${monthOf(day)}"`
    month = monthOf(day)
    yield `<section${anchor}><h2>${dayLabel(day)} <small>${members.length}</small></h2><ul>\n`
    for (const family of members) yield familyItem(family, lookup)
    yield '</ul></section>\n'
  }
  yield `<p id="none" hidden>No matching sessions.</p>
</main>
<footer>Exported by Ion.</footer>
<script>${script}</script>
</body>
</html>
`
}

function summary(families: readonly Family<IndexEntry>[], entries: readonly IndexEntry[]): string {
  const subAgents = entries.length - families.length
  const first = families.findLast(({ session }) => session.created_at !== null)?.session.created_at
  const last = families[0]?.session.created_at
  const from = first?.slice(0, 10)
  const to = last?.slice(0, 10)
  const parts = [
    counted(families.length, 'session'),
    subAgents > 0 ? counted(subAgents, 'sub-agent session') : '',
    from && to ? escapeForHtml(from === to ? from : `${from} to ${to}`) : '',
    'times in UTC',
  ]
  return parts.filter((part) => part !== '').join(' · ')
}

/** A value of a filter, with its number among the options. */
interface Choice {
  readonly number: number
  readonly label: string
  count: number
}

interface Choices {
  readonly agents: ReadonlyMap<string, Choice>
  readonly projects: ReadonlyMap<string, Choice>
}

function choicesOf(entries: readonly IndexEntry[]): Choices {
  const names = folderNames(new Set(entries.flatMap(({ project }) => (project === null ? [] : [project]))))
  const agents = new Map<string, Choice>()
  const projects = new Map<string, Choice>()
  const count = (choices: Map<string, Choice>, key: string, label: string, length: number): void => {
    const known = choices.get(key)
    if (known) known.count++
    else choices.set(key, { number: choices.size, label: cleanLine(label, length) || '?', count: 1 })
  }
  for (const { agent, project } of entries) {
    count(agents, agent, agent, 40)
    if (project !== null) count(projects, project, names.get(project) || project, 40)
  }
  return { agents, projects }
}

/** Hidden until the script has started, since it does nothing without. */
function filterForm({ agents, projects }: Choices): string {
  return `<form hidden role="search">
<input type="search" name="text" placeholder="Filter by title, prompt, project or agent" aria-label="Filter sessions" autocomplete="off" spellcheck="false">
${select('agent', 'All agents', agents)}${select('project', 'All projects', projects)}<button type="reset" hidden>Clear</button>
<output></output>
</form>
`
}

function select(name: string, all: string, choices: ReadonlyMap<string, Choice>): string {
  const options = [...choices.values()]
    .toSorted((a, b) => (a.label < b.label ? -1 : 1))
    .map(
      ({ number, label, count }) =>
        `<option value="${number}">${escapeForHtml(label)} (${formatCount(count)})</option>`,
    )
  // Also with one value: the script expects both.
  const hidden = options.length < 2 ? ' hidden' : ''
  return `<select name="${name}" aria-label="${all}"${hidden}><option value="">${all}</option>
${options.join('\n')}</select>
`
}

const UNDATED = 'undated'

function byDay(families: readonly Family<IndexEntry>[]): Map<string, Family<IndexEntry>[]> {
  const days = new Map<string, Family<IndexEntry>[]>()
  for (const family of families) {
    const day = dayOf(family.session.created_at)
    const members = days.get(day)
    if (members) members.push(family)
    else days.set(day, [family])
  }
  return days
}

function dayOf(time: string | null): string {
  return /^\d{4}-(?:0[1-9]|1[0-2])-\d\d(?=T)/.exec(time ?? '')?.[0] ?? UNDATED
}

function monthOf(day: string): string {
  return day === UNDATED ? UNDATED : day.slice(0, 7)
}

const MONTHS = 'January February March April May June July August September October November December'.split(' ')
const WEEKDAYS = 'Sunday Monday Tuesday Wednesday Thursday Friday Saturday'.split(' ')

/** `Sunday 15 November 2026`. Not by Intl: the page is the same on every machine. */
function dayLabel(day: string): string {
  if (day === UNDATED) return 'Undated'
  const weekday = WEEKDAYS[new Date(`${day}T00:00:00Z`).getUTCDay()] ?? ''
  return `${weekday} ${Number(day.slice(8))} ${MONTHS[Number(day.slice(5, 7)) - 1]} ${day.slice(0, 4)}`.trim()
}

/** By year, newest first. */
function monthLinks(days: ReadonlyMap<string, unknown>): string {
  const months = [...new Set([...days.keys()].map(monthOf))]
  if (months.length < 2) return ''
  const years = new Map<string, string[]>()
  for (const month of months) {
    const isDated = month !== UNDATED
    const year = isDated ? month.slice(0, 4) : 'Undated'
    const link = `<a href="#${month}">${isDated ? MONTHS[Number(month.slice(5)) - 1]!.slice(0, 3) : 'sessions'}</a>`
    years.set(year, [...(years.get(year) ?? []), link])
  }
  const lines = [...years].map(([year, links]) => `<p><b>${year}</b> ${links.join(' ')}</p>`)
  return `<nav class="months" aria-label="Months">${lines.join('\n')}</nav>\n`
}

interface Lookup {
  readonly byId: ReadonlyMap<string, IndexEntry>
  readonly choices: Choices
}

function familyItem({ session, subAgents }: Family<IndexEntry>, lookup: Lookup): string {
  const below =
    subAgents.length === 0
      ? ''
      : `<details><summary>${counted(subAgents.length, 'sub-agent session')}</summary><ul>
${subAgents.map((one) => item(one, session, lookup, '')).join('')}</ul></details>`
  return item(session, undefined, lookup, below)
}

/** A line may break after the dot, not before it. */
const SEPARATOR = '\u00a0· '

/** `<bdi>` is around what the filter looks at, and keeps text that is written from right to left from reordering the line. */
function item(entry: IndexEntry, top: IndexEntry | undefined, { byId, choices }: Lookup, below: string): string {
  const { agents, projects } = choices
  const project = entry.project === null ? undefined : projects.get(entry.project)
  const agent = agents.get(entry.agent)!
  const day = dayOf(entry.created_at)
  const start = day === UNDATED ? '' : clockOf(entry.created_at)
  const startDay = top && day !== dayOf(top.created_at) && day !== UNDATED ? `${day} ` : ''
  const title = `<bdi>${escapeForHtml(cleanLine(entry.title, 200))}</bdi>`
  const prompt = entry.prompt === null ? '' : cleanLine(entry.prompt, PROMPT_LENGTH)
  const meta = [
    `<bdi>${escapeForHtml(agent.label)}</bdi>`,
    project ? `<bdi>${escapeForHtml(project.label)}</bdi>` : '',
    ...countsOf(entry).map((part) => part.replace(/(?<!,) /g, '\u00a0')),
    lastDay(entry, day),
    relation(entry, top, byId),
    unread(entry),
  ].filter((part) => part !== '')
  const lines = [
    `<li data-a="${agent.number}"${project ? ` data-p="${project.number}"` : ''}><time>${startDay}${start}</time>`,
    isUnread(entry) ? `<b>${title}</b>` : `<a href="${fileHref(entry.file)}">${title}</a>`,
    prompt === '' || isSame(prompt, entry.title) ? '' : `<p class="said"><bdi>${escapeForHtml(prompt)}</bdi></p>`,
    `<p>${meta.join(SEPARATOR)}</p>`,
    below,
    '</li>\n',
  ]
  return lines.join('')
}

function clockOf(time: string | null): string {
  return /^T(\d\d:\d\d)/.exec((time ?? '').slice(10))?.[1] ?? ''
}

/** Most agents make the title of the first prompt. */
function isSame(prompt: string, title: string): boolean {
  const beginning = title.replace(/(?:…|\.\.\.)$/, '').trimEnd()
  return title.startsWith(prompt) || (beginning.length >= 20 && prompt.startsWith(beginning) && prompt.length < 100)
}

function countsOf({ messages, tool_calls, tokens_in, tokens_out, bytes }: IndexEntry): string[] {
  return [
    counted(messages, 'message'),
    tool_calls > 0 ? counted(tool_calls, 'tool call') : '',
    tokens_in + tokens_out > 0 ? `${shortCount(tokens_in)} tokens in, ${shortCount(tokens_out)} out` : '',
    sizeLabel(bytes),
  ]
}

/** A session that was continued on a later day. */
function lastDay({ updated_at }: IndexEntry, day: string): string {
  const last = dayOf(updated_at)
  return last === UNDATED || last <= day ? '' : `until ${last}`
}

/** A link to where it comes from, unless that is the session above it. */
function relation(entry: IndexEntry, top: IndexEntry | undefined, byId: ReadonlyMap<string, IndexEntry>): string {
  const from = (what: string, id: string | null): string => {
    const origin = id === null ? undefined : byId.get(id)
    if (id === null || (origin && origin === top)) return ''
    // Of an origin outside the folder there is nothing to link to; its page has the id.
    if (!origin || origin === entry || isUnread(origin)) return what
    const title = escapeForHtml(cleanLine(origin.title, 60))
    return `${what} of <a href="${fileHref(origin.file)}" dir="auto">${title}</a>`
  }
  const parts = [from('sub-agent', entry.parent_session), from('fork', entry.forked_from)]
  return parts.filter((part) => part !== '').join(' · ')
}

/** Its page is empty, so nothing links to it. */
function isUnread({ problems, messages, tool_calls }: IndexEntry): boolean {
  return problems > 0 && messages + tool_calls === 0
}

function unread(entry: IndexEntry): string {
  if (entry.problems === 0) return ''
  return `<span class="bad">${isUnread(entry) ? 'could not be read' : counted(entry.problems, 'unreadable record')}</span>`
}
