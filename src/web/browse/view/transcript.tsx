import type { JSX } from 'preact'
import { useEffect, useLayoutEffect, useMemo, useRef } from 'preact/hooks'
import { plain } from '../../../platform/plain-text.ts'
import { isFinding } from '../../state/page.ts'
import type { Row } from '../../state/rows.ts'
import { foldSteps, type ListRow } from '../../state/steps.ts'
import { shortTime } from '../../text/labels.ts'
import { FindBar } from '../../view/find-bar.tsx'
import { Icon, Tool } from '../../view/icons.tsx'
import { markMatches } from '../../view/mark-matches.ts'
import { isOpen, openRows, setOpen } from '../../view/open-rows.ts'
import { RowList } from '../../view/row-list.tsx'
import type { Surroundings } from '../../view/surroundings.ts'
import { useVirtualRows } from '../../view/virtual-rows.ts'
import { fullTime } from '../labels.ts'
import { copyLink } from '../state/actions.ts'
import { endFind, findNear, findNext, findQuery, findState, found } from '../state/find.ts'
import { isRailOpen } from '../state/overlay.ts'
import { hrefOf, route } from '../state/route.ts'
import * as session from '../state/session.ts'
import { agentTitle } from '../state/sessions.ts'

/** Rows before the edge of what is loaded at which more is requested, so that it arrives before the reader. */
const EARLY = 25

/** What the rows show is that of the open session. */
const around: Surroundings = {
  get agentName() {
    return agentTitle(session.listed.value?.agent ?? '') || 'Agent'
  },
  get project() {
    return session.detail.value?.cwd ?? session.listed.value?.project ?? undefined
  },
  get isWorking() {
    return session.listed.value?.live?.state === 'working'
  },
  get isAsking() {
    return session.listed.value?.live?.state === 'waiting'
  },
  transcriptTime: (local) => local,
  fullResult: (call) => session.fullResults.value.get(call),
  loadFullResult: session.loadFullResult,
}

export function TranscriptTab(): JSX.Element {
  const state = session.transcriptState.value
  useEffect(
    () => () => {
      isFinding.value = false
      endFind()
    },
    [],
  )
  return (
    <div class="transcript">
      {isFinding.value && <TranscriptFind />}
      <div class="reading">
        {state === 'loaded' ? (
          <Transcript />
        ) : (
          <div class="pane nothing">
            {state === 'loading' ? (
              <p class="quiet late">Reading…</p>
            ) : (
              <div>
                <p class="bad">{plain(state.error)}</p>
                <button type="button" class="plain" onClick={session.reloadSession}>
                  Try again
                </button>
              </div>
            )}
          </div>
        )}
        <Rail />
      </div>
    </div>
  )
}

function Transcript(): JSX.Element {
  const rows = useMemo(() => foldSteps(session.rows.value, isOpen), [session.rows.value, openRows.value])
  const scroller = useRef<HTMLDivElement>(null)
  const isEnd = session.after.value === null
  const { list, atEnd, scrollToRow } = useVirtualRows({
    rows,
    scroller,
    isEnd,
    first: session.marked.peek(),
    onRange: (range) => {
      if (!range) return
      if (range.startIndex < EARLY && session.before.value !== null) void session.extend('before')
      if (range.endIndex > rows.length - EARLY && session.after.value !== null) void session.extend('after')
    },
  })
  const current = isFinding.value ? found.value : undefined

  useEffect(() => {
    if (scroller.current) markMatches(scroller.current, isFinding.value ? findQuery.value : '', current)
  })
  useLayoutEffect(() => {
    session.topEvent.value = () => keyOf(rows[list.getVirtualItemForOffset((list.scrollOffset ?? 0) + 40)?.index ?? 0])
  })
  // A row within a folded run has to be opened first; then this is called again.
  const request = session.scrollRequest.value
  const done = useRef<typeof request>(undefined)
  useLayoutEffect(() => {
    if (!request || done.current === request) return
    const kind = rows.find(({ key }) => key === request.event)?.kind
    if (scrollToRow(request.event, kind === 'prompt' ? 'start' : 'center')) done.current = request
    else {
      const within = rows.find((row) => row.kind === 'steps' && row.steps.some(({ key }) => key === request.event))
      if (within) setOpen([within.key], true)
    }
  }, [request, rows])

  return (
    <div class="conversation">
      <div ref={scroller} class="scroller" role="log" aria-live="off" aria-label="Transcript" tabIndex={0}>
        {rows.length === 0 && <p class="empty">This session has no messages.</p>}
        <RowList
          rows={rows}
          list={list}
          around={around}
          found={current}
          marked={session.marked.value}
          beside={(row) => (row.kind === 'steps' ? null : <EventLink event={row.key} time={row.message.time} />)}
        />
      </div>
      {(!atEnd || !isEnd) && (
        <button
          type="button"
          class="to-end"
          onClick={() => void session.goToEnd().then(() => requestAnimationFrame(() => list.scrollToEnd()))}
        >
          <Icon name="down" />
          To the end
        </button>
      )}
    </div>
  )
}

