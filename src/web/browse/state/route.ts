import { computed, signal } from '@preact/signals'

export type Screen = 'sessions' | 'search' | 'files' | 'usage' | 'agents'

/** Where the reader is, from the address: everything that a link should reproduce is in it. */
export interface Route {
  readonly screen: Screen
  /** The open session and, from the fragment, an event of it. */
  readonly session: string | undefined
  readonly event: string | undefined
  readonly query: URLSearchParams
}

export const route = signal<Route>(routeOf(new URL(location.href)))

/** The parameters that all screens share. */
const FILTERS = ['agent', 'project', 'since'] as const
/** Those of the list of sessions. */
const LIST_FILTERS = ['archived', 'tag', 'pinned', 'hidden', 'subagents'] as const

/** What the list of sessions is filtered by, as one string: equal strings are equal lists. */
export const listFilter = computed(() => {
  const { query } = route.value
  const kept = [...FILTERS, ...LIST_FILTERS].flatMap((name) => (query.get(name) ? [[name, query.get(name)!]] : []))
  return new URLSearchParams(kept).toString()
})

function routeOf(url: URL): Route {
  const [, first = '', second = ''] = url.pathname.split('/')
  const screen = (['search', 'files', 'usage', 'agents'] as const).find((name) => name === first) ?? 'sessions'
  return {
    screen,
    session: first === 's' && second !== '' ? decode(second) : undefined,
    event: url.hash.length > 1 ? decode(url.hash.slice(1)) : undefined,
    query: url.searchParams,
  }
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

interface Place {
  readonly screen?: Screen
  readonly session?: string | undefined
  readonly event?: string | undefined
  /** Changes to the parameters; undefined or '' removes one. */
  readonly query?: Readonly<Record<string, string | undefined>>
}

/** The address of a place; filters are kept, what belongs to another screen is not. */
export function hrefOf({ screen = 'sessions', session, event, query = {} }: Place): string {
  const { query: current, screen: here } = route.value
  const kept = here === screen ? [...current] : [...current].filter(([name]) => FILTERS.some((one) => one === name))
  const next = new URLSearchParams(kept)
  // They belong to the session that was open.
  for (const name of ['tab', 'turn', 'source', 'thinking', 'system'])
    if (session !== route.value.session) next.delete(name)
  for (const [name, value] of Object.entries(query)) {
    if (value === undefined || value === '') next.delete(name)
    else next.set(name, value)
  }
  const path = session !== undefined ? `/s/${encodeURIComponent(session)}` : screen === 'sessions' ? '/' : `/${screen}`
  const search = next.toString()
  return `${path}${search && `?${search}`}${event === undefined ? '' : `#${encodeURIComponent(event)}`}`
}

/** The same place with other parameters. */
export function hrefWith(query: Place['query'] & object): string {
  const { screen, session } = route.value
  return hrefOf({ screen, session, query })
}

export function go(href: string, { replace = false } = {}): void {
  if (href === location.pathname + location.search + location.hash) {
    // The same link once more: what it names is shown again. Keys may have changed the address without going there.
    route.value = routeOf(new URL(location.href))
    return
  }
  if (replace) history.replaceState(null, '', href)
  else history.pushState(null, '', href)
  route.value = routeOf(new URL(location.href))
}

/** The event that a reload comes back to; the way back does not pass every one. */
export function noteEvent(event: string | undefined): void {
  history.replaceState(null, '', hrefOf({ session: route.value.session, event }))
}

/** Links of the page are followed without loading it again; a click with a modifier is the browser's. */
export function followLinks(event: MouseEvent): void {
  if (event.defaultPrevented || event.button !== 0 || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey)
    return
  // Those of a chart are not HTML.
  const link = event.target instanceof Element ? event.target.closest('a[href]') : null
  if (!link || link.hasAttribute('target') || link.hasAttribute('download')) return
  const { origin, pathname, search, hash } = new URL(link.getAttribute('href') ?? '', location.href)
  // What the server of a chat answers, and the API.
  if (origin !== location.origin || pathname.startsWith('/live/') || pathname.startsWith('/api/')) return
  event.preventDefault()
  go(pathname + search + hash)
}

addEventListener('popstate', () => {
  route.value = routeOf(new URL(location.href))
})
