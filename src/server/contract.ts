import { z } from 'zod'

/**
 * The HTTP API of `ion serve`: AgentAPI's messages, bodies, events and queries, and what Ion adds. `openapi.json`, the
 * types of server and page, and the page's mock server all come from here. Only `openapi.ts`, the check of a request body
 * and tests load this file; everybody else imports its types, so that neither start-up nor the page pays for zod.
 */

const int64 = (description: string) => z.int().meta({ format: 'int64', description })
const text = (description: string) => z.string().describe(description)
const dateTime = (description: string) => z.iso.datetime({ offset: true }).describe(description)

const AgentStatus = z.enum(['running', 'stable']).meta({ title: 'AgentStatus', example: 'stable' })
const ConversationRole = z.enum(['agent', 'user']).meta({ title: 'ConversationRole', example: 'user' })
const ErrorLevel = z.enum(['error', 'warning']).meta({ title: 'ErrorLevel', example: 'warning' })
const MessageType = z.enum(['raw', 'user']).meta({ title: 'MessageType', example: 'user' })
const Transport = z.enum(['acp', 'pty']).meta({ title: 'Transport', example: 'pty' })

const role = ConversationRole.describe('Role of the message author')
const time = dateTime('Timestamp of the message')
const content = text(
  'The message as the agent stores it in its transcript: not wrapped, without screen decoration; each tool call is one line.',
)
const done = z.boolean().describe('The message is complete: the turn of the agent is over.')
const agent_type = text('Type of the agent being used by the server.')
const Question = z.strictObject({
  id: text('Of this question. An answer names it, so that it cannot answer another one.'),
  text: text('What is asked, in one line.'),
  details: text('What it is about, such as the command: none or several lines.'),
  choices: z
    .array(z.strictObject({ key: text('Of this choice, for an answer.'), label: text('As the agent shows it.') }))
    .describe('Empty when only its terminal can answer: the agent shows something that Ion cannot read.'),
})
const waiting_for = Question.nullable().describe(
  'What the agent asks; messages are refused until it is answered: POST /answer.',
)

const Replica = z.strictObject({
  state: z
    .enum(['stored', 'behind', 'not stored'])
    .describe(
      "'behind': it is stored as soon as the store answers; 'not stored': only a start or the user can change that.",
    ),
  behind_since: dateTime("Of 'behind': since when something has not been stored.").nullable(),
  reason: text('Why it is not stored.').nullable(),
})

const eventTime = dateTime('As the agent stored it; missing if it stored none.').optional()

const ToolUse = z.strictObject({
  type: z.enum(['tool_use']),
  id: text('Id of the call.'),
  name: text('Name of the tool.'),
  input: z.unknown().describe('Input of the tool, of any type.'),
  time: eventTime,
})
const ToolResult = z.strictObject({
  type: z.enum(['tool_result']),
  tool_use_id: text('Id of the call.'),
  content: text('Up to 4096 characters.'),
  is_error: z.boolean().describe('The tool failed.'),
  time: eventTime,
  truncated: z.literal(true).meta({ description: 'There is more: GET /messages/{id}.' }).optional(),
})
const Answer = z.strictObject({
  question: text('What the agent asked.'),
  details: text('What it was about, such as the command: none or several lines.'),
  choice: text('The label of the choice.'),
  by: text('Who answered, as the client says; otherwise how: page, ion attach --chat, HTTP.'),
  time: dateTime('When it was answered.'),
})
const Part = z.union([
  z.strictObject({ type: z.enum(['text', 'thinking']), text: text('Markdown.') }),
  ToolUse,
  ToolResult,
  z.strictObject({
    type: z.enum(['note']),
    subtype: text('interrupted, api_error, compaction, answered'),
    text: text('Text of the note.'),
    answer: Answer.describe('Of answered: a question of the agent that was answered through Ion.').optional(),
  }),
])
const parts = z.array(Part).describe('What was said and done, in order. Added by Ion.')

const FullMessage = z.strictObject({
  content,
  id: int64('Increases along the conversation and is never reused for another message.'),
  role,
  time,
  parts,
  done,
})
const Message = FullMessage.extend({
  parts: parts.describe('What was said and done, in order; only with `full=true`. Added by Ion.').optional(),
})
const ErrorDetail = z.strictObject({
  location: text('Where the error is, such as body.content').optional(),
  message: text('Error message').optional(),
  value: z.unknown().describe('The value at that location').optional(),
})
const SessionEntry = z.strictObject({
  id: text('Session id'),
  title: text('Title').nullable(),
  updated_at: dateTime('Last change').nullable(),
  messages: int64('Number of messages'),
})

