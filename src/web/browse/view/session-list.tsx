import type { JSX } from 'preact'
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'
import { plain } from '../../../platform/plain-text.ts'
import type { ListedSession } from '../../../server/browse/contract.ts'
import { count } from '../../text/labels.ts'
import { Icon } from '../../view/icons.tsx'
import { ageLabel, folderName, fullTime, titleOf } from '../labels.ts'
import { go, hrefOf, hrefWith, listFilter, route } from '../state/route.ts'
import {
  agentTitle,
  filters,
  further,
  hasMore,
  listNumber,
  listState,
  loadMore,
  reloadList,
  sessions,
  total,
} from '../state/sessions.ts'
import { GapBadges } from './badges.tsx'

/** All rows are equally high, so that a list of any length needs no measuring; see .session-row. */
const ROW = 58
const OVERSCAN = 6
/** Rows before the end at which the next page is requested. */
const EARLY = 30

export function SessionList(): JSX.Element {
  const { session: open } = route.value
  const all = sessions.value
  const scroller = useRef<HTMLDivElement>(null)
  const { first, last } = useVisibleRows(scroller, all.length)
  const now = useMinutes()
  useEffect(() => {
    if (hasMore.value && last > all.length - EARLY) void loadMore()
  }, [last, all])
  const openIndex = all.findIndex(({ id }) => id === open)
  useShown(scroller, openIndex)
  useLayoutEffect(() => {
    if (scroller.current && openIndex < 0) scroller.current.scrollTop = 0
  }, [listNumber.value])
  return (
    <section class="list" aria-label="Sessions">
      <ListHead />
      <div
        ref={scroller}
        class="list-scroller"
        role="listbox"
        aria-label="Sessions"
        aria-activedescendant={openIndex >= first && openIndex < last ? `row-${openIndex}` : undefined}
        aria-busy={listState.value === 'loading'}
        tabIndex={0}
        onKeyDown={(event) => onArrow(event, openIndex)}
      >
        <div class="list-rows" role="presentation" style={{ height: `${all.length * ROW}px` }}>
          {all.slice(first, last).map((session, offset) => {
            const index = first + offset
            return (
              <SessionRow
                key={session.id}
                session={session}
                index={index}
                total={all.length}
                isOpen={index === openIndex}
                now={now}
              />
            )
          })}
        </div>
        <ListNotice />
      </div>
    </section>
  )
}

function SessionRow({
  session,
  index,
  total,
  isOpen,
  now,
}: {
  readonly session: ListedSession
  readonly index: number
  readonly total: number
  readonly isOpen: boolean
  readonly now: number
}): JSX.Element {
  const { id, agent, title, project, updated_at, live } = session
  return (
    <a
      id={`row-${index}`}
      class={`session-row${isOpen ? ' open' : ''}`}
      role="option"
      aria-selected={isOpen}
      aria-setsize={total}
      aria-posinset={index + 1}
      tabIndex={-1}
      href={hrefOf({ session: id })}
      style={{ transform: `translateY(${index * ROW}px)` }}
    >
      <span class="row-title">
        {session.pinned && <Icon name="pinned" />}
        <b>{titleOf(title, id)}</b>
        <time dateTime={updated_at ?? ''} title={fullTime(updated_at)}>
          {ageLabel(updated_at, now)}
        </time>
      </span>
      <span class="row-about">
        {live && <LiveMark live={live} />}
        <span class="about" title={plain(project ?? '')}>
          {plain(agentTitle(agent))}
          {project && ` · ${folderName(project)}`}
        </span>
        {session.tags?.map((tag) => (
          <span key={tag} class="tag">
            {plain(tag)}
          </span>
        ))}
        {session.parent && <span class="badge">sub-agent</span>}
        {session.hidden && <span class="badge">hidden</span>}
        {session.only_in_archive && (
          <span class="badge archive" title="The agent has deleted it. Ion has kept a copy.">
            only in the archive
          </span>
        )}
        <GapBadges session={session} />
      </span>
    </a>
  )
}

/** The state and how it is known: a dot alone would have to be believed. */
export function LiveMark({ live }: { readonly live: NonNullable<ListedSession['live']> }): JSX.Element {
  const tone = { working: 'works', waiting: 'asks', open: 'ready' }[live.state]
  return (
    <span class={`live ${tone}`} title={plain(live.why)}>
      <span class={`dot ${tone}`} />
      {live.state}
      <span class="why"> · {plain(live.why)}</span>
    </span>
  )
}

/** What else can be shown or hidden; all of it in the address. */
const TOGGLES = [
  { name: 'pinned', label: 'Pinned only' },
  { name: 'archived', label: 'Only in the archive' },
  { name: 'subagents', label: 'Include sub-agents' },
  { name: 'hidden', label: 'Include those archived in the agent' },
] as const

