/**
 * Waits for a condition, with a deadline.
 * @template T
 * @param {string} what @param {number} ms @param {() => T | Promise<T>} condition
 * @returns {Promise<NonNullable<T>>}
 */
export async function until(what, ms, condition) {
  const end = Date.now() + ms
  for (;;) {
    const value = await condition()
    if (value) return value
    if (Date.now() > end) throw new Error(`waited ${ms / 1000} s for ${what}`)
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
}
