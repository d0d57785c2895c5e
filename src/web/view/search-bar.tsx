import type { JSX } from 'preact'
import { notifyError } from '../state/page.ts'
import type { Row } from '../state/rows.ts'
import { endSearch, searchFor, searchQuery, searchState, step } from '../state/search.ts'
import { FindBar } from './find-bar.tsx'
import { setOpen } from './open-rows.ts'
import { firstVisibleRow, scrollTo } from './scroll-to.ts'

/** Finds text in all messages of the chat, also in those that are not loaded. */
export function SearchBar(): JSX.Element {
  return (
    <FindBar
      label="Search in this session"
      query={searchQuery.value}
      state={searchState.value}
      stateTitle="Messages with a match"
      onQuery={(text) => reveal(searchFor(text, firstVisibleRow.value()?.message.id ?? 0))}
      onStep={(direction) => reveal(step(direction))}
      onClose={endSearch}
    />
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
