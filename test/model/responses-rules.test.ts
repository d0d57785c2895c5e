import { expect, test } from 'vitest'
import { checkInput } from './responses-rules.ts'
import { ORGANISATION, seal } from './seal.ts'

const said = (role: string, type: string) => ({ type: 'message', role, content: [{ type, text: 'x' }] })
const user = said('user', 'input_text')
const call = (call_id: unknown, more?: object) => ({
  type: 'function_call',
  call_id,
  name: 'shell',
  arguments: '{"cmd":"ls"}',
  ...more,
})
const output = (call_id: unknown) => ({ type: 'function_call_output', call_id, output: 'done' })
const reasoning = (more: object) => ({ type: 'reasoning', summary: [], ...more })
const check = (input: unknown, more?: object) => checkInput({ input, ...more }, ORGANISATION)

test.each<[string, unknown, object?]>([
  ['a text', 'go'],
  [
    'messages of all roles',
    [said('developer', 'input_text'), { role: 'user', content: 'go' }, said('assistant', 'output_text')],
  ],
  ['an empty text', [{ role: 'user', content: '' }]],
  [
    'calls, answered later and in any order',
    [user, call('a'), call('b'), said('assistant', 'output_text'), output('b'), output('a')],
  ],
  ['a call id of 64 characters', [user, call('c'.repeat(64)), output('c'.repeat(64))]],
  ['no arguments', [user, call('a', { arguments: '' }), output('a')]],
  [
    'another kind of call',
    [
      user,
      { type: 'custom_tool_call', call_id: 'a', name: 'apply_patch', input: '*** Begin' },
      { type: 'custom_tool_call_output', call_id: 'a', output: 'done' },
    ],
  ],
  ['a call that the provider answers', [user, { type: 'web_search_call', id: 'ws_1', status: 'completed' }]],
  [
    'a shell call that is answered as a function',
    [user, { type: 'local_shell_call', call_id: 'a', action: {} }, output('a')],
  ],
  ['an output whose call the provider has', [output('a')], { previous_response_id: 'resp_1' }],
  [
    'its own reasoning',
    [user, reasoning({ id: 'rs_1', encrypted_content: seal(ORGANISATION, 'hm') }), user],
    { store: false },
  ],
  ['reasoning that is stored', [user, reasoning({ id: 'rs_1' }), user]],
  [
    'ids as it gives them out',
    [user, { ...said('assistant', 'output_text'), id: 'msg_1' }, call('a', { id: 'fc_1' }), output('a')],
  ],
])('accepts %s', (_, input, more) => {
  expect(check(input, more)).toBe(undefined)
})

