/** Checks of untrusted JSON values, shared by the formats on disk. */

export function isText(value: unknown): value is string {
  return typeof value === 'string'
}

export function isTextOrNull(value: unknown): value is string | null {
  return value === null || isText(value)
}

export function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0
}

export function isHash(value: unknown): value is string {
  return isText(value) && /^[0-9a-f]{64}$/.test(value)
}

export function isListOf(value: unknown, isItem: (item: unknown) => boolean): boolean {
  return Array.isArray(value) && value.every(isItem)
}
