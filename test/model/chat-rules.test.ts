import { expect, test } from 'vitest'
import { checkChat } from './chat-rules.ts'

const user = { role: 'user', content: 'go' }
const call = (id: unknown, tool?: object) => ({
  id,
  type: 'function',
  function: { name: 'shell', arguments: '{"command":"ls"}', ...tool },
})
const assistant = (...tool_calls: object[]) => ({ role: 'assistant', content: null, tool_calls })
const tool = (tool_call_id: string) => ({ role: 'tool', tool_call_id, content: 'done' })

test.each<[string, object[]]>([
  ['a prompt', [{ role: 'system', content: 'You help.' }, user]],
  ['an assistant first, and two users in a row', [{ role: 'assistant', content: 'hello' }, user, user]],
  ['an empty text', [{ role: 'user', content: '' }, { role: 'assistant', content: '' }, user]],
  ['parallel calls, answered in any order', [user, assistant(call('a'), call('b')), tool('b'), tool('a'), user]],
  ['an id of 64 characters', [user, assistant(call('c'.repeat(64))), tool('c'.repeat(64))]],
  ['the same id in a later round', [user, assistant(call('a')), tool('a'), assistant(call('a')), tool('a')]],
  ['no arguments', [user, assistant(call('a', { arguments: '' })), tool('a')]],
])('accepts %s', (_, messages) => {
  expect(checkChat({ messages })).toBe(undefined)
})

test.each<[string, object[], object]>([
  [
    'at least one message',
    [],
    {
      place: 'messages',
      message:
        "Invalid 'messages': empty array. Expected an array with minimum length 1, but got an empty array instead.",
      code: 'empty_array',
    },
  ],
  [
    'known role',
    [user, { role: 'model', content: 'x' }],
    {
      place: 'messages[1].role',
      message:
        "Invalid value: 'model'. Supported values are: 'system', 'assistant', 'user', 'function', 'tool', and 'developer'.",
      code: 'invalid_value',
    },
  ],
  ...[{ role: 'user', content: null }, { role: 'assistant' }].map((message): [string, object[], object] => [
    'content of a message',
    [message],
    { place: 'messages.[0].content', message: "Invalid value for 'content': expected a string, got null." },
  ]),
  [
    'calls of a message',
    [user, { role: 'assistant', content: 'x', tool_calls: [] }],
    {
      place: 'messages[1].tool_calls',
      message:
        "Invalid 'messages[1].tool_calls': empty array. Expected an array with minimum length 1, but got an empty array instead.",
      code: 'empty_array',
    },
  ],
  [
    'id of a call',
    [user, assistant(call('c'.repeat(65))), tool('c'.repeat(65))],
    {
      place: 'messages[1].tool_calls[0].id',
      message:
        "Invalid 'messages[1].tool_calls[0].id': string too long. Expected a string with maximum length 64, but got a string with length 65 instead.",
      code: 'string_above_max_length',
    },
  ],
  [
    'name of a tool',
    [user, assistant(call('a', { name: '' })), tool('a')],
    {
      place: 'messages[1].tool_calls[0].function.name',
      message:
        "Invalid 'messages[1].tool_calls[0].function.name': empty string. Expected a string with minimum length 1, but got an empty string instead.",
      code: 'empty_string',
    },
  ],
  [
    'arguments of a call',
    [user, assistant(call('a', { arguments: { command: 'ls' } })), tool('a')],
    {
      place: 'messages[1].tool_calls[0].function.arguments',
      message:
        "Invalid type for 'messages[1].tool_calls[0].function.arguments': expected a string, but got object instead.",
      code: 'invalid_type',
    },
  ],
  [
    'arguments of a call',
    [user, assistant(call('a', { arguments: '"ls"' })), tool('a')],
    {
      place: 'messages[1].tool_calls[0].function.arguments',
      message: "Invalid 'messages[1].tool_calls[0].function.arguments': not a JSON object.",
      code: 'invalid_value',
    },
  ],
  [
    'a result follows its call',
    [user, tool('a')],
    {
      place: 'messages.[1].role',
      message:
        "Invalid parameter: messages with role 'tool' must be a response to a preceeding message with 'tool_calls'.",
    },
  ],
  [
    'a result follows its call',
    [user, assistant(call('a')), tool('a'), tool('b')],
    {
      place: 'messages.[3].tool_call_id',
      message: "Invalid parameter: 'tool_call_id' of 'b' not found in 'tool_calls' of previous message.",
    },
  ],
  ...[
    [user, assistant(call('a')), user],
    [user, assistant(call('a'))],
    [user, assistant(call('b'), call('a')), tool('b'), user],
  ].map((messages): [string, object[], object] => [
    'a call is followed by its result',
    messages,
    {
      place: 'messages.[2].role',
      message:
        "An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. The following tool_call_ids did not have response messages: a",
    },
  ]),
])('%s: %j', (rule, messages, violation) => {
  expect(checkChat({ messages })).toEqual({ rule, ...violation })
})
