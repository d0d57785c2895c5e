// Auggie's own backend: one line of JSON per piece of the answer. What it refuses is not known, so nothing is checked: after a
// kill in a tool, for example, Auggie sends a call without its result, and nobody outside knows what the service says to that.

import type { Call, Message } from './history.ts'
import { addAssistant, addResult, addUser, parsedInput } from './history.ts'
import type { Protocol, Reply } from './protocol.ts'
import { jsonLine, pieces } from './sse.ts'
import type { JsonSchema } from './tools.ts'

/** Kinds of nodes, as they are numbered in requests and answers. */
const TEXT = 0
const TOOL_USE = 5
const THINKING = 8
const USAGE = 10
/** Why an answer ended. */
const STOP = { end: 1, tool: 3 }

interface Exchange {
  request_message?: string | undefined
  request_nodes?: RequestNode[] | undefined
  response_text?: string
  response_nodes?: ResponseNode[]
}

interface RequestNode {
  type: number
  text_node?: { content?: string }
  tool_result_node?: { tool_use_id: string; content?: string; is_error?: boolean }
  ide_state_node?: { current_terminal?: { current_working_directory: string } }
}

interface ResponseNode {
  type: number
  content?: string
  tool_use?: { tool_use_id: string; tool_name: string; input_json: string }
}

/** What is looked at of a request. */
interface ChatRequest {
  model?: string
  message?: string
  nodes?: RequestNode[]
  chat_history?: Exchange[]
  system_prompt?: string
  tool_definitions?: { name: string; input_schema_json?: string; input_schema?: unknown }[]
  silent?: boolean
}

export const augment: Protocol = {
  name: 'augment',
  contentType: 'application/x-ndjson',
  isTurn: ({ path }) => path === '/chat-stream',

  read(call) {
    const body = call.body as ChatRequest
    const exchanges: Exchange[] = [
      ...(body.chat_history ?? []),
      { request_message: body.message, request_nodes: body.nodes, response_nodes: [] },
    ]
    const folder = exchanges
      .flatMap((exchange) => exchange.request_nodes ?? [])
      .findLast((node) => node.ide_state_node)?.ide_state_node
    return {
      model: body.model ?? '',
      stream: true,
      system: body.system_prompt ?? '',
      messages: readExchanges(exchanges),
      tools: (body.tool_definitions ?? []).map((tool) => ({
        name: tool.name,
        schema: parsedInput(tool.input_schema_json ?? tool.input_schema) as JsonSchema,
      })),
      ...(folder?.current_terminal ? { cwd: folder.current_terminal.current_working_directory } : {}),
      ...(body.silent ? { silent: true } : {}),
    }
  },

  answerOther({ path }) {
    if (path === '/get-models') return MODELS
    if (path === '/agents/list-remote-tools') return { tools: [] }
  },

  whole(reply) {
    const { think, say, call } = reply
    const nodes = [
      ...(think ? [thinkingNode(think)] : []),
      ...(say ? [textNode(say)] : []),
      ...(call ? [toolNode(call)] : []),
      usageNode(reply),
    ]
    return line(say ?? '', nodes, stopReason(reply))
  },

  frames(reply) {
    const { think, say = '', call } = reply
    const frames = [
      ...(think ? [jsonLine(line('', [thinkingNode(think)]))] : []),
      ...pieces(say).map((text) => jsonLine(line(text, [textNode(text)]))),
    ]
    if (reply.hang) return frames
    const rest = [...(call ? [toolNode(call)] : []), usageNode(reply)]
    return [...frames, jsonLine(line('', rest, stopReason(reply)))]
  },

  failure: ({ message }) => ({ error: message }),
}

const MODEL = { suggested_prefix_char_count: 1000, suggested_suffix_char_count: 1000 }
const MODELS = {
  default_model: 'stub-model',
  models: [{ ...MODEL, name: 'stub-model', internal_name: 'stub-model' }],
  languages: [],
  // Plan mode, and with it the tool that asks the user.
  feature_flags: { cli_enable_plan_mode: true },
  user: { id: 'stub-user', email: 'dev@example.com' },
}

function line(text: string, nodes: object[], stop_reason?: number) {
  return {
    text,
    unknown_blob_names: [],
    checkpoint_not_found: false,
    workspace_file_chunks: [],
    nodes,
    ...(stop_reason === undefined ? {} : { stop_reason }),
  }
}

function stopReason({ call }: Reply) {
  return call ? STOP.tool : STOP.end
}

function textNode(content: string) {
  return { id: 1, type: TEXT, content }
}

function thinkingNode(think: string) {
  return { id: 2, type: THINKING, content: '', thinking: { summary: think, content: think } }
}

function toolNode({ id, name, input }: Call) {
  const tool_use = { tool_use_id: id, tool_name: name, input_json: JSON.stringify(input) }
  return { id: 3, type: TOOL_USE, content: '', tool_use }
}

function usageNode({ usage }: Reply) {
  const token_usage = {
    input_tokens: usage.input,
    output_tokens: usage.output,
    cache_read_input_tokens: 0,
    cache_creation_input_tokens: 0,
  }
  return { id: 4, type: USAGE, content: '', token_usage }
}

function readExchanges(exchanges: readonly Exchange[]): Message[] {
  const messages: Message[] = []
  for (const { request_message, request_nodes = [], response_text, response_nodes = [] } of exchanges) {
    for (const node of request_nodes ?? []) {
      if (node.tool_result_node) {
        const { tool_use_id, content = '', is_error } = node.tool_result_node
        addResult(messages, { id: tool_use_id, text: content, isError: is_error === true })
      } else if (node.type === TEXT) addUser(messages, node.text_node?.content ?? '')
    }
    if (!request_nodes?.length) addUser(messages, request_message ?? '')
    for (const node of response_nodes ?? []) {
      if (node.tool_use) {
        const { tool_use_id, tool_name, input_json } = node.tool_use
        addAssistant(messages, { call: { id: tool_use_id, name: tool_name, input: parsedInput(input_json) } })
      } else if (node.type === TEXT) addAssistant(messages, { text: node.content ?? '' })
    }
    if (!response_nodes?.length) addAssistant(messages, { text: response_text ?? '' })
  }
  return messages
}
