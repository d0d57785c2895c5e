// OpenAI Responses: Codex.

import type { Message } from './history.ts'
import { addAssistant, addResult, addSystem, addUser, flatText, parsedInput } from './history.ts'
import { openaiFailure } from './openai-rules.ts'
import type { Protocol, Reply } from './protocol.ts'
import { checkInput } from './responses-rules.ts'
import { seal } from './seal.ts'
import { namedEvent, pieces } from './sse.ts'
import type { JsonSchema } from './tools.ts'

interface InputItem {
  type?: string
  role?: string
  content?: unknown
  call_id?: string
  name?: string
  arguments?: unknown
  input?: unknown
  action?: unknown
  output?: unknown
}

/** What is looked at of a request. */
interface ResponsesRequest {
  model?: string
  stream?: boolean
  instructions?: unknown
  input?: string | InputItem[]
  include?: string[]
  tools?: { name?: string; type?: string; parameters?: JsonSchema }[]
  tool_choice?: { name?: string }
  text?: { format?: { schema?: JsonSchema } }
}

type OutputItem = { id: string } & (
  | { type: 'reasoning'; summary: object[]; encrypted_content?: string }
  | { type: 'message'; role: 'assistant'; status: string; content: object[] }
  | { type: 'function_call'; call_id: string; name: string; arguments: string; status: string }
)

export const responses: Protocol = {
  name: 'responses',
  contentType: 'text/event-stream',
  isTurn: ({ path }) => path === '/v1/responses',

  read(call) {
    const body = call.body as ResponsesRequest
    const schema = body.text?.format?.schema
    return {
      model: body.model ?? '',
      stream: body.stream === true,
      system: flatText(body.instructions),
      messages: readItems(
        typeof body.input === 'string' ? [{ role: 'user', content: body.input }] : (body.input ?? []),
      ),
      tools: (body.tools ?? []).map((tool) => ({
        name: tool.name ?? tool.type ?? '',
        schema: tool.parameters,
      })),
      ...(body.tool_choice?.name ? { forcedTool: body.tool_choice.name } : {}),
      ...(schema ? { answerSchema: schema } : {}),
      ...(body.include?.includes('reasoning.encrypted_content') ? { sealReasoning: true } : {}),
    }
  },

  check: ({ body }, organisation) => checkInput(body, organisation),

  whole: (reply) => completed(reply),

  frames(reply) {
    let sequence = 0
    const frames: string[] = []
    const event = (type: string, data: object) =>
      frames.push(namedEvent(type, { type, sequence_number: sequence++, ...data }))

    const started = { ...completed(reply), status: 'in_progress', output: [], usage: null }
    event('response.created', { response: started })
    event('response.in_progress', { response: started })
    for (const [output_index, item] of items(reply).entries()) {
      const place = { item_id: item.id, output_index }
      event('response.output_item.added', {
        output_index,
        item: { ...item, ...EMPTY[item.type], status: 'in_progress' },
      })
      if (item.type === 'reasoning') {
        const part = { ...place, summary_index: 0 }
        event('response.reasoning_summary_part.added', { ...part, part: { type: 'summary_text', text: '' } })
        for (const delta of pieces(reply.think ?? ''))
          event('response.reasoning_summary_text.delta', { ...part, delta })
        event('response.reasoning_summary_text.done', { ...part, text: reply.think })
        event('response.reasoning_summary_part.done', { ...part, part: item.summary[0] })
      } else if (item.type === 'message') {
        const part = { ...place, content_index: 0 }
        event('response.content_part.added', { ...part, part: { type: 'output_text', text: '', annotations: [] } })
        for (const delta of pieces(reply.say ?? '')) event('response.output_text.delta', { ...part, delta })
        if (reply.hang) return frames
        event('response.output_text.done', { ...part, text: reply.say })
        event('response.content_part.done', { ...part, part: item.content[0] })
      } else {
        event('response.function_call_arguments.delta', { ...place, delta: item.arguments })
        event('response.function_call_arguments.done', { ...place, arguments: item.arguments })
      }
      event('response.output_item.done', { output_index, item })
    }
    if (!reply.hang) event('response.completed', { response: completed(reply) })
    return frames
  },

  failure: openaiFailure,
}

/** What an item lacks while it is being streamed. */
const EMPTY: Record<string, object> = {
  reasoning: { summary: [] },
  message: { content: [] },
  function_call: { arguments: '' },
}

function completed(reply: Reply) {
  const { input, output } = reply.usage
  return {
    id: `resp_${reply.id}`,
    object: 'response',
    created_at: 1_700_000_000,
    status: 'completed',
    error: null,
    model: reply.model,
    output: items(reply),
    usage: {
      input_tokens: input,
      input_tokens_details: { cached_tokens: 0 },
      output_tokens: output,
      output_tokens_details: { reasoning_tokens: 0 },
      total_tokens: input + output,
    },
  }
}

function items({ id, think, say, call, organisation, sealReasoning }: Reply): OutputItem[] {
  const items: OutputItem[] = []
  if (think) {
    const summary = [{ type: 'summary_text', text: think }]
    const sealed = sealReasoning ? { encrypted_content: seal(organisation, think) } : {}
    items.push({ type: 'reasoning', id: `rs_${id}`, summary, ...sealed })
  }
  if (say) {
    const content = [{ type: 'output_text', text: say, annotations: [] }]
    items.push({ type: 'message', id: `msg_${id}`, role: 'assistant', status: 'completed', content })
  }
  if (call) {
    items.push({
      type: 'function_call',
      id: `fc_${id}`,
      call_id: call.id,
      name: call.name,
      arguments: JSON.stringify(call.input),
      status: 'completed',
    })
  }
  return items
}

function readItems(list: readonly InputItem[]): Message[] {
  const messages: Message[] = []
  for (const item of list) {
    if (item.type?.endsWith('_call')) {
      const input = parsedInput(item.arguments ?? item.input ?? item.action)
      addAssistant(messages, { call: { id: item.call_id ?? '', name: item.name ?? item.type, input } })
    } else if (item.type?.endsWith('_call_output')) {
      const { text, isError } = readOutput(item.output)
      addResult(messages, { id: item.call_id ?? '', text, isError })
    } else if (item.role === 'assistant') addAssistant(messages, { text: flatText(item.content) })
    else if (item.role === 'user') {
      for (const part of Array.isArray(item.content) ? item.content : [item.content]) addUser(messages, flatText(part))
    } else if (item.role) addSystem(messages, flatText(item.content))
  }
  return messages
}

/** A text, or an object that says whether the call succeeded. */
function readOutput(output: unknown): { text: string; isError: boolean } {
  if (output && typeof output === 'object' && 'content' in output) {
    return { text: flatText(output.content), isError: 'success' in output && output.success === false }
  }
  return { text: flatText(output), isError: false }
}
