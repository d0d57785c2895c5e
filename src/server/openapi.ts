import { z } from 'zod'
import { eventBodies, queries, schemas } from './contract.ts'

/** A JSON Schema or another part of the description. */
type Json = Readonly<Record<string, unknown>>
type SchemaName = keyof typeof schemas
type Target = 'draft-2020-12' | 'openapi-3.0'

interface Operation {
  readonly id: string
  readonly summary: string
  readonly description: string
  /** Content of the answer, by media type. */
  readonly answer: Json
  readonly query?: z.ZodRawShape
  readonly path?: z.ZodRawShape
  /** Content of the request, by media type. */
  readonly body?: Json
}

const reference = (name: SchemaName): Json => ({ $ref: `#/components/schemas/${name}` })
const json = (name: SchemaName): Json => ({ 'application/json': { schema: reference(name) } })

function eventSchema([event, body]: readonly [string, SchemaName]): Json {
  return {
    type: 'object',
    title: `Event ${event}`,
    properties: {
      data: reference(body),
      event: { type: 'string', const: event, description: 'The event name.' },
      id: { type: 'integer', description: 'The event ID. Send it as Last-Event-ID to continue after it.' },
      retry: { type: 'integer', description: 'The retry time in milliseconds.' },
    },
    required: ['data', 'event'],
  }
}

const events: Json = {
  title: 'Server Sent Events',
  type: 'array',
  items: { oneOf: Object.entries(eventBodies).map(eventSchema) },
}
const file: Json = {
  'multipart/form-data': {
    encoding: { file: { contentType: 'application/octet-stream' } },
    schema: {
      type: 'object',
      properties: { file: { type: 'string', format: 'binary', description: 'up to 10 MB' } },
      required: ['file'],
    },
  },
}

/** By method and path. */
const operations: Readonly<Record<`${'GET' | 'POST'} /${string}`, Operation>> = {
  'GET /events': {
    id: 'subscribeEvents',
    summary: 'Subscribe to events',
    description:
      'Server-sent events: first the current state (every message, the status, errors), then every change. A message that ' +
      'grows is sent in full each time. A message that is no longer part of the conversation is announced as ' +
      'message_removed, which Ion adds. With Last-Event-ID only what is newer.',
    query: queries.events,
    answer: { 'text/event-stream': { schema: events } },
  },
  'POST /message': {
    id: 'post-message',
    summary: 'Post message',
    description:
      "Send a message to the agent. For messages of type 'user', the agent's status must be 'stable'. Answers within ten " +
      'seconds. Needs the token.',
    body: json('MessageRequestBody'),
    answer: json('MessageResponseBody'),
  },
  'POST /answer': {
    id: 'post-answer',
    summary: 'Answer a question',
    description:
      'Choose one of the answers to the question that `waiting_for` shows. 409 if the agent no longer asks it, or is being ' +
      'answered. Who answered what is then part of the message of that turn, as a note. Needs the token.',
    body: json('AnswerRequestBody'),
    answer: json('AnswerResponseBody'),
  },
  'GET /messages': {
    id: 'get-messages',
    summary: 'Get messages',
    description: 'The conversation. Without parameters, all of it.',
    query: queries.messages,
    answer: json('MessagesResponseBody'),
  },
  'GET /messages/{id}': {
    id: 'get-message',
    summary: 'Get one message',
    description: 'One message with all tool results in full.',
    path: { id: z.int().meta({ format: 'int64', description: 'Id of the message.' }) },
    answer: json('FullMessage'),
  },
  'GET /status': {
    id: 'get-status',
    summary: 'Get status',
    description: 'Returns the current status of the agent.',
    answer: json('StatusResponseBody'),
  },
  'POST /upload': {
    id: 'post-upload',
    summary: 'Post upload',
    description: 'Saves a file where the agent can read it. It survives restarts. Needs the token.',
    body: file,
    answer: json('UploadResponseBody'),
  },
  'POST /interrupt': {
    id: 'post-interrupt',
    summary: 'Interrupt',
    description: 'Presses the key that interrupts a turn of this agent. Needs the token.',
    answer: json('MessageResponseBody'),
  },
  'POST /start': {
    id: 'post-start',
    summary: 'Start',
    description:
      'Starts an agent that has ended again, in the background, with its session; no prompt is sent again. Answers when it ' +
      'runs, which may take some seconds, and at once if it was running. Needs the token.',
    answer: json('MessageResponseBody'),
  },
  'GET /sessions': {
    id: 'get-sessions',
    summary: 'Sessions',
    description: 'The sessions of this agent in this project.',
    answer: json('SessionsResponseBody'),
  },
  'GET /search': {
    id: 'search',
    summary: 'Search',
    description: 'Messages of this session that contain all of these words.',
    query: queries.search,
    answer: { 'application/json': { schema: { type: 'array', items: reference('SearchMatch') } } },
  },
  'GET /handover': {
    id: 'get-handover',
    summary: 'Handover',
    description: 'In which other agents the session can be continued: `ion --resume <session_id> --in <agent>`.',
    answer: { 'application/json': { schema: reference('HandoverResponseBody') } },
  },
  'GET /share': {
    id: 'get-share',
    summary: 'Share',
    description: 'The session as Markdown, with secrets, home paths and addresses masked.',
    answer: { 'text/markdown': { schema: { type: 'string' } } },
  },
  'GET /export': {
    id: 'get-export',
    summary: 'Export',
    description: 'The session as a file. Nothing is masked.',
    query: queries.export,
    answer: { '*/*': { schema: { type: 'string' } } },
  },
}

