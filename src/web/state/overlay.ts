import { signal } from '@preact/signals'

/** What lies over the conversation. */
export const overlay = signal<'share' | 'export' | 'help' | 'terminal' | undefined>(undefined)
/** Something that went wrong or was done, to be read once. */
export const notice = signal<{ readonly text: string; readonly isBad: boolean } | undefined>(undefined)

export function tell(text: string, isBad = false): void {
  notice.value = { text, isBad }
}
