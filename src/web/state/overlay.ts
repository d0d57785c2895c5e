import { signal } from '@preact/signals'

/** The open overlay. */
export const overlay = signal<'share' | 'export' | 'help' | 'terminal' | undefined>(undefined)
/** A short notification. */
export const notice = signal<{ readonly text: string; readonly isBad: boolean } | undefined>(undefined)

export function tell(text: string, isBad = false): void {
  notice.value = { text, isBad }
}