test.each<[string, unknown, object]>([
  [
    'known role',
    [user, { type: 'message', role: 'tool', content: 'x' }],
    {
      place: 'input[1]',
      message: "Invalid value: 'tool'. Supported values are: 'assistant', 'system', 'developer', and 'user'.",
      code: 'invalid_value',
    },
  ],
  [
    'type of a text',
    [user, said('assistant', 'input_text')],
    {
      place: 'input[1].content[0]',
      message: "Invalid value: 'input_text'. Supported values are: 'output_text' and 'refusal'.",
      code: 'invalid_value',
    },
  ],
  [
    'type of a text',
    [said('user', 'output_text')],
    {
      place: 'input[0].content[0]',
      message: "Invalid value: 'output_text'. Supported values are: 'input_text', 'input_image', and 'input_file'.",
      code: 'invalid_value',
    },
  ],
  [
    'id of an item',
    [user, call('a', { id: 'call_a' }), output('a')],
    {
      place: 'input[1].id',
      message: "Invalid 'input[1].id': 'call_a'. Expected an ID that begins with 'fc'.",
      code: 'invalid_value',
    },
  ],
  [
    'id of an item',
    [{ role: 'user', content: 'go', id: 'item_1' }],
    {
      place: 'input[0].id',
      message: "Invalid 'input[0].id': 'item_1'. Expected an ID that begins with 'msg'.",
      code: 'invalid_value',
    },
  ],
  [
    'ids of items are unique',
    [user, { ...said('assistant', 'output_text'), id: 'msg_1' }, { ...said('assistant', 'output_text'), id: 'msg_1' }],
    {
      place: 'input[2].id',
      message: 'Duplicate item found with id msg_1. Remove duplicate items from your input and try again.',
      param: 'input',
    },
  ],
  [
    'id of a call',
    [user, call('c'.repeat(65)), output('c'.repeat(65))],
    {
      place: 'input[1].call_id',
      message:
        "Invalid 'input[1].call_id': string too long. Expected a string with maximum length 64, but got a string with length 65 instead.",
      code: 'string_above_max_length',
    },
  ],
  [
    'id of a call',
    [user, call(''), output('')],
    {
      place: 'input[1].call_id',
      message:
        "Invalid 'input[1].call_id': empty string. Expected a string with minimum length 1, but got an empty string instead.",
      code: 'empty_string',
    },
  ],
  [
    'name of a tool',
    [user, call('a', { name: 'server/tool' }), output('a')],
    {
      place: 'input[1].name',
      message:
        "Invalid 'input[1].name': string does not match pattern. Expected a string that matches the pattern '^[a-zA-Z0-9_-]+$'.",
      code: 'invalid_value',
    },
  ],
  [
    'arguments of a call',
    [user, call('a', { arguments: { cmd: 'ls' } }), output('a')],
    {
      place: 'input[1].arguments',
      message: "Invalid type for 'input[1].arguments': expected a string, but got object instead.",
      code: 'invalid_type',
    },
  ],
  ...['["ls"]', '"ls"', '{"cmd":'].map((given): [string, unknown, object] => [
    'arguments of a call',
    [user, call('a', { arguments: given }), output('a')],
    {
      place: 'input[1].arguments',
      message: "Invalid 'input[1].arguments': not a JSON object.",
      code: 'invalid_value',
    },
  ]),
  [
    'an output has its call',
    [user, output('a'), call('a')],
    { place: 'input[1]', message: 'No tool call found for function call output with call_id a.', param: 'input' },
  ],
  [
    'a call has its output',
    [user, call('a'), call('b'), output('b'), user],
    { place: 'input[1]', message: 'No tool output found for function call a.', param: 'input' },
  ],
  [
    'a call has its output',
    [user, { type: 'custom_tool_call', call_id: 'a', name: 'apply_patch', input: '' }],
    { place: 'input[1]', message: 'No tool output found for custom tool call a.', param: 'input' },
  ],
  [
    'sealed reasoning',
    [user, reasoning({ encrypted_content: 'gAAAAABsomeone_else' }), user],
    {
      place: 'input[1].encrypted_content',
      message: 'The encrypted content gAAA...else could not be verified.',
      code: 'invalid_encrypted_content',
    },
  ],
])('%s: %j', (rule, input, violation) => {
  expect(check(input)).toEqual({ rule, ...violation })
})

test('reasoning for another organisation, and such as nobody stored', () => {
  const sealed = seal('org-other', 'hm')
  expect(check([user, reasoning({ id: 'rs_1', encrypted_content: sealed })])).toEqual({
    rule: 'sealed reasoning',
    place: 'input[1].encrypted_content',
    message: `The encrypted content ${sealed.slice(0, 4)}...${sealed.slice(-4)} could not be verified. Reason: Encrypted content organization_id did not match the target organization.`,
    code: 'invalid_encrypted_content',
  })
  expect(check([user, reasoning({ id: 'rs_1' })], { store: false })).toEqual({
    rule: 'reasoning that is not stored',
    place: 'input[1]',
    status: 404,
    message:
      "Item with id 'rs_1' not found. Items are not persisted when `store` is set to false. Try again with `store` set to true, or remove this item from your input.",
  })
})
