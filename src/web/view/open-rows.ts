import { signal } from '@preact/signals'

/** Rows that were opened. Kept apart from them, since a row that is scrolled away is taken down. */
const open = signal<ReadonlySet<string>>(new Set())

/** True for the moment in which a row grows because the reader asked for it. */
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

/** What was clicked stays where it is, also at the end, to which the list would otherwise hold on. */
export function grow(): void {
  isGrowing.value = true
  requestAnimationFrame(() =>
    requestAnimationFrame(() => {
      isGrowing.value = false
    }),
  )
}
