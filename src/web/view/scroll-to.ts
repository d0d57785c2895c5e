import { signal } from '@preact/signals'
import type { ListRow } from '../state/steps.ts'

/** Scrolls a row into view; set by the list, called by the search. */
export const scrollTo = signal<(key: string, align?: 'start' | 'center') => void>(() => undefined)
/** The first visible row. */
export const firstVisibleRow = signal<() => ListRow | undefined>(() => undefined)
