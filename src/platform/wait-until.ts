const LOOK_MS = 25

/** Looks until it is so; false when it is not so within that time. */
export async function waitUntil(isSo: () => boolean, withinMs: number): Promise<boolean> {
  const end = performance.now() + withinMs
  while (!isSo()) {
    if (performance.now() >= end) return false
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS))
  }
  return true
}
