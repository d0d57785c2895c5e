import { isDeepStrictEqual } from 'node:util'

export interface Result {
  ok: boolean
  why?: string
  /** Under which conditions, where they are not always the same. */
  note?: string
  seconds: number
}

/** The outcome of each scenario; a failed one does not end the story. */
export class Checks {
  results: Record<string, Result> = {}

  async that(scenario: string, body: () => Promise<void> | void, note?: string) {
    const begin = Date.now()
    const noted = note === undefined ? {} : { note }
    const seconds = () => Math.round((Date.now() - begin) / 100) / 10
    try {
      await body()
      this.results[scenario] = { ok: true, ...noted, seconds: seconds() }
    } catch (error) {
      this.results[scenario] = { ok: false, why: (error as Error).message, ...noted, seconds: seconds() }
    }
  }
}

export function equal(what: string, actual: unknown, expected: unknown) {
  if (isDeepStrictEqual(actual, expected)) return
  throw new Error(`${what}: ${short(actual)} instead of ${short(expected)}`)
}

export function holds(what: string, condition: boolean, seen?: unknown) {
  if (!condition) throw new Error(seen === undefined ? what : `${what}: ${short(seen)}`)
}

function short(value: unknown) {
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? 'undefined')
  return text.length > 600 ? `${text.slice(0, 600)}…` : text
}
