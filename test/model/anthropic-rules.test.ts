import { expect, test } from 'vitest'
import { checkMessages } from './anthropic-rules.ts'
import { ORGANISATION, seal } from './seal.ts'

const user = (...content: object[]) => ({ role: 'user', content })
const assistant = (...content: object[]) => ({ role: 'assistant', content })
const text = (text: string) => ({ type: 'text', text })
const use = (id: string, more?: object) => ({ type: 'tool_use', id, name: 'Bash', input: { command: 'ls' }, ...more })
const result = (id: string, more?: object) => ({ type: 'tool_result', tool_use_id: id, content: 'done', ...more })
const thinking = (thinking: string, signature?: string) => ({ type: 'thinking', thinking, signature })
const go = { role: 'user', content: 'go' }
const check = (...messages: unknown[]) => checkMessages({ messages }, ORGANISATION)

test.each<[string, unknown[]]>([
  ['a prompt', [go]],
  ['an assistant first, and two users in a row', [assistant(text('hello')), go, user(text('and now?'))]],
  ['parallel calls, answered in any order', [go, assistant(use('a'), use('b')), user(result('b'), result('a'))]],
  ['text after results', [go, assistant(text('I look.'), use('a')), user(result('a'), text('and now?'))]],
  ['a result without content', [go, assistant(use('a')), user(result('a', { content: undefined }))]],
  ['no arguments', [go, assistant(use('a', { input: {} })), user(result('a'))]],
  ['an empty final assistant message', [go, { role: 'assistant', content: '' }]],
  ['blanks at the end of an earlier assistant message', [go, assistant(text('yes ')), go]],
  ['its own thinking', [go, assistant(thinking('hm', seal(ORGANISATION, 'hm')), text('yes')), go]],
  ['its own thinking without the text', [go, assistant(thinking('', seal(ORGANISATION, 'hm')), text('yes')), go]],
  ['its own redacted thinking', [go, assistant({ type: 'redacted_thinking', data: seal(ORGANISATION, 'hm') }), go]],
  ['a system message after the user', [go, { role: 'system', content: 'note' }, assistant(text('yes')), go]],
  [
    'a system message at the end, after results',
    [go, assistant(use('a')), user(result('a')), { role: 'system', content: 'x' }],
  ],
  ['an image alone', [user({ type: 'image', source: {} })]],
])('accepts %s', (_, messages) => {
  expect(check(...messages)).toBe(undefined)
})

