import { isDeepStrictEqual } from 'node:util'

/** @typedef {{ ok: boolean, why?: string, seconds: number }} Result */

/** Notes for each scenario whether it held, and goes on. */
export class Checks {
  /** @type {Record<string, Result>} */
  results = {}

  /** @param {string} scenario @param {() => Promise<void> | void} body */
  async that(scenario, body) {
    const begin = Date.now()
    const seconds = () => Math.round((Date.now() - begin) / 100) / 10
    try {
      await body()
      this.results[scenario] = { ok: true, seconds: seconds() }
    } catch (error) {
      this.results[scenario] = { ok: false, why: /** @type {Error} */ (error).message, seconds: seconds() }
    }
  }
}

/** @param {string} what @param {unknown} actual @param {unknown} expected */
export function equal(what, actual, expected) {
  if (isDeepStrictEqual(actual, expected)) return
  throw new Error(`${what}: ${short(actual)} instead of ${short(expected)}`)
}

/** @param {string} what @param {boolean} condition @param {unknown} [seen] */
export function holds(what, condition, seen) {
  if (!condition) throw new Error(seen === undefined ? what : `${what}: ${short(seen)}`)
}

/** @param {unknown} value */
function short(value) {
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? 'undefined')
  return text.length > 600 ? `${text.slice(0, 600)}…` : text
}
