import { signal } from '@preact/signals'

/** Opened rows. Stored here, since a row that is scrolled away is unmounted. */
const open = signal<ReadonlySet<string>>(new Set())

/** True while a row grows because the reader opened it. */
export const isGrowing = signal(false)

export function isOpen(key: string): boolean {
  return open.value.has(key)
}

export function setOpen(key: string, shown: boolean): void {
  const next = new Set(open.value)
  if (shown) next.add(key)
  else next.delete(key)
  grow()
  open.value = next
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