test.each<[string, unknown[], string, string]>([
  ['at least one message', [], 'messages', 'messages: at least one message is required'],
  [
    'known role',
    [go, { role: 'tool', content: 'done' }],
    'messages.1',
    'messages: Unexpected role "tool". Allowed roles are "user" or "assistant"',
  ],
  [
    'place of a system message',
    [go, assistant(text('yes')), { role: 'system', content: 'note' }, go],
    'messages.2',
    "messages.2: role 'system' must follow a 'user' message",
  ],
  [
    'place of a system message',
    [go, { role: 'system', content: 'note' }, go],
    'messages.1',
    "messages.1: role 'system' must precede an 'assistant' message or end the array",
  ],
  [
    'content of a message',
    [{ role: 'user', content: '' }],
    'messages.0',
    'messages.0: all messages must have non-empty content except for the optional final assistant message',
  ],
  [
    'content of a message',
    [go, assistant(), go],
    'messages.1',
    'messages.1: all messages must have non-empty content except for the optional final assistant message',
  ],
  [
    'text of a block',
    [user(text('go'), text(''))],
    'messages.0.content.1',
    'messages: text content blocks must be non-empty',
  ],
  [
    'text of a block',
    [go, assistant(text('\n ')), go],
    'messages.1.content.0',
    'messages: text content blocks must contain non-whitespace text',
  ],
  [
    'end of the final assistant message',
    [go, assistant(text('so: '))],
    'messages.1',
    'messages: final assistant content cannot end with trailing whitespace',
  ],
  [
    'role of calls and results',
    [go, assistant(use('a'), result('a')), go],
    'messages.1.content.1',
    'messages.1.content.1: `tool_result` blocks can only be in `user` messages',
  ],
  [
    'role of calls and results',
    [user(use('a')), user(result('a'))],
    'messages.0.content.0',
    'messages.0.content.0: `tool_use` blocks can only be in `assistant` messages',
  ],
  [
    'id of a call',
    [go, assistant(use('fc|1')), user(result('fc|1'))],
    'messages.1.content.0.tool_use.id',
    "messages.1.content.0.tool_use.id: String should match pattern '^[a-zA-Z0-9_-]+$'",
  ],
  [
    'id of a call',
    [go, assistant(use('a')), user(result(''))],
    'messages.2.content.0.tool_result.tool_use_id',
    "messages.2.content.0.tool_result.tool_use_id: String should match pattern '^[a-zA-Z0-9_-]+$'",
  ],
  [
    'name of a tool',
    [go, assistant(use('a', { name: 'server.tool' })), user(result('a'))],
    'messages.1.content.0.tool_use.name',
    "messages.1.content.0.tool_use.name: String should match pattern '^[a-zA-Z0-9_-]{1,128}$'",
  ],
  ...['{"command":"ls"}', ['ls'], undefined].map((input): [string, unknown[], string, string] => [
    'input of a call',
    [go, assistant(use('a', { input })), user(result('a'))],
    'messages.1.content.0.tool_use.input',
    'messages.1.content.0.tool_use.input: Input should be a valid dictionary',
  ]),
  [
    'ids of calls are unique',
    [go, assistant(use('a')), user(result('a')), assistant(use('a')), user(result('a'))],
    'messages.3.content.0',
    'messages.3.content.0: `tool_use` ids must be unique',
  ],
  ...['', [], undefined].map((content): [string, unknown[], string, string] => [
    'content of a failed result',
    [go, assistant(use('a')), user(result('a', { content, is_error: true }))],
    'messages.2.content.0.tool_result',
    'messages.2.content.0.tool_result: content cannot be empty if `is_error` is true',
  ]),
  [
    'a result has its call in the message before',
    [go, assistant(use('a')), user(result('a')), user(result('a'))],
    'messages.3.content.0',
    'messages.3.content.0: unexpected `tool_use_id` found in `tool_result` blocks: a. Each `tool_result` block must have a ' +
      'corresponding `tool_use` block in the previous message.',
  ],
  ...[
    [go, assistant(use('a')), go],
    [go, assistant(use('a'))],
    [go, assistant(use('a')), user(text('wait'), result('a'))],
    [go, assistant(use('b'), use('a')), user(result('b')), user(text('and'))],
  ].map((messages): [string, unknown[], string, string] => [
    'a call has its result in the next message',
    messages,
    'messages.1',
    'messages.1: `tool_use` ids were found without `tool_result` blocks immediately after: a. Each `tool_use` block must have ' +
      'a corresponding `tool_result` block in the next message.',
  ]),
  [
    'one result per call',
    [go, assistant(use('a')), user(result('a'), result('a'))],
    'messages.2',
    'messages.2: each tool_use must have a single result. Found multiple `tool_result` blocks with id: a',
  ],
  [
    'signature of a thinking block',
    [go, assistant(thinking('hm'), text('yes')), go],
    'messages.1.content.0.thinking.signature',
    'messages.1.content.0.thinking.signature: Field required',
  ],
  ...[
    thinking('hm', ''),
    thinking('hm', 'c29tZW9uZSBlbHNl'),
    thinking('hm', seal('org-other', 'hm')),
    thinking('hm, changed', seal(ORGANISATION, 'hm')),
    thinking('', seal('org-other', 'hm')),
  ].map((block): [string, unknown[], string, string] => [
    'signature of a thinking block',
    [go, assistant(block, text('yes')), go],
    'messages.1.content.0',
    'messages.1.content.0: Invalid `signature` in `thinking` block',
  ]),
  [
    'signature of a thinking block',
    [go, assistant({ type: 'redacted_thinking', data: 'c29tZW9uZSBlbHNl' }), go],
    'messages.1.content.0',
    'messages.1.content.0: Invalid `data` in `redacted_thinking` block',
  ],
])('%s: %j', (rule, messages, place, message) => {
  expect(check(...messages)).toEqual({ rule, place, message })
})
