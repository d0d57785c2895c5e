import { elementScroll, observeElementOffset, observeElementRect, Virtualizer } from '@tanstack/virtual-core'
import type { JSX } from 'preact'
import { useCallback, useEffect, useLayoutEffect, useMemo, useReducer, useRef, useState } from 'preact/hooks'
import { agentName } from '../state/agent.ts'
import { hasOlder, isLoaded, loadOlder, messages, preview } from '../state/conversation.ts'
import { pendingRows } from '../state/outbox.ts'
import { estimateHeight, previewRows, rowsOf } from '../state/rows.ts'
import { currentRow, searchQuery } from '../state/search.ts'
import { foldSteps, type ListRow } from '../state/steps.ts'
import { copyCodeOf } from './copy-button.tsx'
import { ErrorBoundary } from './error-boundary.tsx'
import { Icon } from './icons.tsx'
import { markMatches } from './mark-matches.ts'
import { isGrowing, isOpen, openRows } from './open-rows.ts'
import { RowView } from './row.tsx'
import { firstVisibleRow, scrollTo } from './scroll-to.ts'

/** Distance from the top, in rows, at which older messages are loaded, so that they arrive before the reader. */
const EARLY = 25
/** Distance that counts as being at the end. */
const NEAR_END = 60
/** Width of a row's text, and of its margins on a narrow page. */
const MAX_WIDTH = 760
const MARGINS = 30

export function Conversation(): JSX.Element {
  const written = useMemo(() => (preview.value ? previewRows(preview.value) : []), [preview.value])
  const rows = useMemo(
    () => foldSteps([...rowsOf(messages.value), ...written, ...pendingRows.value], isOpen),
    [messages.value, written, pendingRows.value, openRows.value],
  )
  const opened = useMemo(
    () => new Set(rows.flatMap((row) => (row.kind === 'steps' && row.isOpen ? row.steps.map(({ key }) => key) : []))),
    [rows],
  )
  const scroller = useRef<HTMLDivElement>(null)
  const { list, atEnd } = useVirtualizer(rows, scroller)
  const unseen = useUnseen(rows, atEnd)
  const items = list.getVirtualItems()

  useEffect(() => {
    if (scroller.current) markMatches(scroller.current, searchQuery.value, currentRow.value)
  })
  useLayoutEffect(() => {
    scrollTo.value = (key, align = 'center') => {
      const index = rows.findIndex((row) => row.key === key)
      if (index >= 0) list.scrollToIndex(index, { align })
    }
    firstVisibleRow.value = () => rows[list.getVirtualItemForOffset(list.scrollOffset ?? 0)?.index ?? 0]
  })

  const scrollToEnd = (): void => {
    list.scrollToEnd()
    scroller.current?.focus()
  }
  return (
    <>
      {/* Scrolling adds and removes rows, so screen readers do not read this: see `announce`. */}
      <div
        ref={scroller}
        class="scroller"
        role="log"
        aria-live="off"
        aria-label="Conversation"
        aria-busy={!isLoaded.value}
        tabIndex={0}
        onClick={(event) => copyCodeOf(event.target)}
        onKeyDown={(event) => jumpByPrompt(event, rows)}
      >
        {isLoaded.value && rows.length === 0 && <Empty />}
        <div class="rows" style={{ height: `${list.getTotalSize()}px` }}>
          <div class="window" style={{ transform: `translateY(${items[0]?.start ?? 0}px)` }}>
            {items.map(({ key, index }) => {
              const row = rows[index]
              return (
                row && (
                  <div
                    key={key}
                    ref={list.measureElement}
                    data-index={index}
                    data-key={row.key}
                    class={`row${opened.has(row.key) ? ' step' : ''}${row.key === currentRow.value ? ' found' : ''}`}
                  >
                    <ErrorBoundary>
                      <RowView row={row} />
                    </ErrorBoundary>
                  </div>
                )
              )
            })}
          </div>
        </div>
      </div>
      {!atEnd && (
        <button type="button" class="to-end" onClick={scrollToEnd}>
          <Icon name="down" />
          {unseen > 0 ? `${unseen} new` : 'To the end'}
        </button>
      )}
    </>
  )
}

function Empty(): JSX.Element {
  return <p class="empty">No messages yet. Write to {agentName.value} below.</p>
}

