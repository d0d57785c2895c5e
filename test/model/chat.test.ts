import { expect, test } from 'vitest'
import { jsonOf, logged, message, post, scratchModel, streamed } from './testing.ts'

const usage = {
  prompt_tokens: 110,
  completion_tokens: 20,
  total_tokens: 130,
  prompt_tokens_details: { cached_tokens: 0 },
  completion_tokens_details: { reasoning_tokens: 0 },
}
const shell = {
  type: 'function',
  function: { name: 'shell', parameters: { properties: { command: { type: 'string' } }, required: ['command'] } },
}
const hello = { model: 'm', messages: [{ role: 'user', content: 'hello' }] }

test('answers in one piece', async () => {
  const model = await scratchModel()
  expect(await (await post(model, '/v1/chat/completions', hello)).json()).toEqual({
    id: 'chatcmpl-x_1',
    object: 'chat.completion',
    created: 1_700_000_000,
    model: 'm',
    choices: [{ index: 0, message: { role: 'assistant', content: 'answer 1 to: hello' }, finish_reason: 'stop' }],
    usage,
  })
})

test('streams reasoning, text, a call, and the usage', async () => {
  const model = await scratchModel({ script: [{ think: 'hm', say: 'yes', call: { shell: 'ls' } }] })
  const body = { ...hello, stream: true, tools: [shell] }
  const chunks = await streamed(await post(model, '/v1/chat/completions', body))
  const head = { id: 'chatcmpl-x_1', object: 'chat.completion.chunk', created: 1_700_000_000, model: 'm' }
  const chunk = (delta: object, finish_reason: string | null = null): object => ({
    ...head,
    choices: [{ index: 0, delta, finish_reason }],
  })
  expect(chunks).toEqual([
    chunk({ role: 'assistant', content: '' }),
    chunk({ reasoning_content: 'hm' }),
    chunk({ content: 'yes' }),
    chunk({
      tool_calls: [
        { index: 0, id: 'call_x_1', type: 'function', function: { name: 'shell', arguments: '{"command":"ls"}' } },
      ],
    }),
    chunk({}, 'tool_calls'),
    { ...head, choices: [], usage },
    '[DONE]',
  ])
})

test('reads the history, without the instructions before it', async () => {
  const model = await scratchModel()
  await post(model, '/v1/chat/completions', {
    model: 'm',
    tools: [shell],
    messages: [
      { role: 'system', content: 'You help.' },
      { role: 'user', content: [{ type: 'text', text: 'TOOL now\n<turn-context>Monday</turn-context>' }] },
      {
        role: 'assistant',
        content: null,
        tool_calls: [{ id: 'c1', type: 'function', function: { name: 'shell', arguments: '{"command":"ls"}' } }],
      },
      { role: 'tool', tool_call_id: 'c1', content: 'a.txt\n' },
    ],
  })
  expect(logged(model)).toEqual([
    {
      n: 1,
      world: '',
      protocol: 'chat',
      path: '/v1/chat/completions',
      query: '',
      kind: 'turn',
      model: 'm',
      stream: false,
      messages: [
        message('user', 'TOOL now'),
        message('assistant', '', { calls: [{ id: 'c1', name: 'shell', input: { command: 'ls' } }] }),
        message('tool', '', { results: [{ id: 'c1', text: 'a.txt\n', isError: false }] }),
      ],
      tools: ['shell'],
      prompt: 'TOOL now',
      sent: [],
      step: { say: 'tool said: a.txt' },
      usage: { input: 130, output: 20 },
    },
  ])
})

test('knows a request for a title, with or without a schema', async () => {
  const model = await scratchModel()
  const titled = { ...hello, messages: [{ role: 'system', content: 'You are a title generator.' }, ...hello.messages] }
  type Completion = { choices: { message: { content: string } }[] }
  const plain = await jsonOf<Completion>(post(model, '/v1/chat/completions', titled))
  const schema = { type: 'object', properties: { title: { type: 'string' } }, required: ['title'] }
  const formed = await jsonOf<Completion>(
    post(model, '/v1/chat/completions', {
      ...hello,
      response_format: { type: 'json_schema', json_schema: { schema } },
    }),
  )
  expect([plain, formed].map(({ choices }) => choices[0]?.message.content)).toEqual(['Stub title', '{"title":"stub"}'])
  expect(model.log.entries.map(({ kind, sent }) => ({ kind, sent }))).toEqual([
    { kind: 'extra', sent: [] },
    { kind: 'extra', sent: [] },
  ])
})

test('fails as asked', async () => {
  const model = await scratchModel({ script: [{ fail: 429, message: 'slow down' }] })
  const failed = await post(model, '/v1/chat/completions', hello)
  expect([failed.status, await failed.json()]).toEqual([
    429,
    { error: { message: 'slow down', type: 'invalid_request_error', param: null, code: '429' } },
  ])
})
