// The service behind Amazon's CLI: JSON requests that name their operation in a header, and answers as event streams.

import { checkConversation } from './codewhisperer-rules.ts'
import { eventMessage } from './event-stream.ts'
import type { Message } from './history.ts'
import { addAssistant, addResult, addSystem, addUser, flatText } from './history.ts'
import type { HttpCall, Protocol, Reply } from './protocol.ts'
import { pieces } from './sse.ts'
import type { JsonSchema } from './tools.ts'

/** Operations that answer as the model, by login token and by signature. */
const TURNS = ['GenerateAssistantResponse', 'SendMessage']

interface UserInput {
  content?: string
  modelId?: string
  userInputMessageContext?: {
    envState?: { currentWorkingDirectory?: string }
    toolResults?: { toolUseId: string; content?: ({ text: string } | { json: unknown })[]; status?: string }[]
    tools?: { toolSpecification?: { name: string; inputSchema?: { json?: JsonSchema } } }[]
  }
}

interface ChatMessage {
  userInputMessage?: UserInput
  assistantResponseMessage?: { content?: string; toolUses?: { toolUseId: string; name: string; input: unknown }[] }
}

/** What is looked at of a request. */
interface TurnRequest {
  conversationState?: { currentMessage?: ChatMessage; history?: ChatMessage[] }
}

export const codewhisperer: Protocol = {
  name: 'codewhisperer',
  contentType: 'application/vnd.amazon.eventstream',
  isTurn: (call) => TURNS.includes(operationOf(call)),

  read(call) {
    const { currentMessage = {}, history = [] } = (call.body as TurnRequest).conversationState ?? {}
    const { modelId = '', userInputMessageContext: context = {} } = currentMessage.userInputMessage ?? {}
    const cwd = context.envState?.currentWorkingDirectory
    return {
      model: modelId,
      stream: true,
      system: '',
      messages: readMessages([...history, currentMessage]),
      tools: (context.tools ?? []).flatMap(({ toolSpecification: tool }) =>
        tool ? [{ name: tool.name, schema: tool.inputSchema?.json }] : [],
      ),
      ...(cwd ? { cwd } : {}),
    }
  },

  check: ({ body }) => checkConversation(body),

  answerOther(call) {
    return operationOf(call) === 'ListAvailableModels' ? MODELS : undefined
  },

  whole: ({ id, say = '' }) => ({ messageId: id, content: say }),

  frames(reply) {
    const { id, say = '', call, hang } = reply
    const frames = [
      eventMessage('messageMetadataEvent', { conversationId: id, utteranceId: id }),
      ...pieces(say).map((content) => eventMessage('assistantResponseEvent', { content })),
    ]
    return hang || !call ? frames : [...frames, ...callFrames(call)]
  },

  failure: ({ message }) => ({ __type: 'ValidationException', message }),
}

const MODEL = { modelId: 'stub-model', modelName: 'stub-model', tokenLimits: { maxInputTokens: 200_000 } }
const MODELS = { models: [MODEL], defaultModel: MODEL }

function operationOf({ path, target = '' }: HttpCall): string {
  return path === '/' ? (target.split('.').at(-1) ?? '') : ''
}

/** The first event has no input yet, then it is streamed as pieces of JSON text; the last one ends it. */
function callFrames({ id, name, input }: NonNullable<Reply['call']>): Buffer[] {
  const tool = { toolUseId: id, name }
  return [
    eventMessage('toolUseEvent', tool),
    ...pieces(JSON.stringify(input)).map((input) => eventMessage('toolUseEvent', { ...tool, input })),
    eventMessage('toolUseEvent', { ...tool, stop: true }),
  ]
}

function readMessages(all: readonly ChatMessage[]): Message[] {
  const messages: Message[] = []
  for (const { userInputMessage: user, assistantResponseMessage: assistant } of all) {
    for (const { toolUseId, content, status } of user?.userInputMessageContext?.toolResults ?? []) {
      const text = flatText((content ?? []).map((part) => ('text' in part ? part.text : JSON.stringify(part.json))))
      addResult(messages, { id: toolUseId, text, isError: status === 'error' })
    }
    addTyped(messages, user?.content ?? '')
    addAssistant(messages, { text: assistant?.content ?? '' })
    for (const { toolUseId, name, input } of assistant?.toolUses ?? []) {
      addAssistant(messages, { call: { id: toolUseId, name, input } })
    }
  }
  return messages
}

/** Between two markers; what is around them was not typed. A message without them is the agent's own. */
const TYPED = /--- USER MESSAGE BEGIN ---\n(.*?)--- USER MESSAGE END ---/s

function addTyped(messages: Message[], content: string): void {
  const typed = TYPED.exec(content)?.[1]
  if (typed === undefined) addSystem(messages, content)
  else addUser(messages, typed)
}
