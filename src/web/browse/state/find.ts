import { computed, signal } from '@preact/signals'
import { announce } from '../../state/page.ts'
import { type Row, rowText } from '../../state/rows.ts'
import { wordsOf } from '../../text/words.ts'
import { after, before, findRow, rows } from './session.ts'

export const findQuery = signal('')
/** The row of the current match. */
export const found = signal<string | undefined>(undefined)
const isLooking = signal(false)

const matches = computed(() => {
  const words = wordsOf(findQuery.value)
  return words.length === 0 ? [] : rows.value.filter((row) => hasAll(row, words))
})

/** Counts what is loaded; a plus says that there may be more. */
export const findState = computed(() => {
  if (findQuery.value === '') return ''
  if (isLooking.value) return 'looking…'
  const isAll = before.value === null && after.value === null
  if (matches.value.length === 0) return isAll ? 'Nothing found' : 'Nothing here'
  const at = matches.value.findIndex(({ key }) => key === found.value)
  return `${at < 0 ? '–' : at + 1} of ${matches.value.length}${isAll ? '' : '+'}`
})

function hasAll(row: Row, words: readonly string[]): boolean {
  const text = rowText(row).toLowerCase()
  return words.every((word) => text.includes(word))
}

/** Looks from the current match, or from an event, and loads more of the transcript until there is a match. */
export async function findNext(direction: 1 | -1, from?: string): Promise<Row | undefined> {
  const words = wordsOf(findQuery.value)
  if (words.length === 0) return undefined
  isLooking.value = true
  const row = await findRow(direction, found.value ?? from, (one) => hasAll(one, words))
  isLooking.value = false
  if (row) found.value = row.key
  announce(row ? findState.value : 'No further match')
  return row
}

/** The first match from an event on that is loaded, or else one before it: what is in view is nearest. */
export async function findNear(from: string | undefined): Promise<Row | undefined> {
  const words = wordsOf(findQuery.value)
  const index = rows.value.findIndex(({ key }) => key === from)
  const row = words.length === 0 ? undefined : rows.value.slice(Math.max(0, index)).find((one) => hasAll(one, words))
  if (!row) return findNext(-1, from)
  found.value = row.key
  announce(findState.value)
  return row
}

export function endFind(): void {
  findQuery.value = ''
  found.value = undefined
}