function described({ id, summary, description, answer, query = {}, path = {}, body }: Operation, target: Target): Json {
  const parameters = [
    ...Object.entries(path).map(([name, schema]) => ({ name, in: 'path', required: true, schema })),
    ...Object.entries(query).map(([name, schema]) => ({ name, in: 'query', schema })),
  ].map((parameter) => ({ ...parameter, schema: jsonSchema(parameter.schema, target) }))
  return {
    operationId: id,
    summary,
    description,
    ...(parameters.length > 0 ? { parameters } : {}),
    ...(body ? { requestBody: { content: body, required: true } } : {}),
    responses: {
      200: { description: 'OK', content: answer },
      default: { description: 'Error', content: { 'application/problem+json': { schema: reference('ErrorModel') } } },
    },
  }
}

/** Writes schemas as AgentAPI does: no limits and patterns beside a format, `oneOf`, a list of types, a bare `$ref`. */
function conversion(target: Target): NonNullable<Parameters<typeof z.toJSONSchema>[1]> {
  return {
    target,
    override({ jsonSchema }) {
      if (jsonSchema.format === 'int64') {
        delete jsonSchema.minimum
        delete jsonSchema.maximum
      }
      if (jsonSchema.format === 'date-time') delete jsonSchema.pattern
      const { anyOf } = jsonSchema
      if (anyOf) {
        delete jsonSchema.anyOf
        const [value, other] = anyOf
        if (other?.type === 'null') Object.assign(jsonSchema, value, { type: [value!.type, 'null'] })
        else jsonSchema.oneOf = anyOf
      }
      const only = jsonSchema.allOf?.length === 1 ? jsonSchema.allOf[0]!.$ref : undefined
      if (only !== undefined) {
        jsonSchema.$ref = only
        delete jsonSchema.allOf
      }
    },
  }
}

function jsonSchema(schema: z.core.$ZodType, target: Target): Json {
  const { $schema: _, ...described } = z.toJSONSchema(schema as z.ZodType, conversion(target))
  return described
}

function components(target: Target): Json {
  const registry = z.registry<{ id: string }>()
  for (const [id, schema] of Object.entries(schemas)) registry.add(schema, { id })
  const uri = (id: string): string => `#/components/schemas/${id}`
  const named = z.toJSONSchema(registry, { ...conversion(target), uri }).schemas
  return Object.fromEntries(
    Object.entries(named).map(([id, { $schema: _, $id: __, id: ___, ...schema }]) => [id, schema]),
  )
}

/** The description of the API for programs: AgentAPI's, and what Ion adds. */
export function openapi(version: string, target: Target = 'draft-2020-12'): Json {
  const paths = Object.entries(operations).map(([route, operation]) => {
    const [method, path] = route.split(' ')
    return [path, { [method!.toLowerCase()]: described(operation, target) }]
  })
  return {
    openapi: target === 'openapi-3.0' ? '3.0.3' : '3.1.0',
    info: {
      title: 'Ion',
      version,
      description: 'Compatible with AgentAPI (github.com/coder/agentapi); additions are marked as added by Ion.',
    },
    paths: Object.fromEntries(paths),
    components: { schemas: components(target) },
  }
}

/** The same for people, with nothing loaded from anywhere. */
export function docsPage(): string {
  const sections = Object.entries(operations).map(([route, operation]) => section(route, operation))
  return `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>Ion API</title></head>
<body>
<h1>The API of ion serve</h1>
<p>For programs: <a href="openapi.json">openapi.json</a>.</p>
${sections.join('\n')}
</body>
</html>
`
}

function section(route: string, operation: Operation): string {
  const parameters = Object.entries({ ...operation.path, ...operation.query }).map(
    ([name, schema]) => `<li><code>${name}</code> ${escapeHtml((schema as z.ZodType).description ?? '')}</li>`,
  )
  const list = parameters.length > 0 ? `<ul>${parameters.join('')}</ul>` : ''
  const description = escapeHtml(operation.description)
  return `<h2><code>${escapeHtml(route)}</code></h2>\n<p>${description}</p>${list}`
}

function escapeHtml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')
}
