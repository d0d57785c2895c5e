import { batch, computed, effect, signal, untracked } from '@preact/signals'
import { plain } from '../../../platform/plain-text.ts'
import type { Filters, ListedSession, SessionPage } from '../../../server/browse/contract.ts'
import { announce } from '../../state/page.ts'
import { getFilters, getSessions } from '../api.ts'
import { folderName } from '../labels.ts'
import { withTilde } from './abilities.ts'
import { listFilter, route } from './route.ts'
import { selects } from './selects.ts'

/** Rows per request: more than a screen has, and together less than 60 KB. */
const PAGE = 100

/** Sessions of the current filter, newest first, without gaps from the newest. */
export const sessions = signal<readonly ListedSession[]>([])
export const total = signal(0)
export const further = signal<SessionPage['further']>({ sub_agents: 0, hidden: 0 })
export const listState = signal<'loading' | 'loaded' | { readonly error: string }>('loading')
export const filters = signal<Filters | undefined>(undefined)

/** Counts lists: another one begins at its top. */
export const listNumber = signal(0)

const next = signal<string | null>(null)
export const hasMore = computed(() => next.value !== null)
let request = 0

/** Loads the list, and again whenever its filter changes. */
export function startList(): void {
  effect(() => {
    // Other screens have no list.
    const filter = listFilter.value
    if (route.value.screen === 'sessions') untracked(() => void load(filter))
  })
}

let loadedFilter: string | undefined

async function load(filter: string): Promise<void> {
  if (filter === loadedFilter) return
  loadedFilter = filter
  const mine = ++request
  listState.value = 'loading'
  try {
    const page = await getSessions({ ...Object.fromEntries(new URLSearchParams(filter)), limit: PAGE })
    if (mine !== request) return
    batch(() => {
      sessions.value = page.sessions
      listNumber.value++
      take(page)
    })
    announce(`${page.total} sessions`)
  } catch (error) {
    if (mine !== request) return
    loadedFilter = undefined
    listState.value = { error: (error as Error).message }
  }
}

export function reloadList(): void {
  loadedFilter = undefined
  void load(listFilter.peek())
}

let loading: Promise<void> | undefined

export function loadMore(): Promise<void> {
  loading ??= (async () => {
    const mine = request
    const after = next.value
    if (after === null) return
    const filter = Object.fromEntries(new URLSearchParams(listFilter.value))
    const page = await getSessions({ ...filter, after, limit: PAGE })
    if (mine !== request) return
    const known = new Set(sessions.value.map(({ id }) => id))
    batch(() => {
      sessions.value = [...sessions.value, ...page.sessions.filter(({ id }) => !known.has(id))]
      take(page)
    })
  })()
    .catch(() => undefined)
    .finally(() => {
      loading = undefined
    })
  return loading
}

function take(page: SessionPage): void {
  next.value = page.next
  total.value = page.total
  further.value = page.further
  listState.value = 'loaded'
}

/** Rows that the server reports as new or changed, whatever the filter: those that it leaves out are not added. */
export function applyRows(changed: readonly ListedSession[], removed: readonly string[]): void {
  const gone = new Set(removed)
  const byId = new Map(changed.map((session) => [session.id, session]))
  const known = new Set(sessions.value.map(({ id }) => id))
  const filter = new URLSearchParams(listFilter.value)
  const now = new Date()
  const added = changed.filter((session) => !known.has(session.id) && selects(filter, session, now))
  const kept = sessions.value.flatMap((session) => {
    const row = byId.get(session.id)
    return gone.has(session.id) || (row && !selects(filter, row, now)) ? [] : [row ?? session]
  })
  if (added.some(isNewToFilters)) void loadFilters()
  const oldest = hasMore.value ? (kept.at(-1)?.updated_at ?? '') : ''
  batch(() => {
    total.value += added.length - (sessions.value.length - kept.length)
    // Older ones come with their page.
    const shown = added.filter(({ updated_at }) => (updated_at ?? '') >= oldest)
    sessions.value = [...shown, ...kept].sort((a, b) => (b.updated_at ?? '').localeCompare(a.updated_at ?? ''))
  })
}

/** Of an agent or a project that the filters do not offer yet. */
function isNewToFilters({ agent, project }: ListedSession): boolean {
  const offered = filters.peek()
  // They are on their way, perhaps without it.
  if (!offered) return true
  const isListed = project === null || offered.projects.some(({ path }) => path === project)
  return !isListed || !offered.agents.some(({ id }) => id === agent)
}

/** A change that this page made itself. */
export function patchRow(id: string, change: Partial<ListedSession>): void {
  sessions.value = sessions.value.map((session) => (session.id === id ? { ...session, ...change } : session))
}

export function replaceRow(row: ListedSession): void {
  sessions.value = sessions.value.map((session) => (session.id === row.id ? row : session))
}

export async function loadFilters(): Promise<void> {
  filters.value = await getFilters().catch(() => filters.value)
}

/** What a project is called: its folder, or the path where several folders have that name. */
export function projectTitle(path: string): string {
  const name = folderName(path)
  const isAmbiguous = filters.value?.projects.some((one) => one.path !== path && folderName(one.path) === name)
  return isAmbiguous ? plain(withTilde(path)) : name
}

/** The agent's name for people. */
export function agentTitle(id: string): string {
  return filters.value?.agents.find((agent) => agent.id === id)?.title ?? id
}
