import { signal } from '@preact/signals'

/** What a screen reader announces next. */
export const announcement = signal('')

export function announce(text: string): void {
  // The same text twice is no change, and would not be announced.
  announcement.value = announcement.value === text ? `${text}\u00a0` : text
}
