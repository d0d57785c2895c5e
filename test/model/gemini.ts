// Gemini generateContent.

import { checkContents } from './gemini-rules.ts'
import type { Call, Message } from './history.ts'
import { addAssistant, addResult, addUser, flatText } from './history.ts'
import type { Protocol, Reply } from './protocol.ts'
import { seal } from './seal.ts'
import { pieces, plainEvent } from './sse.ts'
import type { JsonSchema } from './tools.ts'

interface RequestContent {
  role?: string
  parts?: {
    text?: string
    thought?: boolean
    functionCall?: { id?: string; name: string; args?: unknown }
    functionResponse?: { id?: string; name: string; response?: { output?: unknown; error?: unknown } }
  }[]
}

/** What is looked at of a request. */
interface GenerateRequest {
  contents?: RequestContent[]
  systemInstruction?: { parts?: unknown }
  tools?: { functionDeclarations?: { name: string; parametersJsonSchema?: JsonSchema; parameters?: JsonSchema }[] }[]
  generationConfig?: { responseJsonSchema?: JsonSchema; responseSchema?: JsonSchema }
}

export const gemini: Protocol = {
  name: 'gemini',
  contentType: 'text/event-stream',
  isTurn: ({ path }) => /:(stream)?generateContent$/i.test(path),

  read({ path, body: given }) {
    const body = given as GenerateRequest
    const { model, method } = calledIn(path)
    const schema = body.generationConfig?.responseJsonSchema ?? body.generationConfig?.responseSchema
    return {
      model,
      stream: method === 'streamGenerateContent',
      system: flatText(body.systemInstruction?.parts ?? body.systemInstruction),
      messages: readContents(body.contents ?? []),
      tools: (body.tools ?? [])
        .flatMap((tool) => tool.functionDeclarations ?? [])
        .map((tool) => ({ name: tool.name, schema: tool.parametersJsonSchema ?? tool.parameters })),
      // The small model is only asked for summaries and routing.
      ...(model.includes('flash-lite') ? { silent: true } : {}),
      ...(schema ? { answerSchema: schema } : {}),
    }
  },

  check: ({ path, body }, organisation) => checkContents(body, calledIn(path).model, organisation),

  answerOther({ path, body }) {
    if (path.endsWith(':countTokens'))
      return { totalTokens: 100 + 10 * readContents((body as GenerateRequest).contents ?? []).length }
  },

  whole: (reply) => chunk(reply, parts(reply), 'STOP'),

  frames(reply) {
    const { think, say = '', call } = reply
    const frames = [
      ...(think ? [{ text: think, thought: true }] : []),
      ...pieces(say).map((text) => ({ text })),
      ...(call ? [functionCall(reply, call)] : []),
    ].map((part) => plainEvent(chunk(reply, [part])))
    return reply.hang ? frames : [...frames, plainEvent(chunk(reply, [{ text: '' }], 'STOP'))]
  },

  failure: ({ fail, message }) => ({ error: { code: fail, message, status: 'INVALID_ARGUMENT' } }),
}

function chunk({ id, model, usage }: Reply, parts: object[], finishReason?: string) {
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

function parts(reply: Reply) {
  const { think, say, call } = reply
  return [
    ...(think ? [{ text: think, thought: true }] : []),
    ...(say ? [{ text: say }] : []),
    ...(call ? [functionCall(reply, call)] : []),
  ]
}

function functionCall({ organisation }: Reply, { id, name, input }: Call) {
  return { functionCall: { id, name, args: input }, thoughtSignature: seal(organisation, id) }
}

/** The model and the method that the path of a request names. */
function calledIn(path: string): { model: string; method: string } {
  const [, model = '', method = ''] = /\/models\/([^/:]+):(\w+)$/.exec(path) ?? []
  return { model, method }
}

function readContents(contents: readonly RequestContent[]): Message[] {
  const messages: Message[] = []
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
