// What OpenAI's Chat Completions refuse. Known from the API reference and from the errors in public issues, which are named
// by repository and number. Most agents that speak it are used with other providers too, which check the same.
//
// Not rules: texts may be empty, roles need not alternate, and any message may be the first.
import { asObject } from '../../src/native/narrow.ts'
import { checkArguments, checkCallId, checkToolName } from './openai-rules.ts'
import { firstOf, firstRejection, objectsOf, type Rejection, type Rules, type Violation } from './rules.ts'

type Message = Record<string, unknown>

export function checkChat(body: unknown): Rejection | undefined {
  return firstRejection(rules, objectsOf(asObject(body)?.messages))
}

const rules: Rules<Message[]> = {
  // CopilotKit/CopilotKit#529.
  'at least one message': (messages) => (messages.length ? undefined : emptyArray('messages')),

  // API reference.
  'known role': (messages) =>
    firstOf(messages, ({ role }, index) => {
      if (ROLES.includes(String(role))) return undefined
      const supported = "'system', 'assistant', 'user', 'function', 'tool', and 'developer'"
      const message = `Invalid value: '${role}'. Supported values are: ${supported}.`
      return { place: `messages[${index}].role`, message, code: 'invalid_value' }
    }),

  // langchain-ai/langchainjs#4153, docker/docker-agent#63. The assistant may only have called tools.
  'content of a message': (messages) =>
    firstOf(messages, ({ content, tool_calls, function_call }, index) => {
      if ((content !== undefined && content !== null) || tool_calls || function_call) return undefined
      return {
        place: `messages.[${index}].content`,
        message: "Invalid value for 'content': expected a string, got null.",
      }
    }),

  // openai/openai-node#1341, home-assistant/core#118577.
  'calls of a message': (messages) =>
    firstOf(messages, ({ tool_calls }, index) =>
      Array.isArray(tool_calls) && tool_calls.length === 0 ? emptyArray(`messages[${index}].tool_calls`) : undefined,
    ),

  // agno-agi/agno#5382.
  'id of a call': (messages) => eachCall(messages, ({ id }, place) => checkCallId(id, `${place}.id`)),

  // mcp-use/mcp-use#90, continuedev/continue#11645.
  'name of a tool': (messages) =>
    eachCall(messages, ({ function: tool }, place) =>
      tool === undefined ? undefined : checkToolName(asObject(tool)?.name, `${place}.function.name`),
    ),

  // API reference: a string. That it is JSON of an object is not known of OpenAI itself, but of servers that speak its
  // protocol (OpenHands/software-agent-sdk#2887, sgl-project/sglang#28035, agno-agi/agno#8343).
  'arguments of a call': (messages) =>
    eachCall(messages, ({ function: tool }, place) =>
      tool === undefined ? undefined : checkArguments(asObject(tool)?.arguments, `${place}.function.arguments`),
    ),

  // miurla/morphic#136, sdcb/chats#132; a result of another call is in the public sources of several clients.
  'a result follows its call': (messages) =>
    firstOf(messages, ({ role, tool_call_id }, index) => {
      if (role !== 'tool') return undefined
      const before = messages.slice(0, index).findLast((other) => other.role !== 'tool')
      if (!before?.tool_calls) {
        const what = "messages with role 'tool' must be a response to a preceeding message with 'tool_calls'."
        return { place: `messages.[${index}].role`, message: `Invalid parameter: ${what}` }
      }
      if (callsOf(before).includes(tool_call_id)) return undefined
      const what = `'tool_call_id' of '${tool_call_id}' not found in 'tool_calls' of previous message.`
      return { place: `messages.[${index}].tool_call_id`, message: `Invalid parameter: ${what}` }
    }),

  // sdcb/chats#132, smallmain/vscode-unify-chat-provider#248.
  'a call is followed by its result': (messages) =>
    firstOf(messages, (message, index) => {
      const rest = messages.slice(index + 1)
      const end = rest.findIndex(({ role }) => role !== 'tool')
      const results = (end < 0 ? rest : rest.slice(0, end)).map(({ tool_call_id }) => tool_call_id)
      const open = callsOf(message).filter((id) => !results.includes(id))
      if (!open.length) return undefined
      const what =
        "An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'."
      const which = `The following tool_call_ids did not have response messages: ${open.join(', ')}`
      return { place: `messages.[${index + 1}].role`, message: `${what} ${which}` }
    }),
}

const ROLES = ['system', 'developer', 'user', 'assistant', 'tool', 'function']

function eachCall(
  messages: readonly Message[],
  check: (call: Record<string, unknown>, place: string) => Violation | undefined,
): Violation | undefined {
  return firstOf(messages, ({ tool_calls }, index) =>
    firstOf(objectsOf(tool_calls), (call, part) => check(call, `messages[${index}].tool_calls[${part}]`)),
  )
}

function callsOf({ tool_calls }: Message): unknown[] {
  return objectsOf(tool_calls).map(({ id }) => id)
}

function emptyArray(place: string): Violation {
  const found = 'Expected an array with minimum length 1, but got an empty array instead.'
  return { place, message: `Invalid '${place}': empty array. ${found}`, code: 'empty_array' }
}
