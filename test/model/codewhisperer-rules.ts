// What the service behind Amazon's CLI refuses. It says only "Improperly formed request." to everything (kirodotdev/Kiro#5068),
// so its rules are known from what the CLI's public source (aws/amazon-q-developer-cli, conversation.rs) does to avoid that
// answer, and from nothing else: other rules of the service are not known and not checked.
import { asObject } from '../../src/native/narrow.ts'
import { firstOf, firstRejection, objectsOf, type Rejection, type Rules, type Violation } from './rules.ts'

interface Message {
  isUser: boolean
  calls: Record<string, unknown>[]
  results: Record<string, unknown>[]
}

interface Request {
  /** The history and the current message. */
  messages: Message[]
  /** Names of the tools that are offered. */
  tools: unknown[]
}

export function checkConversation(body: unknown): Rejection | undefined {
  const { history, currentMessage } = asObject(asObject(body)?.conversationState) ?? {}
  const context = contextOf(asObject(currentMessage) ?? {})
  return firstRejection(rules, {
    messages: [...objectsOf(history), asObject(currentMessage) ?? {}].map((message) => ({
      isUser: message.userInputMessage !== undefined,
      calls: objectsOf(asObject(message.assistantResponseMessage)?.toolUses),
      results: objectsOf(contextOf(message).toolResults),
    })),
    tools: objectsOf(context.tools).map(({ toolSpecification }) => asObject(toolSpecification)?.name),
  })
}

const rules: Rules<Request> = {
  'the first message is from the user, without results': ({ messages }) => {
    const [first] = messages
    return first?.isUser && !first.results.length ? undefined : malformed(0)
  },

  'a call is answered by the next message, and nothing else is': ({ messages }) =>
    firstOf(messages, ({ calls }, index) => {
      const asked = calls.map(({ toolUseId }) => toolUseId)
      const answered = (messages[index + 1]?.results ?? []).map(({ toolUseId }) => toolUseId)
      const isPaired = asked.length === answered.length && asked.every((id) => answered.includes(id))
      return isPaired ? undefined : malformed(index)
    }),

  // "Otherwise we will see validation error from the backend."
  'a called tool is one that is offered': ({ messages, tools }) =>
    firstOf(messages, ({ calls }, index) =>
      calls.every(({ name }) => tools.includes(name)) ? undefined : malformed(index),
    ),
}

function contextOf(message: Record<string, unknown>): Record<string, unknown> {
  return asObject(asObject(message.userInputMessage)?.userInputMessageContext) ?? {}
}

function malformed(index: number): Violation {
  return { place: `message ${index}`, message: 'Improperly formed request.' }
}
