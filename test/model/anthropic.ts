// Anthropic Messages: Claude Code, and the old Amp below a path of its own.

import { checkMessages } from './anthropic-rules.ts'
import type { Message } from './history.ts'
import { addAssistant, addResult, addSystem, addUser, flatText } from './history.ts'
import type { Protocol, Reply } from './protocol.ts'
import { seal } from './seal.ts'
import { namedEvent, pieces } from './sse.ts'
import type { JsonSchema } from './tools.ts'

type RequestBlock =
  | { type: 'text'; text: string }
  | { type: 'tool_use'; id: string; name: string; input: unknown }
  | { type: 'tool_result'; tool_use_id: string; content?: unknown; is_error?: boolean }

interface RequestMessage {
  role: 'user' | 'assistant' | 'system'
  content: string | RequestBlock[]
}

/** What is looked at of a request. */
interface MessagesRequest {
  model?: string
  stream?: boolean
  system?: unknown
  messages?: RequestMessage[]
  tools?: { name: string; input_schema?: JsonSchema }[]
  tool_choice?: { type: string; name?: string }
  output_config?: { format?: { schema?: JsonSchema } }
}

export const anthropic: Protocol = {
  name: 'anthropic',
  contentType: 'text/event-stream',
  isTurn: ({ path }) => path === '/v1/messages' || path === '/api/provider/anthropic/v1/messages',

  read(call) {
    const body = call.body as MessagesRequest
    return {
      model: body.model ?? '',
      stream: body.stream === true,
      system: flatText(body.system),
      messages: readMessages(body.messages ?? []),
      tools: (body.tools ?? []).map((tool) => ({ name: tool.name, schema: tool.input_schema })),
      ...(body.tool_choice?.type === 'tool' ? { forcedTool: body.tool_choice.name ?? '' } : {}),
      ...(body.output_config?.format?.schema ? { answerSchema: body.output_config.format.schema } : {}),
    }
  },

  check: ({ body }, organisation) => checkMessages(body, organisation),

  answerOther({ path, body }) {
    if (path.endsWith('/v1/messages/count_tokens')) {
      return { input_tokens: 100 + 10 * readMessages((body as MessagesRequest).messages ?? []).length }
    }
  },

  whole(reply) {
    return {
      ...opening(reply),
      content: blocks(reply).map(({ whole }) => whole),
      stop_reason: stopReason(reply),
      usage: usage(reply),
    }
  },

  frames(reply) {
    const frames = [
      namedEvent('message_start', {
        type: 'message_start',
        message: {
          ...opening(reply),
          content: [],
          stop_reason: null,
          usage: { ...usage(reply), output_tokens: 1 },
        },
      }),
      namedEvent('ping', { type: 'ping' }),
    ]
    for (const [index, { start, deltas }] of blocks(reply).entries()) {
      frames.push(namedEvent('content_block_start', { type: 'content_block_start', index, content_block: start }))
      for (const delta of deltas)
        frames.push(namedEvent('content_block_delta', { type: 'content_block_delta', index, delta }))
      if (reply.hang) return frames
      frames.push(namedEvent('content_block_stop', { type: 'content_block_stop', index }))
    }
    if (reply.hang) return frames
    return [
      ...frames,
      namedEvent('message_delta', {
        type: 'message_delta',
        delta: { stop_reason: stopReason(reply), stop_sequence: null },
        usage: { output_tokens: reply.usage.output },
      }),
      namedEvent('message_stop', { type: 'message_stop' }),
    ]
  },

  failure: ({ fail, message }) => ({
    type: 'error',
    error: { type: fail < 500 ? 'invalid_request_error' : 'api_error', message },
  }),
}

function readMessages(list: readonly RequestMessage[]): Message[] {
  const messages: Message[] = []
  for (const { role, content } of list) {
    const blocks: readonly RequestBlock[] = typeof content === 'string' ? [{ type: 'text', text: content }] : content
    for (const block of blocks) {
      if (block.type === 'tool_result') {
        const text = flatText(block.content)
        addResult(messages, { id: block.tool_use_id, text, isError: block.is_error === true })
      } else if (block.type === 'tool_use') {
        addAssistant(messages, { call: { id: block.id, name: block.name, input: block.input } })
      } else if (block.type === 'text') {
        if (role === 'assistant') addAssistant(messages, { text: block.text })
        else if (role === 'system') addSystem(messages, block.text)
        else addUser(messages, block.text)
      }
    }
  }
  return messages
}

function opening({ id, model }: Reply) {
  return { id: `msg_${id}`, type: 'message', role: 'assistant', model, stop_sequence: null }
}

function stopReason({ call }: Reply) {
  return call ? 'tool_use' : 'end_turn'
}

function usage(reply: Reply) {
  return {
    input_tokens: reply.usage.input,
    cache_creation_input_tokens: 0,
    cache_read_input_tokens: 0,
    output_tokens: reply.usage.output,
  }
}

/** Each block as it begins, as it grows, and whole. */
function blocks({ think, say, call, organisation }: Reply) {
  const blocks: { start: object; deltas: object[]; whole: object }[] = []
  if (think) {
    const signature = seal(organisation, think)
    blocks.push({
      start: { type: 'thinking', thinking: '', signature: '' },
      deltas: [
        ...pieces(think).map((thinking) => ({ type: 'thinking_delta', thinking })),
        { type: 'signature_delta', signature },
      ],
      whole: { type: 'thinking', thinking: think, signature },
    })
  }
  if (say) {
    blocks.push({
      start: { type: 'text', text: '' },
      deltas: pieces(say).map((text) => ({ type: 'text_delta', text })),
      whole: { type: 'text', text: say },
    })
  }
  if (call) {
    const { id, name, input } = call
    blocks.push({
      start: { type: 'tool_use', id, name, input: {} },
      deltas: [{ type: 'input_json_delta', partial_json: JSON.stringify(input) }],
      whole: { type: 'tool_use', id, name, input },
    })
  }
  return blocks
}
