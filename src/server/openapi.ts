import { type Schema, schemas, see, text, whole } from './openapi-schemas.ts'

interface Operation {
  readonly id: string
  readonly summary: string
  readonly description: string
  readonly answer: Readonly<Record<string, Schema>>
  readonly query?: Readonly<Record<string, Schema>>
  readonly path?: Readonly<Record<string, Schema>>
  readonly body?: Schema
}

const json = (name: string): Operation['answer'] => ({ 'application/json': { schema: see(name) } })

function operation({ id, summary, description, answer, query = {}, path = {}, body }: Operation): Schema {
  const parameters = [
    ...Object.entries(path).map(([name, schema]) => ({ name, in: 'path', required: true, schema })),
    ...Object.entries(query).map(([name, schema]) => ({ name, in: 'query', schema })),
  ]
  return {
    operationId: id,
    summary,
    description,
    ...(parameters.length > 0 ? { parameters } : {}),
    ...(body ? { requestBody: { content: body, required: true } } : {}),
    responses: {
      200: { description: 'OK', content: answer },
      default: { description: 'Error', content: { 'application/problem+json': { schema: see('ErrorModel') } } },
    },
  }
}

function eventSchema(event: string, data: string): Schema {
  return {
    type: 'object',
    title: `Event ${event}`,
    properties: {
      data: see(data),
      event: { type: 'string', const: event, description: 'The event name.' },
      id: { type: 'integer', description: 'The event ID. Send it as Last-Event-ID to go on after it.' },
      retry: { type: 'integer', description: 'The retry time in milliseconds.' },
    },
    required: ['data', 'event'],
  }
}

const events: Schema = {
  title: 'Server Sent Events',
  type: 'array',
  items: {
    oneOf: [
      eventSchema('agent_error', 'ErrorBody'),
      eventSchema('message_update', 'MessageUpdateBody'),
      eventSchema('status_change', 'StatusChangeBody'),
      eventSchema('message_removed', 'MessageRemovedBody'),
    ],
  },
}
const file: Schema = {
  'multipart/form-data': {
    encoding: { file: { contentType: 'application/octet-stream' } },
    schema: {
      type: 'object',
      properties: { file: { type: 'string', format: 'binary', description: 'at most 10 MB' } },
      required: ['file'],
    },
  },
}

const get = (of: Operation): Schema => ({ get: operation(of) })
const post = (of: Operation): Schema => ({ post: operation(of) })

const paths: Readonly<Record<string, Schema>> = {
  '/events': get({
    id: 'subscribeEvents',
    summary: 'Subscribe to events',
    description:
      'Server-sent events: first how things stand (every message, the status, errors), then what changes. A message that ' +
      'grows is sent whole each time. One that is no longer part of the conversation is told as message_removed, which ' +
      'Ion adds. With Last-Event-ID only what is newer.',
    query: { after: whole('Of how things stand, only messages from this id on.') },
    answer: { 'text/event-stream': { schema: events } },
  }),
  '/message': post({
    id: 'post-message',
    summary: 'Post message',
    description:
      "Send a message to the agent. For messages of type 'user', the agent's status must be 'stable'. Answered within ten " +
      'seconds, whatever happens. Needs the token.',
    body: { 'application/json': { schema: see('MessageRequestBody') } },
    answer: json('MessageResponseBody'),
  }),
  '/messages': get({
    id: 'get-messages',
    summary: 'Get messages',
    description: 'The conversation. Without parameters, all of it.',
    query: {
      after: whole('Only messages with a larger id.'),
      before: whole('Only messages with a smaller id.'),
      limit: whole('At most so many: the last ones, or with after the first ones.'),
    },
    answer: json('MessagesResponseBody'),
  }),
  '/messages/{id}': get({
    id: 'get-message',
    summary: 'Get one message',
    description: 'One message with all results whole.',
    path: { id: whole('Of the message.') },
    answer: json('Message'),
  }),
  '/status': get({
    id: 'get-status',
    summary: 'Get status',
    description: 'Returns the current status of the agent.',
    answer: json('StatusResponseBody'),
  }),
  '/upload': post({
    id: 'post-upload',
    summary: 'Post upload',
    description: 'Keeps a file where the agent can read it. It stays across restarts. Needs the token.',
    body: file,
    answer: json('UploadResponseBody'),
  }),
  '/interrupt': post({
    id: 'post-interrupt',
    summary: 'Interrupt',
    description: 'Presses the key that interrupts a turn of this agent. Needs the token.',
    answer: json('MessageResponseBody'),
  }),
  '/sessions': get({
    id: 'get-sessions',
    summary: 'Sessions',
    description: 'The sessions of this agent in this project.',
    answer: json('SessionsResponseBody'),
  }),
  '/search': get({
    id: 'search',
    summary: 'Search',
    description: 'Messages of this session that have all of these words in them.',
    query: { q: text('Words.') },
    answer: { 'application/json': { schema: { type: 'array', items: see('SearchMatch') } } },
  }),
  '/share': get({
    id: 'get-share',
    summary: 'Share',
    description: 'The session as Markdown, with secrets, home paths and addresses masked.',
    answer: { 'text/markdown': { schema: { type: 'string' } } },
  }),
  '/export': get({
    id: 'get-export',
    summary: 'Export',
    description: 'The session as a file. Nothing is masked.',
    query: { format: { type: 'string', enum: ['md', 'html', 'jsonl', 'json'], default: 'md' } },
    answer: { '*/*': { schema: { type: 'string' } } },
  }),
}

/** What the server can be asked, for programs: AgentAPI's description, and what Ion adds. */
export function openapi(version: string): Schema {
  return {
    openapi: '3.1.0',
    info: {
      title: 'Ion',
      version,
      description: 'Compatible with AgentAPI (github.com/coder/agentapi); what is not in it is marked as added by Ion.',
    },
    paths,
    components: { schemas },
  }
}

/** The same in the older form, which knows no list of types. */
export function openapi30(version: string): Schema {
  return { ...(older(openapi(version)) as Schema), openapi: '3.0.3' }
}

function older(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(older)
  if (value === null || typeof value !== 'object') return value
  const { type, ...others } = value as Schema
  const rest = Object.fromEntries(Object.entries(others).map(([name, field]) => [name, older(field)]))
  if (type === undefined) return rest
  // A property may be called so, and is a schema then.
  return Array.isArray(type) ? { type: type[0], nullable: true, ...rest } : { type: older(type), ...rest }
}
