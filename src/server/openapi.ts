/** A JSON Schema, as far as it is needed here. */
type Schema = Readonly<Record<string, unknown>>

const text = (description: string): Schema => ({ type: 'string', description })
const whole = (description: string): Schema => ({ type: 'integer', format: 'int64', description })
const moment = (description: string): Schema => ({ type: 'string', format: 'date-time', description })
const flag = (description: string): Schema => ({ type: 'boolean', description })
const maybe = (schema: Schema): Schema => ({ ...schema, type: [schema.type, 'null'] })
const list = (items: Schema, description: string): Schema => ({ type: 'array', items, description })
const see = (name: string, description?: string): Schema => ({
  $ref: `#/components/schemas/${name}`,
  ...(description ? { description } : {}),
})
const choice = (title: string, values: readonly string[], example: string): Schema => ({
  type: 'string',
  title,
  enum: values,
  example,
})

/** All properties are required but those named as optional. */
function object(properties: Readonly<Record<string, Schema>>, optional: readonly string[] = []): Schema {
  const required = Object.keys(properties).filter((name) => !optional.includes(name))
  return { type: 'object', additionalProperties: false, properties, ...(required.length > 0 ? { required } : {}) }
}

const messageText =
  'What was said, as the agent keeps it in its transcript: not wrapped, without anything of the screen around it.'
const done = flag('Nothing more comes: the turn of an agent is over.')
const parts = list(see('Part'), 'What was said and done, in order. Added by Ion.')

const schemas: Readonly<Record<string, Schema>> = {
  AgentStatus: choice('AgentStatus', ['running', 'stable'], 'stable'),
  ConversationRole: choice('ConversationRole', ['agent', 'user'], 'user'),
  ErrorBody: object({
    level: see('ErrorLevel', 'Error level'),
    message: text('Error message'),
    time: moment('Timestamp when the error occurred'),
  }),
  ErrorDetail: object({ location: text('Where'), message: text('What'), value: { description: 'The value there' } }, [
    'location',
    'message',
    'value',
  ]),
  ErrorLevel: choice('ErrorLevel', ['error', 'warning'], 'warning'),
  ErrorModel: object(
    {
      detail: text('What is wrong with this request.'),
      errors: maybe(list(see('ErrorDetail'), 'Where it is wrong')),
      instance: { type: 'string', format: 'uri' },
      status: whole('HTTP status code'),
      title: text('The name of the status code.'),
      type: { type: 'string', format: 'uri', default: 'about:blank' },
    },
    ['detail', 'errors', 'instance', 'status', 'title', 'type'],
  ),
  Message: object({
    content: text(messageText),
    id: whole('Grows along the conversation, and is never given to another message.'),
    role: see('ConversationRole', 'Role of the message author'),
    time: moment('Timestamp of the message'),
    parts,
    done,
  }),
  MessageRequestBody: object({
    content: text('Message content'),
    type: see('MessageType', "'user' is typed and submitted; 'raw' are keys as they are, and not in the history."),
  }),
  MessageResponseBody: object({ ok: flag('It was sent: the agent has taken it.') }),
  MessageType: choice('MessageType', ['raw', 'user'], 'user'),
  MessageUpdateBody: object({
    id: whole('As in Message.'),
    message: text(messageText),
    role: see('ConversationRole', 'Role of the message author'),
    time: moment('Timestamp of the message'),
    parts,
    done,
  }),
  MessagesResponseBody: object({ messages: list(see('Message'), 'List of messages') }),
  Part: {
    oneOf: [
      object({ type: { type: 'string', enum: ['text', 'thinking'] }, text: text('Markdown.') }),
      object({
        type: { type: 'string', enum: ['tool_use'] },
        id: text('Of the call.'),
        name: text('Of the tool.'),
        input: { description: 'Whatever the tool takes.' },
      }),
      object(
        {
          type: { type: 'string', enum: ['tool_result'] },
          tool_use_id: text('Of the call that this is the result of.'),
          content: text('At most 4096 characters.'),
          is_error: flag('The tool failed.'),
          truncated: flag('There is more: GET /messages/{id}.'),
        },
        ['truncated'],
      ),
      object({
        type: { type: 'string', enum: ['note'] },
        subtype: text('interrupted, api_error, compaction'),
        text: text('What the agent noted.'),
      }),
    ],
  },
  ScreenUpdateBody: object({ screen: { type: 'string' } }),
  SearchMatch: object({
    id: whole('Of the message.'),
    role: see('ConversationRole'),
    snippet: text('Around the first word.'),
  }),
  SessionEntry: object({
    id: text('Session id'),
    title: maybe(text('Title')),
    updated_at: maybe(moment('Last change')),
    messages: whole('How many messages it has'),
  }),
  SessionsResponseBody: object({ sessions: list(see('SessionEntry'), 'The newest first') }),
  StatusChangeBody: object({
    agent_type: text('Type of the agent being used by the server.'),
    status: see('AgentStatus', 'Agent status'),
    waiting_for: maybe(text('The dialog that only the user can answer.')),
  }),
  StatusResponseBody: object({
    agent_type: text('Type of the agent being used by the server.'),
    status: see('AgentStatus', "'running': the agent is at work; 'stable': it waits for input."),
    transport: see('Transport', "Backend transport: always 'pty'."),
    agent: text("Ion's name of the agent."),
    task: text("The task's name."),
    session_id: maybe(text('Session id, once there is one.')),
    title: maybe(text('Title of the session.')),
    waiting_for: maybe(text('The dialog that only the user can answer.')),
    exited: maybe(whole('The exit code of the agent, once it has ended.')),
    version: text('Of Ion.'),
  }),
  Transport: choice('Transport', ['acp', 'pty'], 'pty'),
  UploadResponseBody: object({ filePath: text('Path of the file'), ok: flag('The file was kept.') }),
}

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
      'grows is sent whole each time. With Last-Event-ID only what is newer.',
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
