import { expect, test } from 'vitest'
import { checkConversation } from './codewhisperer-rules.ts'

const tools = [{ toolSpecification: { name: 'execute_bash' } }]
const user = (...results: string[]) => ({
  userInputMessage: {
    content: 'go',
    userInputMessageContext: { tools, toolResults: results.map((toolUseId) => ({ toolUseId, content: [] })) },
  },
})
const assistant = (...calls: string[]) => ({
  assistantResponseMessage: {
    content: '',
    toolUses: calls.map((toolUseId) => ({ toolUseId, name: 'execute_bash', input: {} })),
  },
})
const check = (...messages: object[]) =>
  checkConversation({ conversationState: { history: messages.slice(0, -1), currentMessage: messages.at(-1) } })

test.each<[string, object[]]>([
  ['a prompt', [user()]],
  ['a conversation', [user(), assistant(), user()]],
  ['calls, answered in any order', [user(), assistant('a', 'b'), user('b', 'a'), assistant(), user()]],
])('accepts %s', (_, messages) => {
  expect(check(...messages)).toBe(undefined)
})

test.each<[string, number, object[]]>([
  ['the first message is from the user, without results', 0, [assistant(), user()]],
  ['the first message is from the user, without results', 0, [user('a')]],
  ['a call is answered by the next message, and nothing else is', 1, [user(), assistant('a'), user()]],
  ['a call is answered by the next message, and nothing else is', 1, [user(), assistant('a'), user('a', 'b')]],
  ['a call is answered by the next message, and nothing else is', 1, [user(), assistant(), user('b')]],
])('%s, at %i', (rule, index, messages) => {
  expect(check(...messages)).toEqual({ rule, place: `message ${index}`, message: 'Improperly formed request.' })
})

test('a tool of the history that is not offered any more', () => {
  const other = { assistantResponseMessage: { content: '', toolUses: [{ toolUseId: 'a', name: 'Bash', input: {} }] } }
  expect(check(user(), other, user('a'))).toEqual({
    rule: 'a called tool is one that is offered',
    place: 'message 1',
    message: 'Improperly formed request.',
  })
})
