import { signal } from '@preact/signals'

/** Rows that were opened. Kept apart from them, since a row that is scrolled away is taken down. */
const open = signal<ReadonlySet<string>>(new Set())

export function isOpen(key: string): boolean {
  return open.value.has(key)
}

export function setOpen(key: string, shown: boolean): void {
  const next = new Set(open.value)
  if (shown) next.add(key)
  else next.delete(key)
  open.value = next
}
