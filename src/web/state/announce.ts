import { signal } from '@preact/signals'

/** What a screen reader says next. */
export const announcement = signal('')

export function announce(text: string): void {
  // The same words twice are a change of nothing, which is not read out.
  announcement.value = announcement.value === text ? `${text}\u00a0` : text
}
