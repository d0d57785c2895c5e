import { signal } from '@preact/signals'
import type { About } from '../../../server/browse/contract.ts'
import { getAbout } from '../api.ts'

/** Until the server has answered, and if it cannot: nothing that writes is offered. */
export const abilities = signal<About>({ version: '', read_only: true, terminal: false, home: '' })

export async function loadAbilities(): Promise<void> {
  abilities.value = await getAbout().catch(() => abilities.value)
}

/** A path as a shell's user writes it. */
export function withTilde(path: string): string {
  const { home } = abilities.value
  return home !== '' && (path === home || path.startsWith(`${home}/`)) ? `~${path.slice(home.length)}` : path
}
