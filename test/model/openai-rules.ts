// What OpenAI's two protocols check in the same way.
import { parsedObject } from '../../src/native/narrow.ts'
import type { Failure } from './protocol.ts'
import { PLAIN_NAME, type Violation } from './rules.ts'

/** In Chat Completions it was 40 until 2025; 51 characters are accepted now (vercel/ai#17233), 83 not (openclaw/openclaw#875). */
const MAX_ID = 64

export function checkCallId(id: unknown, place: string): Violation | undefined {
  if (typeof id !== 'string' || id === '') return emptyString(place)
  if (id.length <= MAX_ID) return undefined
  const found = `Expected a string with maximum length ${MAX_ID}, but got a string with length ${id.length} instead.`
  return invalid(place, `string too long. ${found}`, 'string_above_max_length')
}

export function checkToolName(name: unknown, place: string): Violation | undefined {
  if (typeof name !== 'string' || name === '') return emptyString(place)
  const expected = `Expected a string that matches the pattern '${PLAIN_NAME.source}'.`
  return PLAIN_NAME.test(name)
    ? undefined
    : invalid(place, `string does not match pattern. ${expected}`, 'invalid_value')
}

/** A tool without arguments may have an empty text instead of `{}`. */
export function checkArguments(given: unknown, place: string): Violation | undefined {
  if (given === '' || parsedObject(given)) return undefined
  if (typeof given === 'string') return invalid(place, 'not a JSON object.', 'invalid_value')
  const message = `Invalid type for '${place}': expected a string, but got ${typeof given} instead.`
  return { place, message, code: 'invalid_type' }
}

/** The body of an error. One of the script has no code but its status. */
export function openaiFailure({ fail, rule, message, place, param = place, code }: Failure): object {
  const known = rule === undefined ? String(fail) : null
  return { error: { message, type: 'invalid_request_error', param: param ?? null, code: code ?? known } }
}

function emptyString(place: string): Violation {
  const found = 'Expected a string with minimum length 1, but got an empty string instead.'
  return invalid(place, `empty string. ${found}`, 'empty_string')
}

function invalid(place: string, what: string, code: string): Violation {
  return { place, message: `Invalid '${place}': ${what}`, code }
}
