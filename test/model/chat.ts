// OpenAI Chat Completions: Copilot, OpenCode, Goose, Aider.

import { checkChat } from './chat-rules.ts'
import type { Call, Message } from './history.ts'
import { addAssistant, addResult, addSystem, addUser, flatText, parsedInput } from './history.ts'
import { openaiFailure } from './openai-rules.ts'
import type { Protocol, Reply } from './protocol.ts'
import { pieces, plainEvent } from './sse.ts'
import type { JsonSchema } from './tools.ts'

interface RequestMessage {
  role: string
  content?: unknown
  tool_calls?: { id: string; function: { name: string; arguments: string } }[]
  tool_call_id?: string
}

/** What is looked at of a request. */
interface ChatRequest {
  model?: string
  stream?: boolean
  messages?: RequestMessage[]
  tools?: { function?: { name: string; parameters?: JsonSchema } }[]
  tool_choice?: { function?: { name: string } }
  response_format?: { json_schema?: { schema?: JsonSchema } }
}

export const chat: Protocol = {
  name: 'chat',
  contentType: 'text/event-stream',
  isTurn: ({ path }) => path.endsWith('/chat/completions'),

  read(call) {
    const body = call.body as ChatRequest
    const list = body.messages ?? []
    // The first system messages are the instructions; later ones are part of the talk.
    const begin = list.findIndex(({ role }) => role !== 'system' && role !== 'developer')
    const talk = begin < 0 ? list.length : begin
    const schema = body.response_format?.json_schema?.schema
    return {
      model: body.model ?? '',
      stream: body.stream === true,
      system: list
        .slice(0, talk)
        .map((message) => flatText(message.content))
        .join('\n'),
      messages: readMessages(list.slice(talk)),
      tools: (body.tools ?? []).map(({ function: tool }) => ({
        name: tool?.name ?? '',
        schema: tool?.parameters,
      })),
      ...(body.tool_choice?.function ? { forcedTool: body.tool_choice.function.name } : {}),
      ...(schema ? { answerSchema: schema } : {}),
    }
  },

  check: ({ body }) => checkChat(body),

  whole(reply) {
    const { think, say, call } = reply
    return {
      id: `chatcmpl-${reply.id}`,
      object: 'chat.completion',
      created: CREATED,
      model: reply.model,
      choices: [
        {
          index: 0,
          message: {
            role: 'assistant',
            content: say ?? null,
            ...(think ? { reasoning_content: think } : {}),
            ...(call ? { tool_calls: [toolCall(call)] } : {}),
          },
          finish_reason: call ? 'tool_calls' : 'stop',
        },
      ],
      usage: usage(reply),
    }
  },

  frames(reply) {
    const { think = '', say = '', call } = reply
    const chunk = (delta: object, finish: string | null = null) =>
      plainEvent({ ...head(reply), choices: [{ index: 0, delta, finish_reason: finish }] })
    const frames = [
      chunk({ role: 'assistant', content: '' }),
      ...pieces(think).map((reasoning_content) => chunk({ reasoning_content })),
      ...pieces(say).map((content) => chunk({ content })),
    ]
    if (reply.hang) return frames
    if (call) frames.push(chunk({ tool_calls: [{ index: 0, ...toolCall(call) }] }))
    return [
      ...frames,
      chunk({}, call ? 'tool_calls' : 'stop'),
      plainEvent({ ...head(reply), choices: [], usage: usage(reply) }),
      plainEvent('[DONE]'),
    ]
  },

  failure: openaiFailure,
}

/** The protocol wants a time; a fixed one keeps answers equal. */
const CREATED = 1_700_000_000

function head({ id, model }: Reply) {
  return { id: `chatcmpl-${id}`, object: 'chat.completion.chunk', created: CREATED, model }
}

function toolCall({ id, name, input }: Call) {
  return { id, type: 'function', function: { name, arguments: JSON.stringify(input) } }
}

function usage({ usage }: Reply) {
  return {
    prompt_tokens: usage.input,
    completion_tokens: usage.output,
    total_tokens: usage.input + usage.output,
    prompt_tokens_details: { cached_tokens: 0 },
    completion_tokens_details: { reasoning_tokens: 0 },
  }
}

function readMessages(list: readonly RequestMessage[]): Message[] {
  const messages: Message[] = []
  for (const { role, content, tool_calls = [], tool_call_id } of list) {
    if (role === 'tool') addResult(messages, { id: tool_call_id ?? '', text: flatText(content), isError: false })
    else if (role === 'assistant') {
      addAssistant(messages, { text: flatText(content) })
      for (const { id, function: call } of tool_calls ?? []) {
        addAssistant(messages, { call: { id, name: call.name, input: parsedInput(call.arguments) } })
      }
    } else if (role === 'user') {
      for (const part of Array.isArray(content) ? content : [content]) addUser(messages, flatText(part))
    } else addSystem(messages, flatText(content))
  }
  return messages
}
