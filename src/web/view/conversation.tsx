import type { JSX } from 'preact'
import { useEffect, useLayoutEffect, useMemo, useRef } from 'preact/hooks'
import { agentName } from '../state/agent.ts'
import { hasOlder, isLoaded, loadOlder, messages, preview } from '../state/conversation.ts'
import { pendingRows } from '../state/outbox.ts'
import { previewRows, rowsOf } from '../state/rows.ts'
import { currentRow, searchQuery } from '../state/search.ts'
import { foldSteps, type ListRow } from '../state/steps.ts'
import { chat } from './chat-surroundings.ts'
import { copyCodeOf } from './copy-button.tsx'
import { Icon } from './icons.tsx'
import { markMatches } from './mark-matches.ts'
import { isOpen, openRows } from './open-rows.ts'
import { RowList } from './row-list.tsx'
import { firstVisibleRow, scrollTo } from './scroll-to.ts'
import { useVirtualRows } from './virtual-rows.ts'

/** Distance from the top, in rows, at which older messages are loaded, so that they arrive before the reader. */
const EARLY = 25

export function Conversation(): JSX.Element {
  const written = useMemo(() => (preview.value ? previewRows(preview.value) : []), [preview.value])
  const rows = useMemo(
    () => foldSteps([...rowsOf(messages.value), ...written, ...pendingRows.value], isOpen),
    [messages.value, written, pendingRows.value, openRows.value],
  )
  const scroller = useRef<HTMLDivElement>(null)
  const { list, atEnd, scrollToRow } = useVirtualRows({ rows, scroller, onRange: loadNear })
  const unseen = useUnseen(rows, atEnd)

  useEffect(() => {
    if (scroller.current) markMatches(scroller.current, searchQuery.value, currentRow.value)
  })
  useLayoutEffect(() => {
    scrollTo.value = (key, align = 'center') => void scrollToRow(key, align)
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
        <RowList rows={rows} list={list} around={chat} found={currentRow.value} />
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

/** Loads older messages when the reader is close to the first one. */
function loadNear(range: { readonly startIndex: number } | null): void {
  if ((range?.startIndex ?? EARLY) < EARLY && hasOlder.value) loadOlder().catch(() => undefined)
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
