import type { JSX } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import { notifyError } from '../state/page.ts'
import type { Row } from '../state/rows.ts'
import { endSearch, searchFor, searchQuery, searchState, step } from '../state/search.ts'
import { Tool } from './icons.tsx'
import { setOpen } from './open-rows.ts'
import { firstVisibleRow, scrollTo } from './scroll-to.ts'

const DEBOUNCE_MS = 200

export function SearchBar(): JSX.Element {
  const field = useRef<HTMLInputElement>(null)
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined)
  useEffect(() => field.current?.focus(), [])

  const searchSoon = (query: string): void => {
    clearTimeout(timer.current)
    timer.current = setTimeout(() => reveal(searchFor(query, firstVisibleRow.value()?.message.id ?? 0)), DEBOUNCE_MS)
  }
  const close = (): void => {
    clearTimeout(timer.current)
    endSearch()
    document.querySelector<HTMLElement>('.scroller')?.focus()
  }
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key === 'Enter') reveal(step(event.shiftKey ? -1 : 1))
    else if (event.key === 'Escape') close()
    else return
    event.preventDefault()
    event.stopPropagation()
  }
  return (
    <search class="search-bar">
      <input
        ref={field}
        type="search"
        aria-label="Search in this session"
        placeholder="Search in this session"
        value={searchQuery.value}
        onInput={(event) => searchSoon(event.currentTarget.value.trim())}
        onKeyDown={onKeyDown}
      />
      <span class="quiet count" title="Messages with a match">
        {searchState}
      </span>
      <Tool icon="up" label="Previous match" title="Previous (Shift+Enter)" onClick={() => reveal(step(-1))} />
      <Tool icon="down" label="Next match" title="Next (Enter)" onClick={() => reveal(step(1))} />
      <Tool icon="close" label="End search" title="End search (Esc)" onClick={close} />
    </search>
  )
}

/** A match in a folded row opens it. */
async function reveal(found: Promise<Row | undefined>): Promise<void> {
  const row = await found.catch((error: Error) => {
    notifyError(`Could not search: ${error.message}`)
    return undefined
  })
  if (!row) return
  if (row.kind !== 'text') setOpen([row.key], true)
  // A run of steps that it opens has its rows in the list only after the next rendering.
  requestAnimationFrame(() => scrollTo.value(row.key))
}
