import { STATUS_CODES } from 'node:http'
import type { Context } from 'hono'

/** What is wrong with a place of a request. */
export interface ErrorDetail {
  readonly message?: string
  readonly location?: string
  readonly value?: unknown
}

/** Go's words, which AgentAPI's clients see, where they differ from Node's. */
const TITLES: Readonly<Record<number, string>> = { 413: 'Request Entity Too Large' }

/** An answer that says what went wrong, as RFC 9457 and AgentAPI write it. */
export function problem(context: Context, status: number, detail: string, errors?: readonly ErrorDetail[]): Response {
  const title = TITLES[status] ?? STATUS_CODES[status] ?? 'Error'
  const body = JSON.stringify({ title, status, detail, ...(errors ? { errors } : {}) })
  return context.body(body, status as 400, { 'content-type': 'application/problem+json' })
}

/** Of a request that is not as it should be. */
export function invalid(context: Context, status: 400 | 415 | 422, ...errors: readonly ErrorDetail[]): Response {
  return problem(context, status, 'validation failed', errors)
}

/** Of something that did not work out, as AgentAPI tells it. */
export function failed(context: Context, message: string): Response {
  return problem(context, 500, 'unexpected error occurred', [{ message }])
}
