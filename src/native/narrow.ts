/**
 * Narrows values of unknown shape, without loading a schema library in every command. The `as…` functions return
 * undefined for anything else; the `require…` functions throw with a name, which makes the record a problem.
 */

export function asObject(value: unknown): Record<string, unknown> | undefined {
  return value !== null && typeof value === 'object' && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : undefined
}

/** The text parsed as a JSON object; undefined if it is not one. */
export function parsedObject(text: unknown): Record<string, unknown> | undefined {
  // An exception takes far longer than this check.
  if (typeof text !== 'string' || !/^\s*\{/.test(text)) return undefined
  try {
    return asObject(JSON.parse(text))
  } catch {
    return undefined
  }
}

export function asArray(value: unknown): readonly unknown[] | undefined {
  return Array.isArray(value) ? value : undefined
}

export function asString(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined
}

/** A non-negative integer: counts and token sums. */
export function asCount(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : undefined
}

export function requireObject(value: unknown, what: string): Record<string, unknown> {
  return asObject(value) ?? fail(what, 'an object')
}

export function requireArray(value: unknown, what: string): readonly unknown[] {
  return asArray(value) ?? fail(what, 'an array')
}

export function requireString(value: unknown, what: string): string {
  return asString(value) ?? fail(what, 'a string')
}

function fail(what: string, expected: string): never {
  throw new Error(`${what} is not ${expected}`)
}
