import { effect, signal } from '@preact/signals'
import { tabStorage } from './tab-storage.ts'

const storage = tabStorage('ion-draft')

/** What is written in the message field. */
export const draft = signal('')

/** From now on the draft survives a reload. */
export function keepDraft(): void {
  draft.value = storage.read()
  effect(() => storage.write(draft.value))
}
