// What the Messages API refuses. Known from its documentation (platform.claude.com/docs) and from the errors in public
// issues, which are named by repository and number.
//
// Not rules, although often said to be: that the first message is the user's, and that roles alternate. Anthropic's own API
// has accepted both since the end of 2024 (anthropics/anthropic-sdk-typescript#622); only old Bedrock refused them.
// Not checked, because it depends on model and account: that nothing before a thinking block has changed since it was issued
// (docs, "Prefix checks on thinking blocks"), that a turn with calls begins with thinking (not where thinking is adaptive), and
// that a conversation does not end with the assistant.
import { asArray, asObject } from '../../src/native/narrow.ts'
import { firstOf, firstRejection, objectsOf, PLAIN_NAME, type Rejection, type Rules, type Violation } from './rules.ts'
import { seal, sealedFor } from './seal.ts'

type Block = Record<string, unknown>

interface Message {
  role: unknown
  content: unknown
  blocks: Block[]
}

interface Request {
  messages: Message[]
  organisation: string
}

export function checkMessages(body: unknown, organisation: string): Rejection | undefined {
  const messages = objectsOf(asObject(body)?.messages).map(({ role, content }) => ({
    role,
    content,
    blocks: typeof content === 'string' ? textBlocks(content) : objectsOf(content),
  }))
  return firstRejection(rules, { messages, organisation })
}

