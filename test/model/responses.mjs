// OpenAI Responses: Codex.
import { addAssistant, addResult, addSystem, addUser, flatText, parsedInput } from './history.mjs'
import { namedEvent, pieces } from './sse.mjs'

/** @type {import('./protocol.mjs').Protocol} */
export const responses = {
  name: 'responses',
  contentType: 'text/event-stream',
  isTurn: ({ path }) => path === '/v1/responses',

  read({ body }) {
    const schema = body.text?.format?.schema
    return {
      model: body.model ?? '',
      stream: body.stream === true,
      system: flatText(body.instructions),
      messages: readItems(
        typeof body.input === 'string' ? [{ role: 'user', content: body.input }] : (body.input ?? []),
      ),
      tools: (body.tools ?? []).map((/** @type {any} */ tool) => ({
        name: tool.name ?? tool.type,
        type: tool.type,
        schema: tool.parameters,
      })),
      ...(body.tool_choice?.name ? { forcedTool: body.tool_choice.name } : {}),
      ...(schema ? { answerSchema: schema } : {}),
    }
  },

  whole: (reply) => completed(reply),

  frames(reply) {
    let sequence = 0
    /** @type {string[]} */
    const frames = []
    const event = (/** @type {string} */ type, /** @type {object} */ data) =>
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

  failure: ({ fail, message }) => ({
    error: { message, type: 'invalid_request_error', param: null, code: String(fail) },
  }),
}

/** What an item lacks while it is being streamed. @type {Record<string, object>} */
const EMPTY = { reasoning: { summary: [] }, message: { content: [] }, function_call: { arguments: '' } }

/** @param {import('./protocol.mjs').Reply} reply */
function completed(reply) {
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

/** @param {import('./protocol.mjs').Reply} reply @returns {any[]} */
function items({ id, think, say, call }) {
  const items = []
  if (think) {
    items.push({ type: 'reasoning', id: `rs_${id}`, summary: [{ type: 'summary_text', text: think }] })
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

/** @param {any[]} list */
function readItems(list) {
  /** @type {import('./history.mjs').Message[]} */
  const messages = []
  for (const item of list) {
    if (item.type?.endsWith('_call')) {
      const input = parsedInput(item.arguments ?? item.input ?? item.action)
      addAssistant(messages, { call: { id: item.call_id, name: item.name ?? item.type, input } })
    } else if (item.type?.endsWith('_call_output')) {
      const { text, isError } = readOutput(item.output)
      addResult(messages, { id: item.call_id, text, isError })
    } else if (item.role === 'assistant') addAssistant(messages, { text: flatText(item.content) })
    else if (item.role === 'user') {
      for (const part of Array.isArray(item.content) ? item.content : [item.content]) addUser(messages, flatText(part))
    } else if (item.role) addSystem(messages, flatText(item.content))
  }
  return messages
}

/** @param {any} output a text, or an object that says whether it went well */
function readOutput(output) {
  if (output && typeof output === 'object' && 'content' in output) {
    return { text: flatText(output.content), isError: output.success === false }
  }
  return { text: flatText(output), isError: false }
}
