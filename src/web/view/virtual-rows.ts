import { elementScroll, observeElementOffset, observeElementRect, Virtualizer } from '@tanstack/virtual-core'
import { useCallback, useLayoutEffect, useMemo, useReducer, useRef, useState } from 'preact/hooks'
import { estimateHeight } from '../state/rows.ts'
import type { ListRow } from '../state/steps.ts'
import { isGrowing } from './open-rows.ts'

/** Distance that counts as being at the end. */
const NEAR_END = 60
/** Width of a row's text, and of its margins on a narrow page. */
const MAX_WIDTH = 760
const MARGINS = 30

type Align = 'start' | 'center'

export type RowList = Virtualizer<HTMLDivElement, HTMLDivElement>

interface VirtualRows {
  readonly rows: readonly ListRow[]
  readonly scroller: { readonly current: HTMLDivElement | null }
  /** Whether the last row is that of the conversation, and not only the last that is loaded. */
  readonly isEnd?: boolean
  /** The row to begin at; by default the end. */
  readonly first?: string | undefined
  /** The visible rows have changed; not called before the list is where it begins. */
  readonly onRange: (range: RowList['range']) => void
}

/** Binds the framework-independent virtual list to this component, as its own adapters do. */
export function useVirtualRows({ rows, scroller, isEnd = true, first, onRange }: VirtualRows): {
  readonly list: RowList
  readonly atEnd: boolean
  /** Goes to the row with this key; false if it is not in the list. */
  readonly scrollToRow: (key: string, align: Align) => boolean
} {
  const [, redraw] = useReducer((turn: number, _: undefined) => turn + 1, 0)
  const [atEnd, setAtEnd] = useState(first === undefined)
  const isSettled = useRef(false)
  const offset = useRef(0)
  const size = useRef(0)
  const actedAt = useLast(ACTIONS)
  const scrolledAt = useLast(SCROLLS)
  const hasActed = (): boolean => performance.now() - actedAt.current < ACTION_MS
  const indexOf = (key: string): number => rows.findIndex((row) => row.key === key)
  /** The row that the list scrolls to, and since when. */
  const jump = useRef<{ readonly key: string; readonly align: Align; readonly at: number } | undefined>(undefined)
  const currentJump = (): typeof jump.current => {
    const { at = Number.NEGATIVE_INFINITY } = jump.current ?? {}
    return performance.now() - at < JUMP_MS && scrolledAt.current < at ? jump.current : undefined
  }
  /** The rows that are visible on the way to a row are not what the reader looks at. */
  const isJumping = (range: RowList['range']): boolean => {
    const { key } = currentJump() ?? {}
    const index = key === undefined ? -1 : indexOf(key)
    return index >= 0 && range !== null && (index < range.startIndex || index > range.endIndex)
  }
  const latest = useRef(onRange)
  latest.current = onRange
  const later = useRef<ReturnType<typeof setTimeout> | undefined>(undefined)
  useLayoutEffect(() => () => clearTimeout(later.current), [])
  const report = (range: RowList['range']): void => {
    clearTimeout(later.current)
    if (!isJumping(range)) onRange(range)
    // If the jump is stopped halfway, nothing changes any more that would call this again.
    else later.current = setTimeout(() => latest.current(list.range), JUMP_MS)
  }
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
    followOnAppend: isEnd,
    scrollEndThreshold: NEAR_END,
    observeElementRect,
    observeElementOffset,
    scrollToFn: elementScroll,
    onChange: (instance: RowList) => {
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
      if (isSettled.current) report(instance.range)
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
    if (isRebuilt && wasAtEnd && isEnd) list.scrollToEnd()
  }, [rows])

  const scrollToRow = (key: string, align: Align): boolean => {
    const index = indexOf(key)
    if (index < 0) return false
    jump.current = { key, align, at: performance.now() }
    list.scrollToIndex(index, { align })
    return true
  }
  // The list scrolls to an index, which is another row's as soon as rows are loaded before it.
  useLayoutEffect(() => {
    const { key, align } = currentJump() ?? {}
    const index = key === undefined ? -1 : indexOf(key)
    if (index >= 0) list.scrollToIndex(index, { align: align! })
  }, [rows])

  useKeptEnd(list, scroller, atEnd && isEnd)
  const isFilled = rows.length > 0
  useLayoutEffect(() => {
    if (!isFilled) return
    if (first === undefined || !scrollToRow(first, 'center')) list.scrollToEnd()
    // Until then the list is at its beginning, although nobody has scrolled there.
    requestAnimationFrame(() => {
      isSettled.current = true
      onRange(list.range)
    })
  }, [isFilled])
  return { list, atEnd, scrollToRow }
}

/** After the wheel, a finger or a key, a list moves for about this long. */
const ACTION_MS = 1000
/** A jump to a row ends within this time. */
const JUMP_MS = 1500
const SCROLLS = ['wheel', 'touchmove', 'keydown'] as const
/** Also a bar that is dragged, and buttons that jump or open a row. */
const ACTIONS = [...SCROLLS, 'pointerdown', 'pointermove'] as const

/** When the reader last did one of these: the list may then have been moved by the reader, and not by itself. */
function useLast(actions: readonly string[]): { readonly current: number } {
  const actedAt = useRef(Number.NEGATIVE_INFINITY)
  useLayoutEffect(() => {
    const note = (): void => {
      actedAt.current = performance.now()
    }
    for (const action of actions) addEventListener(action, note, { passive: true, capture: true })
    return () => {
      for (const action of actions) removeEventListener(action, note, { capture: true })
    }
  }, [])
  return actedAt
}

/**
 * A line that appears above the field, or a phone's keyboard, must not cover the end while it is being read; nor may a row
 * whose height is measured at the same time leave the reader a few pixels above it.
 */
function useKeptEnd(list: RowList, scroller: { readonly current: HTMLDivElement | null }, atEnd: boolean): void {
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
