/** Waits for a condition, with a deadline; outside of tests, where vitest's own waiting does not work. */
export async function until<T>(what: string, ms: number, condition: () => T | Promise<T>): Promise<NonNullable<T>> {
  const end = Date.now() + ms
  for (;;) {
    const value = await condition()
    if (value) return value
    if (Date.now() > end) throw new Error(`waited ${ms / 1000} s for ${what}`)
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
}
