// Gemini generateContent.
import { addAssistant, addResult, addUser, flatText } from './history.mjs'
import { pieces, plainEvent } from './sse.mjs'

/** @type {import('./protocol.mjs').Protocol} */
export const gemini = {
  name: 'gemini',
  contentType: 'text/event-stream',
  isTurn: ({ path }) => /:(stream)?generateContent$/i.test(path),

  read({ path, body }) {
    const [, model = '', method] = /\/models\/([^/:]+):(\w+)$/.exec(path) ?? []
    const schema = body.generationConfig?.responseJsonSchema ?? body.generationConfig?.responseSchema
    return {
      model,
      stream: method === 'streamGenerateContent',
      system: flatText(body.systemInstruction?.parts ?? body.systemInstruction),
      messages: readContents(body.contents ?? []),
      tools: (body.tools ?? [])
        .flatMap((/** @type {any} */ tool) => tool.functionDeclarations ?? [])
        .map((/** @type {any} */ tool) => ({ name: tool.name, schema: tool.parametersJsonSchema ?? tool.parameters })),
      // The small model is only asked for summaries and routing.
      ...(model.includes('flash-lite') ? { silent: true } : {}),
      ...(schema ? { answerSchema: schema } : {}),
    }
  },

  aside({ path, body }) {
    if (path.endsWith(':countTokens')) return { totalTokens: 100 + 10 * readContents(body.contents ?? []).length }
  },

  whole: (reply) => chunk(reply, parts(reply), 'STOP'),

  frames(reply) {
    const { think, say = '', call } = reply
    const frames = [
      ...(think ? [{ text: think, thought: true }] : []),
      ...pieces(say).map((text) => ({ text })),
      ...(call ? [functionCall(call)] : []),
    ].map((part) => plainEvent(chunk(reply, [part])))
    return reply.hang ? frames : [...frames, plainEvent(chunk(reply, [{ text: '' }], 'STOP'))]
  },

  failure: ({ fail, message }) => ({ error: { code: fail, message, status: 'INVALID_ARGUMENT' } }),
}

/** @param {import('./protocol.mjs').Reply} reply @param {object[]} parts @param {string} [finishReason] */
function chunk({ id, model, usage }, parts, finishReason) {
  return {
    candidates: [{ content: { role: 'model', parts }, index: 0, ...(finishReason ? { finishReason } : {}) }],
    usageMetadata: {
      promptTokenCount: usage.input,
      candidatesTokenCount: usage.output,
      totalTokenCount: usage.input + usage.output,
      cachedContentTokenCount: 0,
      thoughtsTokenCount: 0,
    },
    modelVersion: model,
    responseId: id,
  }
}

/** @param {import('./protocol.mjs').Reply} reply */
function parts({ think, say, call }) {
  return [
    ...(think ? [{ text: think, thought: true }] : []),
    ...(say ? [{ text: say }] : []),
    ...(call ? [functionCall(call)] : []),
  ]
}

/** @param {import('./history.mjs').Call} call */
function functionCall({ id, name, input }) {
  return { functionCall: { id, name, args: input } }
}

/** @param {any[]} contents */
function readContents(contents) {
  /** @type {import('./history.mjs').Message[]} */
  const messages = []
  for (const { role, parts = [] } of contents) {
    for (const part of parts) {
      if (part.functionResponse) {
        const { id, name, response = {} } = part.functionResponse
        const text = flatText(response.output ?? response.error ?? response)
        addResult(messages, { id: id ?? name, text, isError: 'error' in response })
      } else if (part.functionCall) {
        const { id, name, args } = part.functionCall
        addAssistant(messages, { call: { id: id ?? name, name, input: args ?? {} } })
      } else if (part.text && !part.thought) {
        if (role === 'model') addAssistant(messages, { text: part.text })
        else addUser(messages, part.text)
      }
    }
  }
  return messages
}