const rules: Rules<Request> = {
  // API reference: at least one message.
  'at least one message': ({ messages }) =>
    messages.length ? undefined : at('messages', 'at least one message is required'),

  // API reference; `system` among the messages since Claude Opus 4.8 (docs, "Mid-conversation system messages").
  'known role': ({ messages }) =>
    firstOf(messages, ({ role }, index) =>
      ROLES.includes(String(role))
        ? undefined
        : at('messages', `Unexpected role "${role}". Allowed roles are "user" or "assistant"`, `messages.${index}`),
    ),

  // anthropics/claude-code#73821, and docs ("Change tools or instructions without failing prefix checks"): directly after
  // Claude's turn, or directly before a user message, it is a 400.
  'place of a system message': ({ messages }) =>
    firstOf(messages, ({ role }, index) => {
      if (role !== 'system') return undefined
      const before = messages.slice(0, index).findLast((other) => other.role !== 'system')
      const after = messages.slice(index).find((other) => other.role !== 'system')
      if (before?.role !== 'user') return at(`messages.${index}`, "role 'system' must follow a 'user' message")
      if (after === undefined || after.role === 'assistant') return undefined
      return at(`messages.${index}`, "role 'system' must precede an 'assistant' message or end the array")
    }),

  // anthropics/claude-code#4416, #6774.
  'content of a message': ({ messages }) =>
    firstOf(messages, ({ role, blocks }, index) => {
      if (blocks.length || (role === 'assistant' && index === messages.length - 1)) return undefined
      const message = 'all messages must have non-empty content except for the optional final assistant message'
      return at(`messages.${index}`, message)
    }),

  // anthropics/claude-code#59812, and for text of blanks alone continuedev/continue#9605.
  'text of a block': ({ messages }) =>
    eachBlock(messages, ({ type, text }, place) => {
      if (type !== 'text' || typeof text !== 'string' || text.trim()) return undefined
      const wanted = text ? 'contain non-whitespace text' : 'be non-empty'
      return at('messages', `text content blocks must ${wanted}`, place)
    }),

  // tailcallhq/forgecode#1872, crewAIInc/crewAI#4413.
  'end of the final assistant message': ({ messages }) => {
    const last = messages.at(-1)
    const text = last?.blocks.at(-1)?.text
    return last?.role === 'assistant' && typeof text === 'string' && /\s$/.test(text)
      ? at('messages', 'final assistant content cannot end with trailing whitespace', `messages.${messages.length - 1}`)
      : undefined
  },

  // microsoft/agent-framework#4328, and docs ("Handle tool calls"): results are the user's.
  'role of calls and results': ({ messages }) =>
    eachBlock(messages, ({ type }, place, { role }) => {
      if (type === 'tool_use' && role !== 'assistant') {
        return at(place, '`tool_use` blocks can only be in `assistant` messages')
      }
      if (type !== 'tool_result' || role === 'user') return undefined
      return at(place, '`tool_result` blocks can only be in `user` messages')
    }),

  // OpenSecretCloud/maple-proxy#18, huggingface/tau#385.
  'id of a call': ({ messages }) =>
    eachBlock(messages, ({ type, id, tool_use_id }, place) => {
      const [field, value] = type === 'tool_use' ? ['id', id] : ['tool_use_id', tool_use_id]
      if ((type !== 'tool_use' && type !== 'tool_result') || PLAIN_NAME.test(String(value ?? ''))) return undefined
      return at(`${place}.${type}.${field}`, `String should match pattern '${PLAIN_NAME.source}'`)
    }),

  // home-assistant/core#140005; 128 characters by the API reference.
  'name of a tool': ({ messages }) =>
    eachBlock(messages, ({ type, name }, place) =>
      type !== 'tool_use' || TOOL_NAME.test(String(name ?? ''))
        ? undefined
        : at(`${place}.tool_use.name`, `String should match pattern '${TOOL_NAME.source}'`),
    ),

  // anthropics/claude-code#6696, anthropics/anthropic-sdk-typescript#648.
  'input of a call': ({ messages }) =>
    eachBlock(messages, ({ type, input }, place) =>
      type !== 'tool_use' || asObject(input)
        ? undefined
        : at(`${place}.tool_use.input`, 'Input should be a valid dictionary'),
    ),

  // anthropics/claude-code#20901.
  'ids of calls are unique': ({ messages }) => {
    const seen = new Set<unknown>()
    return eachBlock(messages, ({ type, id }, place) => {
      if (type !== 'tool_use') return undefined
      if (seen.has(id)) return at(place, '`tool_use` ids must be unique')
      seen.add(id)
      return undefined
    })
  },

  // jlevy/markform#153.
  'content of a failed result': ({ messages }) =>
    eachBlock(messages, ({ type, is_error, content }, place) => {
      const isEmpty = content === undefined || content === '' || asArray(content)?.length === 0
      return type === 'tool_result' && is_error === true && isEmpty
        ? at(`${place}.tool_result`, 'content cannot be empty if `is_error` is true')
        : undefined
    }),

  // anthropics/claude-code#18947.
  'a result has its call in the message before': ({ messages }) =>
    eachBlock(messages, ({ type, tool_use_id }, place, _, index) => {
      if (type !== 'tool_result' || callsOf(messages[index - 1]).includes(tool_use_id)) return undefined
      const what = 'Each `tool_result` block must have a corresponding `tool_use` block in the previous message.'
      return at(place, `unexpected \`tool_use_id\` found in \`tool_result\` blocks: ${tool_use_id}. ${what}`)
    }),

  // anthropics/claude-code#2697. Results come first in their message (docs, "Handle tool calls"), and all are in the same
  // message (1jehuang/jcode#276, shareAI-lab/learn-claude-code#55).
  'a call has its result in the next message': ({ messages }) =>
    firstOf(messages, (message, index) => {
      const next = messages[index + 1]?.blocks ?? []
      const end = next.findIndex(({ type }) => type !== 'tool_result')
      const answered = (end < 0 ? next : next.slice(0, end)).map(({ tool_use_id }) => tool_use_id)
      const open = callsOf(message).filter((id) => !answered.includes(id))
      if (!open.length) return undefined
      const what = 'Each `tool_use` block must have a corresponding `tool_result` block in the next message.'
      const found = `\`tool_use\` ids were found without \`tool_result\` blocks immediately after: ${open.join(', ')}`
      return at(`messages.${index}`, `${found}. ${what}`)
    }),

  // RooCodeInc/Roo-Code#9248.
  'one result per call': ({ messages }) =>
    firstOf(messages, ({ blocks }, index) => {
      const ids = blocks.filter(({ type }) => type === 'tool_result').map(({ tool_use_id }) => tool_use_id)
      const again = ids.find((id, at) => ids.indexOf(id) !== at)
      if (again === undefined) return undefined
      const found = `Found multiple \`tool_result\` blocks with id: ${again}`
      return at(`messages.${index}`, `each tool_use must have a single result. ${found}`)
    }),

  // anthropics/claude-code#10627 and #56708, JohnnyZ93/oai-compatible-copilot#217. Any change of the block counts
  // (anthropics/anthropic-sdk-python#1598), except that its text may be left out (microsoft/vscode#320196).
  'signature of a thinking block': ({ messages, organisation }) =>
    eachBlock(messages, ({ type, thinking, signature, data }, place) => {
      if (type === 'redacted_thinking' && sealedFor(data) !== organisation) {
        return at(place, 'Invalid `data` in `redacted_thinking` block')
      }
      if (type !== 'thinking') return undefined
      if (signature === undefined) return at(`${place}.thinking.signature`, 'Field required')
      const isOwn = thinking
        ? signature === seal(organisation, String(thinking))
        : sealedFor(signature) === organisation
      return isOwn ? undefined : at(place, 'Invalid `signature` in `thinking` block')
    }),
}

const ROLES = ['user', 'assistant', 'system']
const TOOL_NAME = /^[a-zA-Z0-9_-]{1,128}$/

function textBlocks(text: string): Block[] {
  return text ? [{ type: 'text', text }] : []
}

/** The provider's messages begin with the place, which is not always as exact as ours. */
function at(where: string, message: string, place = where): Violation {
  return { place, message: `${where}: ${message}` }
}

function eachBlock(
  messages: readonly Message[],
  check: (block: Block, place: string, message: Message, index: number) => Violation | undefined,
): Violation | undefined {
  return firstOf(messages, (message, index) =>
    firstOf(message.blocks, (block, part) => check(block, `messages.${index}.content.${part}`, message, index)),
  )
}

function callsOf(message: Message | undefined): unknown[] {
  return (message?.blocks ?? []).filter(({ type }) => type === 'tool_use').map(({ id }) => id)
}
