import { agentPrograms } from '../../agents/_programs.ts'
import { findAgent } from '../../agents/find.ts'
import type { ListPage, PageCursor, PageRow } from '../../catalog/list-page.ts'
import type { SessionFilter, SessionRow } from '../../catalog/session-row.ts'
import type { AllMarks } from '../../organise/marks.ts'
import { marksReader } from '../../organise/read-marks.ts'
import { parseTag } from '../../organise/tag.ts'
import { IonError } from '../../platform/error.ts'
import type { Io } from '../../platform/io.ts'
import { projectOf } from '../../platform/project.ts'
import { parseSince } from '../../platform/since.ts'
import { pricesReader } from '../../usage/prices/load-prices.ts'
import { type PriceBook, priceOf } from '../../usage/prices/price-book.ts'
import { tokenCount } from '../../usage/sums.ts'
import type { Filters, ListedSession, LiveState, SessionPage } from './contract.ts'
import type { LiveStates } from './live-states.ts'
import type { SessionIndex } from './session-index.ts'

const DEFAULT_LIMIT = 100
const MAX_LIMIT = 500
const MAX_PROJECTS = 200
const MAX_TOTALS = 100

/** Query parameters, each as often as it was given. */
export type Query = (name: string) => readonly string[]

/** The list and its filters. */
export class SessionListing {
  readonly #index: SessionIndex
  readonly #live: LiveStates
  readonly #io: Io
  readonly #marks: ReturnType<typeof marksReader>
  readonly #prices: ReturnType<typeof pricesReader>
  /** Counting them looks at every session, so they are kept until one changes. */
  #counts: Pick<Filters, 'agents' | 'projects'> | undefined
  readonly #totals = new Map<string, Pick<ListPage, 'total' | 'further'>>()
  #countedWith: AllMarks | undefined

  constructor(index: SessionIndex, live: LiveStates, io: Io) {
    this.#index = index
    this.#live = live
    this.#io = io
    this.#marks = marksReader(io)
    this.#prices = pricesReader(io)
    index.onChange(() => {
      this.#counts = undefined
      this.#totals.clear()
    })
  }

  async page(query: Query): Promise<SessionPage> {
    const filter = { ...this.filter(query), limit: limitOf(query('limit')[0], DEFAULT_LIMIT, MAX_LIMIT) }
    const cursor = query('after')[0]
    const after = cursor === undefined ? undefined : parseCursor(cursor)
    const { rows, total, further } = this.#pageOf(filter, after)
    const last = rows.at(-1)
    return {
      sessions: await this.listed(rows),
      next: last && rows.length === filter.limit ? cursorOf(last) : null,
      total,
      further,
    }
  }