/** Every named schema, under AgentAPI's name where it has one: `components.schemas` of openapi.json. */
export const schemas = {
  AgentStatus,
  Answer,
  AnswerRequestBody: z.strictObject({
    question: text('Id of the question, from `waiting_for`.'),
    choice: text('Key of one of its choices.'),
    by: text('Who answers, for the history: one line of up to 80 characters.').optional(),
  }),
  AnswerResponseBody: z.strictObject({ ok: z.boolean().describe('The agent no longer asks.') }),
  ConversationRole,
  ErrorBody: z.strictObject({
    level: ErrorLevel.describe('Error level'),
    message: text('Error message'),
    time: dateTime('Timestamp when the error occurred'),
  }),
  ErrorDetail,
  ErrorLevel,
  ErrorModel: z.strictObject({
    detail: text('What is wrong with this request.').optional(),
    errors: z.array(ErrorDetail).nullable().describe('The errors and their locations').optional(),
    instance: z.url().optional(),
    status: int64('HTTP status code').optional(),
    title: text('Name of the status code.').optional(),
    type: z.string().meta({ format: 'uri', default: 'about:blank' }).optional(),
  }),
  FullMessage,
  Message,
  MessagePreviewBody: z.strictObject({
    id: int64('Id of the message that this text will be part of.'),
    text: text('As the terminal shows it. Empty when the text is in the message, or gone.'),
  }),
  MessageRemovedBody: z.strictObject({
    id: int64('Id of a message that is no longer part of the conversation. It may return under the same id.'),
  }),
  MessageRequestBody: z.strictObject({
    content: text('Message content'),
    type: MessageType.describe(
      "'user' is typed and submitted; 'raw' is typed as it is and does not become part of the history.",
    ),
  }),
  MessageResponseBody: z.strictObject({ ok: z.boolean().describe('The agent has accepted it.') }),
  MessageType,
  MessageUpdateBody: z.strictObject({
    id: int64('As in Message.'),
    message: content,
    role,
    time,
    parts: parts.describe('As in Message; only with `full=true`.').optional(),
    done,
  }),
  MessagesResponseBody: z.strictObject({ messages: z.array(Message).describe('List of messages') }),
  Part,
  Question,
  Replica,
  ScreenUpdateBody: z.strictObject({ screen: z.string() }),
  SearchMatch: z.strictObject({
    id: int64('Id of the message.'),
    role: ConversationRole,
    snippet: text('Text around the first match.'),
  }),
  HandoverResponseBody: z.strictObject({
    targets: z
      .array(z.strictObject({ agent: text("Ion's id of the agent."), title: text('Its name.') }))
      .describe('Installed agents in which the session can be continued.'),
  }),
  SessionEntry,
  SessionsResponseBody: z.strictObject({ sessions: z.array(SessionEntry).describe('Newest first') }),
  StatusChangeBody: z.strictObject({ agent_type, status: AgentStatus.describe('Agent status'), waiting_for }),
  StatusResponseBody: z.strictObject({
    agent_type,
    status: AgentStatus.describe("'running': the agent is working; 'stable': it waits for input."),
    transport: Transport.describe("Backend transport: always 'pty'."),
    agent: text("Ion's id of the agent."),
    task: text('Name of the task.'),
    project: text('Folder of the project.'),
    session_id: text('Session id, once there is one.').nullable(),
    title: text('Title of the session.').nullable(),
    waiting_for,
    exited: int64('Exit code of the agent, once it has ended.').nullable(),
    replica: Replica.nullable().describe('How far the store is behind in which the task is kept (`--replica`).'),
    version: text('Version of Ion.'),
  }),
  Transport,
  UploadResponseBody: z.strictObject({
    filePath: text('Path of the file'),
    ok: z.boolean().describe('The file was saved.'),
  }),
}

/** The body of each server-sent event of `/events`, by its name. */
export const eventBodies = {
  agent_error: 'ErrorBody',
  message_update: 'MessageUpdateBody',
  status_change: 'StatusChangeBody',
  message_removed: 'MessageRemovedBody',
  message_preview: 'MessagePreviewBody',
  replica_change: 'Replica',
} as const satisfies Readonly<Record<string, keyof typeof schemas>>

export const queries = {
  events: {
    after: int64('Of the current messages, only those from this id on.'),
    full: z
      .boolean()
      .describe(
        'Messages with their parts, however long, `message_removed`, `message_preview`, `agent_error` and `replica_change`. Without it an event has at most 120 KiB, and what the agent is writing comes as part of its message.',
      ),
  },
  messages: {
    after: int64('Only messages with a larger id.'),
    before: int64('Only messages with a smaller id.'),
    limit: int64('Maximum number: the last ones, or with after the first ones.'),
    full: z.boolean().describe('Messages with their parts.'),
  },
  search: { q: text('Words to search for.') },
  export: { format: z.enum(['md', 'html', 'jsonl', 'json']).default('md') },
}

type DeepReadonly<T> = T extends readonly (infer Element)[]
  ? readonly DeepReadonly<Element>[]
  : T extends object
    ? { readonly [Key in keyof T]: DeepReadonly<T[Key]> }
    : T

/** A schema's values as everybody but a test uses them. */
type Body<Name extends keyof typeof schemas> = DeepReadonly<z.infer<(typeof schemas)[Name]>>

export type Answer = Body<'Answer'>
export type AnswerRequest = Body<'AnswerRequestBody'>
export type AgentError = Body<'ErrorBody'>
export type ErrorDetail = Body<'ErrorDetail'>
export type HandoverTarget = Body<'HandoverResponseBody'>['targets'][number]
export type ListedMessage = Body<'Message'>
export type Message = Body<'FullMessage'>
export type MessagePreview = Body<'MessagePreviewBody'>
export type MessageRequest = Body<'MessageRequestBody'>
export type MessageUpdate = Body<'MessageUpdateBody'>
export type Part = Body<'Part'>
export type Problem = Body<'ErrorModel'>
export type Question = Body<'Question'>
export type Replica = Body<'Replica'>
export type Role = Body<'ConversationRole'>
export type SearchMatch = Body<'SearchMatch'>
export type SessionEntry = Body<'SessionEntry'>
export type Status = Body<'StatusResponseBody'>
export type StatusChange = Body<'StatusChangeBody'>
export type ToolResult = DeepReadonly<z.infer<typeof ToolResult>>
export type ToolUse = DeepReadonly<z.infer<typeof ToolUse>>
