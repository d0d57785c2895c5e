import { batch, computed, signal } from '@preact/signals'
import type { SearchMatch } from '../api/contract.ts'
import { search } from '../api/server.ts'
import { wordsOf } from '../text/words.ts'
import { loadBackTo, messages } from './conversation.ts'
import { announce, isFinding } from './page.ts'
import { type Row, rowsOf, rowText } from './rows.ts'

export const searchQuery = signal('')
/** The row of the current match. */
export const currentRow = signal<string | undefined>(undefined)

/** Messages with a match, in the order of the conversation; undefined until the server has answered. */
const matches = signal<readonly SearchMatch[] | undefined>(undefined)
const position = signal(-1)

/** Counts messages, not matches in them: messages that are not loaded cannot be counted. */
export const searchState = computed((): string => {
  if (searchQuery.value === '') return ''
  if (!matches.value) return '…'
  return matches.value.length === 0 ? 'Nothing found' : `${position.value + 1} of ${matches.value.length}`
})

/** Asks the server, which has all messages, and goes to the first match from `from` on. */
export async function searchFor(query: string, from: number): Promise<Row | undefined> {
  reset(query)
  if (query === '') return undefined
  const found = await search(query)
  if (searchQuery.value !== query) return undefined
  const sorted = [...new Map(found.map((match) => [match.id, match])).values()].sort((a, b) => a.id - b.id)
  matches.value = sorted
  if (sorted.length === 0) announce('Nothing found')
  const first = sorted.findIndex(({ id }) => id >= from)
  return goTo(first >= 0 ? first : sorted.length - 1, 1)
}

/** The next match downwards (1) or upwards (-1); after the last comes the first. */
export async function step(direction: 1 | -1): Promise<Row | undefined> {
  const here = matchingRows(position.value)
  const at = here.findIndex(({ key }) => key === currentRow.value)
  const next = here[at + direction]
  if (at >= 0 && next) return select(next)
  const total = matches.value?.length ?? 0
  return total === 0 ? undefined : goTo((position.value + direction + total) % total, direction)
}

export function endSearch(): void {
  isFinding.value = false
  reset('')
}

function reset(query: string): void {
  batch(() => {
    searchQuery.value = query
    matches.value = undefined
    currentRow.value = undefined
    position.value = -1
  })
}

async function goTo(index: number, direction: 1 | -1): Promise<Row | undefined> {
  const match = matches.value?.[index]
  if (!match) return undefined
  position.value = index
  await loadBackTo(match.id)
  if (position.value !== index) return undefined
  const rows = matchingRows(index)
  const row = direction === 1 ? rows[0] : rows.at(-1)
  return row && select(row)
}

function select(row: Row): Row {
  currentRow.value = row.key
  announce(searchState.value)
  return row
}

/** The rows of a found message that contain the words, or some of them; its first row if none does. */
function matchingRows(index: number): readonly Row[] {
  const id = matches.value?.[index]?.id
  const rows = rowsOf(messages.value.filter((message) => message.id === id))
  const words = wordsOf(searchQuery.value)
  const texts = rows.map((row) => rowText(row).toLowerCase())
  const withAll = rows.filter((_, at) => words.every((word) => texts[at]!.includes(word)))
  if (withAll.length > 0) return withAll
  const withAny = rows.filter((_, at) => words.some((word) => texts[at]!.includes(word)))
  return withAny.length > 0 ? withAny : rows.slice(0, 1)
}
