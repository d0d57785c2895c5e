/** A JSON Schema, as far as it is needed here. */
export type Schema = Readonly<Record<string, unknown>>

export const text = (description: string): Schema => ({ type: 'string', description })
export const whole = (description: string): Schema => ({ type: 'integer', format: 'int64', description })
const moment = (description: string): Schema => ({ type: 'string', format: 'date-time', description })
const flag = (description: string): Schema => ({ type: 'boolean', description })
const maybe = (schema: Schema): Schema => ({ ...schema, type: [schema.type, 'null'] })
const list = (items: Schema, description: string): Schema => ({ type: 'array', items, description })
export const see = (name: string, description?: string): Schema => ({
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

export const schemas: Readonly<Record<string, Schema>> = {
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
  MessageRemovedBody: object({
    id: whole('Of a message that was sent and is no longer part of the conversation. It may come back under this id.'),
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