/** Binds the framework-independent virtual list to this component, as its own adapters do. */
function useVirtualizer(rows: readonly ListRow[], scroller: { readonly current: HTMLDivElement | null }) {
  const [, redraw] = useReducer((turn: number, _: undefined) => turn + 1, 0)
  const [atEnd, setAtEnd] = useState(true)
  const isSettled = useRef(false)
  const offset = useRef(0)
  const size = useRef(0)
  const hasActed = useRecentAction()
  // Measuring the element for each of thousands of rows would force a layout each time.
  const width = useRef(MAX_WIDTH)
  // The same function for the same rows: otherwise the list measures everything again.
  const keyOf = useCallback((index: number) => rows[index]?.key ?? index, [rows])
  const options = {
    count: rows.length,
    getScrollElement: () => scroller.current,
    getItemKey: keyOf,
    estimateSize: (index: number) => (rows[index] ? estimateHeight(rows[index], width.current) : 0),
    overscan: 8,
    paddingStart: 24,
    paddingEnd: 28,
    // New messages keep a reader who is at the end there; older ones and opened folds do not move anybody else.
    anchorTo: isGrowing.value ? ('start' as const) : ('end' as const),
    followOnAppend: true,
    scrollEndThreshold: NEAR_END,
    observeElementRect,
    observeElementOffset,
    scrollToFn: elementScroll,
    onChange: (instance: Virtualizer<HTMLDivElement, HTMLDivElement>) => {
      width.current = Math.min(MAX_WIDTH, (instance.scrollRect?.width ?? MAX_WIDTH) - MARGINS)
      redraw(undefined)
      const [before, now] = [offset.current, instance.scrollOffset ?? 0]
      const isSameSize = size.current === instance.getTotalSize()
      offset.current = now
      size.current = instance.getTotalSize()
      // Only who scrolls up, or opens a row, leaves the end: an answer that grows faster than it is drawn moves nobody, nor do
      // rows above that turn out to be smaller than estimated.
      const hasLeft = (now < before && (isSameSize || hasActed())) || isGrowing.value
      setAtEnd((wasAtEnd) => instance.isAtEnd(NEAR_END) || (wasAtEnd && !hasLeft))
      if (isSettled.current) loadNear(instance)
    },
  }
  const list = useMemo(() => new Virtualizer<HTMLDivElement, HTMLDivElement>(options), [])
  const wasAtEnd = list.isAtEnd(NEAR_END)
  list.setOptions(options)
  useLayoutEffect(() => list._didMount(), [])
  useLayoutEffect(() => list._willUpdate())

  // When the user rewinds in the agent, the list has nothing left to anchor to: a reader at the end stays there.
  const shown = useRef(rows)
  useLayoutEffect(() => {
    const isRebuilt = rows.length < shown.current.length || rows[0]?.key !== shown.current[0]?.key
    shown.current = rows
    if (isRebuilt && wasAtEnd) list.scrollToEnd()
  }, [rows])

  useKeptEnd(list, scroller, atEnd)
  const isFilled = rows.length > 0
  useLayoutEffect(() => {
    if (!isFilled) return
    list.scrollToEnd()
    // Until then the list is at its beginning, although nobody has scrolled there.
    requestAnimationFrame(() => {
      isSettled.current = true
      loadNear(list)
    })
  }, [isFilled])
  return { list, atEnd }
}

/** After the wheel, a finger or a key, a list moves for about this long. */
const ACTION_MS = 1000
const ACTIONS = ['wheel', 'touchmove', 'pointerdown', 'pointermove', 'keydown'] as const

/** Whether the reader may have moved the list, by scrolling or by a key or button that jumps, and not the list itself. */
function useRecentAction(): () => boolean {
  const actedAt = useRef(Number.NEGATIVE_INFINITY)
  useLayoutEffect(() => {
    const note = (): void => {
      actedAt.current = performance.now()
    }
    for (const action of ACTIONS) addEventListener(action, note, { passive: true, capture: true })
    return () => {
      for (const action of ACTIONS) removeEventListener(action, note, { capture: true })
    }
  }, [])
  return () => performance.now() - actedAt.current < ACTION_MS
}

/** Loads older messages when the reader is close to the first one. */
function loadNear({ range }: Virtualizer<HTMLDivElement, HTMLDivElement>): void {
  if ((range?.startIndex ?? EARLY) < EARLY && hasOlder.value) loadOlder().catch(() => undefined)
}

/**
 * A line that appears above the field, or a phone's keyboard, must not cover the end while it is being read; nor may a row
 * whose height is measured at the same time leave the reader a few pixels above it.
 */
function useKeptEnd(
  list: Virtualizer<HTMLDivElement, HTMLDivElement>,
  scroller: { readonly current: HTMLDivElement | null },
  atEnd: boolean,
): void {
  const wasAtEnd = useRef(atEnd)
  wasAtEnd.current = atEnd
  useLayoutEffect(() => {
    const observer = new ResizeObserver(() => {
      if (wasAtEnd.current && !isGrowing.value) list.scrollToEnd()
    })
    for (const element of [scroller.current, scroller.current?.querySelector('.rows')]) {
      if (element) observer.observe(element)
    }
    return () => observer.disconnect()
  }, [list, scroller])
}

/** How many rows were added at the end since the reader left it. */
function useUnseen(rows: readonly ListRow[], atEnd: boolean): number {
  const seen = useRef<string | undefined>(undefined)
  const last = rows.at(-1)?.key
  useEffect(() => {
    if (atEnd) seen.current = last
  }, [atEnd, last])
  if (atEnd || seen.current === undefined) return 0
  const index = rows.findLastIndex(({ key }) => key === seen.current)
  // It may have been removed.
  return index < 0 ? 0 : rows.length - 1 - index
}

/** Alt and an arrow key move from prompt to prompt. */
function jumpByPrompt(event: KeyboardEvent, rows: readonly ListRow[]): void {
  const step = event.key === 'ArrowUp' ? -1 : event.key === 'ArrowDown' ? 1 : 0
  if (!event.altKey || step === 0) return
  event.preventDefault()
  const here = rows.indexOf(firstVisibleRow.value() as ListRow)
  for (let index = here + step; rows[index]; index += step) {
    if (rows[index]!.kind !== 'prompt') continue
    scrollTo.value(rows[index]!.key, 'start')
    return
  }
}
