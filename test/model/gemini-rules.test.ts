import { expect, test } from 'vitest'
import { checkContents } from './gemini-rules.ts'
import { ORGANISATION, seal } from './seal.ts'

const own = seal(ORGANISATION, 'c1')
const user = (...parts: object[]) => ({ role: 'user', parts })
const model = (...parts: object[]) => ({ role: 'model', parts })
const text = (text: string) => ({ text })
const call = (thoughtSignature?: string, more?: object) => ({
  functionCall: { name: 'shell', args: { command: 'ls' }, ...more },
  ...(thoughtSignature ? { thoughtSignature } : {}),
})
const response = (more?: object) => ({ functionResponse: { name: 'shell', response: { output: 'done' }, ...more } })
const go = user(text('go'))
const check = (contents: unknown, name = 'gemini-3-pro-preview') => checkContents({ contents }, name, ORGANISATION)

test.each<[string, unknown[], string?]>([
  ['a prompt', [go]],
  ['a content without a role, and two users in a row', [{ parts: [text('context')] }, go]],
  ['an empty text', [go, model(text('')), go]],
  ['a signed call', [go, model(text('I look.'), call(own)), user(response())]],
  ['the sentinel', [go, model(call('skip_thought_signature_validator')), user(response())]],
  ['parallel calls, of which the first is signed', [go, model(call(own), call()), user(response(), response())]],
  ['an unsigned call of an earlier turn', [go, model(call()), user(response()), model(text('done')), go]],
  ['an unsigned call of an older model', [go, model(call()), user(response())], 'gemini-2.5-pro'],
  ['text beside a response', [go, model(call(own)), user(response(), text('and now?'))]],
  ['no arguments', [go, model(call(own, { args: undefined })), user(response())]],
])('accepts %s', (_, contents, name) => {
  expect(check(contents, name)).toBe(undefined)
})

const missing = (position: number) =>
  'Function call is missing a thought_signature in functionCall parts. This is required for tools to work correctly, and ' +
  'missing thought_signature may lead to degraded model performance. Additional data, function call `default_api:shell` , ' +
  `position ${position}. Please refer to https://ai.google.dev/gemini-api/docs/thought-signatures for more details.`

test.each<[string, unknown[], object]>([
  [
    'at least one content',
    [],
    { place: 'contents', message: '* GenerateContentRequest.contents: contents is not specified\n' },
  ],
  [
    'known role',
    [go, { role: 'assistant', parts: [text('yes')] }],
    { place: 'contents[1].role', message: 'Please use a valid role: user, model.' },
  ],
  [
    'parts of a content',
    [go, model(), go],
    {
      place: 'contents[1].parts',
      message: '* GenerateContentRequest.contents[1].parts: contents.parts must not be empty.\n',
    },
  ],
  [
    'data of a part',
    [user(text('go'), { thought: true })],
    {
      place: 'contents[0].parts[1].data',
      message:
        "* GenerateContentRequest.contents[0].parts[1].data: required oneof field 'data' must have one initialized field\n",
    },
  ],
  [
    'name of a tool',
    [go, model(call(own)), user(response({ name: '' }))],
    {
      place: 'contents[2].parts[0].function_response.name',
      message: '* GenerateContentRequest.contents[2].parts[0].function_response.name: Name cannot be empty.\n',
    },
  ],
  [
    'arguments and response of a call',
    [go, model(call(own, { args: '{}' })), user(response())],
    {
      place: 'contents[1].parts[0].function_call.args',
      message:
        'Invalid value at \'contents[1].parts[0].function_call.args\' (type.googleapis.com/google.protobuf.Struct), "{}"',
    },
  ],
  [
    'arguments and response of a call',
    [go, model(call(own)), user(response({ response: 'done' }))],
    {
      place: 'contents[2].parts[0].function_response.response',
      message:
        'Invalid value at \'contents[2].parts[0].function_response.response\' (type.googleapis.com/google.protobuf.Struct), "done"',
    },
  ],
  ...[
    [model(call(own)), user(response())],
    [go, model(text('yes')), model(call(own)), user(response())],
  ].map((contents): [string, unknown[], object] => [
    'a call comes after the user',
    contents,
    {
      place: `contents[${contents.length - 2}]`,
      message:
        'Please ensure that function call turn comes immediately after a user turn or after a function response turn.',
    },
  ]),
  [
    'a response comes after its call',
    [go, model(text('yes')), user(response())],
    {
      place: 'contents[2]',
      message: 'Please ensure that function response turn comes immediately after a function call turn.',
    },
  ],
  ...[
    [go, model(call(own)), go],
    [go, model(call(own), call()), user(response())],
    [go, model(call(own)), user(response(), response())],
  ].map((contents): [string, unknown[], object] => [
    'as many responses as calls',
    contents,
    {
      place: 'contents[1]',
      message:
        'Please ensure that the number of function response parts is equal to the number of function call parts of the function call turn.',
    },
  ]),
  [
    'the end of the conversation',
    [go, model(text('yes'))],
    { place: 'contents[1]', message: 'Requests ending with a model turn are not supported.' },
  ],
  ['signature of a call', [go, model(call()), user(response())], { place: 'contents[1]', message: missing(2) }],
  [
    'signature of a call',
    [
      go,
      model(text('yes')),
      go,
      model(call(own)),
      user(response()),
      model(call(), call(own)),
      user(response(), response()),
    ],
    { place: 'contents[5]', message: missing(6) },
  ],
  [
    'own signatures',
    [go, model(call('not base64!')), user(response())],
    {
      place: 'contents[1].parts[0].thought_signature',
      message:
        'Invalid value at \'contents[1].parts[0].thought_signature\' (TYPE_BYTES), Base64 decoding failed for "not base64!"',
    },
  ],
  ...['c29tZW9uZSBlbHNl', seal('org-other', 'c1')].map((signature): [string, unknown[], object] => [
    'own signatures',
    [go, model(call(signature)), user(response()), model(text('done')), go],
    { place: 'contents[1].parts[0].thought_signature', message: 'Corrupted thought signature.' },
  ]),
])('%s: %j', (rule, contents, violation) => {
  expect(check(contents)).toEqual({ rule, ...violation })
})
