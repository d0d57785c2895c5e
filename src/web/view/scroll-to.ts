import { signal } from '@preact/signals'
import type { Row } from '../state/rows.ts'

/** Brings a row into view; the list sets it, the search calls it. */
export const scrollTo = signal<(key: string, align?: 'start' | 'center') => void>(() => undefined)
/** The first row that is in view. */
export const placeOf = signal<() => Row | undefined>(() => undefined)