function ListHead(): JSX.Element {
  const { query } = route.value
  const tags = filters.value?.tags ?? []
  const isLoading = listState.value === 'loading'
  const more = [
    further.value.sub_agents > 0 &&
      !query.has('subagents') &&
      count(further.value.sub_agents, 'sub-agent', 'sub-agents'),
    further.value.hidden > 0 && !query.has('hidden') && `${further.value.hidden} hidden`,
  ].filter(Boolean)
  const set = [...TOGGLES.map(({ name }) => name), 'tag'].filter((name) => query.has(name)).length
  const menu = useRef<HTMLDetailsElement>(null)
  useEffect(() => {
    const onPress = ({ target }: PointerEvent): void => {
      if (menu.current && !menu.current.contains(target as Node)) menu.current.open = false
    }
    addEventListener('pointerdown', onPress)
    return () => removeEventListener('pointerdown', onPress)
  }, [])
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key !== 'Escape' || !menu.current?.open) return
    menu.current.open = false
    menu.current.querySelector('summary')?.focus()
    event.stopPropagation()
  }
  return (
    <div class="list-head">
      <h2>{isLoading && total.value === 0 ? 'Sessions' : count(total.value, 'session', 'sessions')}</h2>
      {more.length > 0 && <span class="quiet more-hidden">+ {more.join(', ')}</span>}
      <span class="grow" />
      <details ref={menu} class="menu" onKeyDown={onKeyDown}>
        <summary class={set > 0 ? 'set' : ''}>
          Show{set > 0 && ` (${set})`}
          <Icon name="down" />
        </summary>
        <div class="menu-items">
          {TOGGLES.map(({ name, label }) => (
            <label key={name}>
              <input
                type="checkbox"
                checked={query.has(name)}
                onChange={(event) => go(hrefWith({ [name]: event.currentTarget.checked ? '1' : undefined }))}
              />
              {label}
            </label>
          ))}
          {(tags.length > 0 || query.has('tag')) && (
            <label>
              Tag
              <select
                value={query.get('tag') ?? ''}
                onChange={(event) => go(hrefWith({ tag: event.currentTarget.value }))}
              >
                <option value="">any</option>
                {tags.map((tag) => (
                  <option key={tag} value={tag}>
                    {plain(tag)}
                  </option>
                ))}
              </select>
            </label>
          )}
        </div>
      </details>
    </div>
  )
}

function ListNotice(): JSX.Element | null {
  const state = listState.value
  if (typeof state === 'object') {
    return (
      <div class="empty-list">
        <p class="bad">{plain(state.error)}</p>
        <button type="button" class="plain" onClick={reloadList}>
          Try again
        </button>
        {listFilter.value !== '' && (
          <p>
            <a href="/">Show all sessions</a>
          </p>
        )}
      </div>
    )
  }
  if (sessions.value.length > 0) return null
  if (state === 'loading') return <p class="empty-list quiet">Looking through the agents' stores…</p>
  return (
    <div class="empty-list">
      {listFilter.value === '' ? (
        <>
          <p>No sessions yet.</p>
          <p class="quiet">
            Ion shows what coding agents on this machine have stored. Start one, or try <code>ion demo --keep</code>.
          </p>
        </>
      ) : (
        <>
          <p>No session matches these filters.</p>
          <a href="/">Show all sessions</a>
        </>
      )}
    </div>
  )
}

/** Which rows of equal height are visible; also the first rows before anything is measured. */
function useVisibleRows(
  scroller: { readonly current: HTMLDivElement | null },
  rows: number,
): { first: number; last: number } {
  const [range, setRange] = useState({ first: 0, last: 20 })
  useLayoutEffect(() => {
    const element = scroller.current
    if (!element) return
    const measure = (): void => {
      const first = Math.max(0, Math.floor(element.scrollTop / ROW) - OVERSCAN)
      const last = Math.ceil((element.scrollTop + element.clientHeight) / ROW) + OVERSCAN
      setRange((now) => (now.first === first && now.last === last ? now : { first, last }))
    }
    measure()
    element.addEventListener('scroll', measure, { passive: true })
    const observer = new ResizeObserver(measure)
    observer.observe(element)
    return () => {
      element.removeEventListener('scroll', measure)
      observer.disconnect()
    }
  }, [])
  return { first: Math.min(range.first, rows), last: Math.min(range.last, rows) }
}

/** A session that was opened by a key or a link is scrolled into view. */
function useShown(scroller: { readonly current: HTMLDivElement | null }, index: number): void {
  useLayoutEffect(() => {
    const element = scroller.current
    if (!element || index < 0) return
    const [top, bottom] = [index * ROW, (index + 1) * ROW]
    if (top < element.scrollTop) element.scrollTop = top
    else if (bottom > element.scrollTop + element.clientHeight) element.scrollTop = bottom - element.clientHeight
  }, [index])
}

function onArrow(event: KeyboardEvent, openIndex: number): void {
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
  if (!step || event.altKey || event.ctrlKey || event.metaKey) return
  event.preventDefault()
  openAt(openIndex < 0 ? (step === 1 ? 0 : -1) : openIndex + step)
}

/** Opens the session before or after the open one. */
export function openNeighbour(step: 1 | -1): void {
  const index = sessions.value.findIndex(({ id }) => id === route.value.session)
  openAt(index < 0 ? 0 : index + step)
}

function openAt(index: number): void {
  const next = sessions.value[index]
  if (next) go(hrefOf({ session: next.id }), { replace: route.value.session !== undefined })
}

/** Ages are in minutes. */
function useMinutes(): number {
  const [now, tick] = useState(Date.now)
  useEffect(() => {
    const timer = setInterval(() => tick(Date.now()), 60_000)
    return () => clearInterval(timer)
  }, [])
  return now
}
