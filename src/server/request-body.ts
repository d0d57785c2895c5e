import type { Context } from 'hono'
import { invalid, problem } from './problem.ts'

/** As AgentAPI has it. */
export const LARGEST_BODY = 1024 * 1024

export interface MessageRequest {
  readonly content: string
  readonly type: 'user' | 'raw'
}

/** The body of `POST /message`, or the refusal of it: each kind of mistake is answered as AgentAPI answers it. */
export async function messageRequest(context: Context): Promise<MessageRequest | Response> {
  const text = await context.req.text()
  if (text === '') return problem(context, 400, 'request body is required')
  const type = (context.req.header('content-type') ?? 'application/json').split(';')[0]!.trim().toLowerCase()
  if (type !== 'application/json' && !type.endsWith('+json')) {
    const shown = text.slice(0, 200)
    return invalid(context, 415, { message: `unknown content type: ${type}`, location: 'body', value: shown })
  }
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (error) {
    const message = (error as Error).message
    return invalid(context, 400, { message, location: 'body', value: text.slice(0, 200) })
  }
  return checked(context, value)
}

function checked(context: Context, value: unknown): MessageRequest | Response {
  if (value === null || typeof value !== 'object' || Array.isArray(value)) {
    return invalid(context, 422, { message: 'expected object', location: 'body', value })
  }
  const { content, type, $schema: _, ...others } = value as Record<string, unknown>
  const errors = [
    ...(['content', 'type'] as const)
      .filter((name) => !(name in value))
      .map((name) => ({ message: `expected required property ${name} to be present`, location: 'body', value })),
    ...('content' in value && typeof content !== 'string'
      ? [{ message: 'expected string', location: 'body.content', value: content }]
      : []),
    ...('type' in value && type !== 'user' && type !== 'raw'
      ? [{ message: 'expected "user" or "raw"', location: 'body.type', value: type }]
      : []),
    ...Object.keys(others).map((name) => ({ message: 'unexpected property', location: `body.${name}`, value })),
  ]
  if (errors.length > 0) return invalid(context, 422, ...errors)
  return { content: content as string, type: type as 'user' | 'raw' }
}
