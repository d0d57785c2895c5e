import type { Context } from 'hono'
import { IonError } from '../../platform/error.ts'

type Kind = 'text' | 'text or null' | 'boolean' | 'texts'

const CHECKS: Readonly<Record<Kind, (value: unknown) => boolean>> = {
  text: (value) => typeof value === 'string',
  'text or null': (value) => value === null || typeof value === 'string',
  boolean: (value) => typeof value === 'boolean',
  texts: (value) => Array.isArray(value) && value.every((one) => typeof one === 'string'),
}

/** The body of a request, an object with these fields, all of them optional. Throws `usage` for anything else. */
export async function bodyOf<T extends object>(
  context: Context,
  fields: { readonly [Name in keyof T]-?: Kind },
): Promise<T> {
  const text = await context.req.text()
  let value: unknown
  try {
    value = text === '' ? {} : JSON.parse(text)
  } catch (error) {
    throw new IonError('usage', `the body is not JSON: ${(error as Error).message}`)
  }
  if (value === null || typeof value !== 'object' || Array.isArray(value))
    throw new IonError('usage', 'the body is not an object')
  for (const [name, one] of Object.entries(value)) {
    const kind = Object.hasOwn(fields, name) ? fields[name as keyof T] : undefined
    if (kind === undefined) throw new IonError('usage', `unexpected field "${name}"`)
    if (!CHECKS[kind](one)) throw new IonError('usage', `"${name}" must be ${kind}`)
  }
  return value as T
}
