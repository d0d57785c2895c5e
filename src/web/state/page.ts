import { signal } from '@preact/signals'

/** The open overlay. */
export const overlay = signal<'share' | 'export' | 'handover' | 'help' | 'terminal' | undefined>(undefined)
/** Whether the field to find text in the open session is shown. */
export const isFinding = signal(false)
/** A short notification. */
export const notice = signal<{ readonly text: string; readonly isError: boolean } | undefined>(undefined)
/** What a screen reader announces next. */
export const announcement = signal('')

/** Long enough to read it; it is announced as well. */
const NOTICE_MS = 8_000

/** Disappears automatically, unlike an error. */
export function notify(text: string): void {
  const mine = { text, isError: false }
  notice.value = mine
  setTimeout(() => {
    if (notice.peek() === mine) notice.value = undefined
  }, NOTICE_MS)
}

export function notifyError(text: string): void {
  notice.value = { text, isError: true }
}

export function announce(text: string): void {
  // The same text twice is no change, and would not be announced.
  announcement.value = announcement.value === text ? `${text}\u00a0` : text
}
