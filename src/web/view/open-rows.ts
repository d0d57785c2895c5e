import { signal } from '@preact/signals'

/** Opened rows. Stored here, since a row that is scrolled away is unmounted. */
export const openRows = signal<ReadonlySet<string>>(new Set())

/** True while a row grows because the reader opened it. */
export const isGrowing = signal(false)

export function isOpen(key: string): boolean {
  return openRows.value.has(key)
}

export function setOpen(keys: readonly string[], shown: boolean): void {
  const next = new Set(openRows.value)
  for (const key of keys) {
    if (shown) next.add(key)
    else next.delete(key)
  }
  grow()
  openRows.value = next
}

/** The clicked row stays in place, also at the end, which the list would otherwise follow. */
export function grow(): void {
  isGrowing.value = true
  requestAnimationFrame(() =>
    requestAnimationFrame(() => {
      isGrowing.value = false
    }),
  )
}
