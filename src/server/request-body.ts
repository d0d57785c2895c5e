import type { Context } from 'hono'
import type { z } from 'zod'
import type { AnswerRequest, ErrorDetail, MessageRequest } from './contract.ts'
import { invalid, problem } from './problem.ts'

/** AgentAPI's limit. */
export const LARGEST_BODY = 1024 * 1024

/** The body of `POST /message`, or the error response. */
export function messageRequest(context: Context): Promise<MessageRequest | Response> {
  return requestBody(context, 'MessageRequestBody')
}

/** The body of `POST /answer`, or the error response. */
export function answerRequest(context: Context): Promise<AnswerRequest | Response> {
  return requestBody(context, 'AnswerRequestBody')
}

interface Bodies {
  readonly MessageRequestBody: MessageRequest
  readonly AnswerRequestBody: AnswerRequest
}

/** Every kind of mistake is answered as AgentAPI answers it. */
async function requestBody<Name extends keyof Bodies>(context: Context, name: Name): Promise<Bodies[Name] | Response> {
  const text = await context.req.text()
  if (text === '') return problem(context, 400, 'request body is required')
  const type = (context.req.header('content-type') ?? 'application/json').split(';')[0]!.trim().toLowerCase()
  if (type !== 'application/json' && !type.endsWith('+json')) {
    const value = text.slice(0, 200)
    return invalid(context, 415, { message: `unknown content type: ${type}`, location: 'body', value })
  }
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (error) {
    const message = (error as Error).message
    return invalid(context, 400, { message, location: 'body', value: text.slice(0, 200) })
  }
  const { schemas } = await import('./contract.ts')
  const parsed = schemas[name].safeParse(withoutSchemaLink(value))
  if (parsed.success) return parsed.data as Bodies[Name]
  return invalid(context, 422, ...parsed.error.issues.flatMap((issue) => errorDetails(issue, value)))
}

/** AgentAPI's own answers carry a `$schema`, and it accepts one in requests too. */
function withoutSchemaLink(value: unknown): unknown {
  if (value === null || typeof value !== 'object' || Array.isArray(value)) return value
  const { $schema: _, ...fields } = value as Record<string, unknown>
  return fields
}

/** With the locations that AgentAPI's framework reports. */
function errorDetails(issue: z.core.$ZodIssue, body: unknown): ErrorDetail[] {
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((name) => ({ message: 'unexpected property', location: `body.${name}`, value: body }))
  }
  const [name] = issue.path as string[]
  if (name === undefined) return [{ message: 'expected object', location: 'body', value: body }]
  const value = (body as Record<string, unknown>)[name]
  if (value === undefined) {
    return [{ message: `expected required property ${name} to be present`, location: 'body', value: body }]
  }
  const expected =
    issue.code === 'invalid_value' ? issue.values.map((one) => `"${String(one)}"`).join(' or ') : 'string'
  return [{ message: `expected ${expected}`, location: `body.${name}`, value }]
}