  /** Counting looks at every session, so the counts of a filter are kept until a session or a mark changes. */
  #pageOf(filter: SessionFilter & { readonly limit: number }, after: PageCursor | undefined): ListPage {
    const { catalog } = this.#index
    const marks = this.#marks()
    if (marks !== this.#countedWith) this.#totals.clear()
    this.#countedWith = marks
    const key = JSON.stringify({ ...filter, limit: 0 })
    const known = this.#totals.get(key)
    // Words are looked for in every session anyway.
    const hasWords = filter.words !== undefined && filter.words.length > 0
    if (known && !hasWords) return { rows: catalog.pageRows(filter, after), ...known }
    const { rows, total, further } = catalog.page(filter, after)
    if (this.#totals.size >= MAX_TOTALS) this.#totals.clear()
    this.#totals.set(key, { total, further })
    return { rows, total, further }
  }

  /** As lists show them. */
  async listed(rows: readonly PageRow[]): Promise<ListedSession[]> {
    // Without prices, which `ion usage` reports, the list is still right.
    const [live, book] = await Promise.all([this.#live.of(rows), this.#prices().catch(() => undefined)])
    const marks = this.#marks()
    const now = this.#io.now()
    const isUnpriced = (row: PageRow): boolean => book !== undefined && lacksPrice(row, book, now)
    return rows.map((row) => listedSession(row, marks, live.get(row.id), isUnpriced(row)))
  }

  async row({ only_in_archive, ...row }: SessionRow): Promise<ListedSession> {
    const store = only_in_archive ? '' : row.agent
    const is_shared = this.#index.catalog.isIdShared(row) ? 1 : 0
    const [listed] = await this.listed([
      { ...row, store, is_shared, tokens: tokenCount(row), hidden: row.hidden ? 1 : 0 },
    ])
    return listed!
  }

  filters(): Filters {
    const { catalog } = this.#index
    this.#counts ??= {
      agents: catalog.overview().map(({ agent, sessions }) => ({ id: agent, title: titleOf(agent), sessions })),
      projects: catalog.projects(MAX_PROJECTS),
    }
    const tags = this.#marks().tags()
    return { ...this.#counts, tags: tags.map(({ tag }) => tag) }
  }

  /** Throws `usage` or `not-found` for what is not one. */
  filter(query: Query): SessionFilter {
    const now = this.#io.now()
    const [project, since, until] = [query('project')[0], query('since')[0], query('until')[0]]
    const isSet = (name: string): boolean => ['1', 'true'].includes(query(name)[0] ?? '')
    const words = query('words').flatMap((text) => text.split(/\s+/).filter((word) => word !== ''))
    return {
      agents: listOf(query('agent')).map((name) => findAgent(name).id),
      tags: listOf(query('tag')).map(parseTag),
      words,
      hidden: isSet('hidden'),
      subAgents: isSet('subagents'),
      pinned: isSet('pinned'),
      onlyInArchive: isSet('archived'),
      ...(project ? { project: projectOf(project) } : {}),
      ...(since ? { since: parseSince(since, now) } : {}),
      ...(until ? { until: parseSince(until, now) } : {}),
    }
  }
}

export function titleOf(agent: string): string {
  return agentPrograms.find(({ id }) => id === agent)?.title ?? agent
}

/** Given several times, or separated by commas. */
function listOf(values: readonly string[]): string[] {
  return values.flatMap((value) => value.split(',')).filter((one) => one !== '')
}

export function limitOf(text: string | undefined, fallback: number, maximum: number): number {
  if (text === undefined) return fallback
  const limit = Number(text)
  if (/^\d{1,6}$/.test(text) && limit > 0) return Math.min(limit, maximum)
  throw new IonError('usage', `"${text}" is not a number of entries`, { hint: `1 to ${maximum}` })
}

/** Only of the row's own model: which others a session used, its calls would have to be asked. */
function lacksPrice({ tokens, model, updated_at }: PageRow, book: PriceBook, now: Date): boolean {
  if (tokens === 0 || model === null) return false
  return priceOf(book, model, updated_at === null ? now : new Date(updated_at)) === undefined
}

function listedSession(row: PageRow, marks: AllMarks, live: LiveState | undefined, isUnpriced: boolean): ListedSession {
  const { name, tags, pinned } = marks.get(row)
  const marked_at = marks.lastChange(row)
  const isOnlyArchived = row.store !== row.agent
  return {
    id: row.is_shared ? `${row.agent}:${row.id}` : row.id,
    agent: row.agent,
    title: name ?? row.title,
    project: row.project,
    updated_at: row.updated_at,
    messages: row.messages,
    model: row.model,
    ...(isOnlyArchived ? { only_in_archive: true } : {}),
    ...(row.problems > 0 ? { problems: row.problems } : {}),
    ...(isUnpriced ? { unpriced: true } : {}),
    ...(pinned ? { pinned } : {}),
    ...(row.hidden ? { hidden: true } : {}),
    ...(tags.length > 0 ? { tags } : {}),
    ...(row.parent_session === null
      ? {}
      : { parent: row.is_shared ? `${row.agent}:${row.parent_session}` : row.parent_session }),
    ...(marked_at === undefined ? {} : { marked_at }),
    ...(live && !isOnlyArchived ? { live } : {}),
  }
}

function cursorOf({ updated_at, id }: PageCursor): string {
  return Buffer.from(JSON.stringify([updated_at, id])).toString('base64url')
}

function parseCursor(text: string): PageCursor {
  try {
    const [updated_at, id] = JSON.parse(Buffer.from(text, 'base64url').toString()) as unknown[]
    if ((updated_at === null || typeof updated_at === 'string') && typeof id === 'string') return { updated_at, id }
  } catch {
    // Reported below.
  }
  throw new IonError('usage', 'this is not a cursor of the list', { hint: 'leave out "after"' })
}
