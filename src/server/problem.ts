import { STATUS_CODES } from 'node:http'
import type { Context } from 'hono'
import { toJsonText } from '../platform/json-text.ts'
import type { ErrorDetail, Problem } from './contract.ts'

/** Go's titles, which AgentAPI's clients see, where they differ from Node's. */
const TITLES: Readonly<Record<number, string>> = { 413: 'Request Entity Too Large' }

/** An error response in the form of RFC 9457, as AgentAPI sends it. */
export function problem(context: Context, status: number, detail: string, errors?: readonly ErrorDetail[]): Response {
  const title = TITLES[status] ?? STATUS_CODES[status] ?? 'Error'
  const body: Problem = { title, status, detail, ...(errors ? { errors } : {}) }
  return context.body(toJsonText(body), status as 400, { 'content-type': 'application/problem+json' })
}

/** The request is invalid. */
export function invalid(context: Context, status: 400 | 415 | 422, ...errors: readonly ErrorDetail[]): Response {
  return problem(context, status, 'validation failed', errors)
}

/** The request was valid, but could not be carried out; in AgentAPI's words. */
export function failed(context: Context, message: string): Response {
  return problem(context, 500, 'unexpected error occurred', [{ message }])
}