/** A run is where its first step is. */
function keyOf(row: ListRow | undefined): string | undefined {
  return row?.kind === 'steps' ? row.steps[0]?.key : row?.key
}

/** In the margin: the address of this event. A click marks it and copies the address. */
function EventLink({ event, time }: { readonly event: string; readonly time: string }): JSX.Element {
  const { session: id } = route.value
  return (
    <a
      class="event-link"
      href={hrefOf({ session: id, event })}
      title={`Copy the link to this event\n${fullTime(time)}`}
      aria-label="Link to this event"
      tabIndex={-1}
      onClick={() => copyLink(event)}
    >
      #
    </a>
  )
}

/** The prompts as a table of contents. */
function Rail(): JSX.Element | null {
  const list = session.prompts.value
  const here = session.marked.value
  const open = useRef<HTMLElement>(null)
  useEffect(() => {
    open.current?.querySelector('[aria-current]')?.scrollIntoView({ block: 'nearest' })
  }, [here])
  if (!list || list.prompts.length < 2) return null
  const { session: id } = route.value
  return (
    <nav ref={open} class={isRailOpen.value ? 'rail open' : 'rail'} aria-label="Prompts">
      <h2>
        {/* Those before the last part of a large session were not counted. */}
        {list.from === null ? `${list.prompts.length} prompts` : `The last ${list.prompts.length} prompts`}
        <Tool
          icon="close"
          label="Close the list of prompts"
          class="small narrow-rail"
          onClick={() => (isRailOpen.value = false)}
        />
      </h2>
      {list.from !== null && (
        <button type="button" class="plain earlier" onClick={session.loadEarlierPrompts}>
          Earlier prompts
        </button>
      )}
      <ol class={list.from === null ? '' : 'unnumbered'}>
        {list.prompts.map(({ event, time, text }, index) => (
          <li key={event}>
            <a
              href={hrefOf({ session: id, event })}
              aria-current={event === here ? 'true' : undefined}
              title={`${fullTime(time)}\n${plain(text).slice(0, 400)}`}
              onClick={() => (isRailOpen.value = false)}
            >
              {list.from === null && <span class="number">{index + 1}</span>}
              <span class="prompt-text">{plain(text).slice(0, 160).replace(/\s+/g, ' ')}</span>
              <time>{shortTime(time ?? '', new Date()).replace(/ .*/, '')}</time>
            </a>
          </li>
        ))}
      </ol>
    </nav>
  )
}

/** Finds text in the transcript, and loads more of it until there is a match. */
function TranscriptFind(): JSX.Element {
  const show = (row: Row | undefined): void => {
    if (!row) return
    // A match in a folded row opens it.
    if (row.kind !== 'text' && row.kind !== 'prompt') setOpen([row.key], true)
    session.scrollRequest.value = { event: row.key }
  }
  const find = (text: string): void => {
    found.value = undefined
    findQuery.value = text
    void findNear(session.topEvent.value()).then(show)
  }
  const close = (): void => {
    isFinding.value = false
    endFind()
  }
  return (
    <FindBar
      label="Find in this session"
      query={findQuery.value}
      state={findState.value}
      onQuery={find}
      onStep={(direction) => void findNext(direction, session.topEvent.value()).then(show)}
      onClose={close}
    />
  )
}
