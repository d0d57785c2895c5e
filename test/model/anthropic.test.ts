import { expect, test } from 'vitest'
import { ORGANISATION, seal } from './seal.ts'
import { jsonOf, logged, message, post, scratchModel, streamed } from './testing.ts'

const BASH = {
  name: 'Bash',
  input_schema: { type: 'object', properties: { command: { type: 'string' } }, required: ['command'] },
}
const usage = { input_tokens: 110, cache_creation_input_tokens: 0, cache_read_input_tokens: 0, output_tokens: 20 }

test('answers in one piece', async () => {
  const model = await scratchModel()
  const response = await post(model, '/v1/messages', { model: 'm', messages: [{ role: 'user', content: 'hello' }] })
  expect(await response.json()).toEqual({
    id: 'msg_x_1',
    type: 'message',
    role: 'assistant',
    model: 'm',
    content: [{ type: 'text', text: 'answer 1 to: hello' }],
    stop_reason: 'end_turn',
    stop_sequence: null,
    usage,
  })
})

test('streams thinking, text and a call', async () => {
  const script = [{ think: 'hm', say: 'yes', call: { shell: 'ls' } }]
  const model = await scratchModel({ script })
  const messages = [{ role: 'user', content: 'go' }]
  const events = await streamed(
    await post(model, '/v1/messages', { model: 'm', stream: true, messages, tools: [BASH] }),
  )
  const opening = { id: 'msg_x_1', type: 'message', role: 'assistant', model: 'm', stop_sequence: null, content: [] }
  expect(events).toEqual([
    { type: 'message_start', message: { ...opening, stop_reason: null, usage: { ...usage, output_tokens: 1 } } },
    { type: 'ping' },
    { type: 'content_block_start', index: 0, content_block: { type: 'thinking', thinking: '', signature: '' } },
    { type: 'content_block_delta', index: 0, delta: { type: 'thinking_delta', thinking: 'hm' } },
    { type: 'content_block_delta', index: 0, delta: { type: 'signature_delta', signature: seal(ORGANISATION, 'hm') } },
    { type: 'content_block_stop', index: 0 },
    { type: 'content_block_start', index: 1, content_block: { type: 'text', text: '' } },
    { type: 'content_block_delta', index: 1, delta: { type: 'text_delta', text: 'yes' } },
    { type: 'content_block_stop', index: 1 },
    {
      type: 'content_block_start',
      index: 2,
      content_block: { type: 'tool_use', id: 'call_x_1', name: 'Bash', input: {} },
    },
    { type: 'content_block_delta', index: 2, delta: { type: 'input_json_delta', partial_json: '{"command":"ls"}' } },
    { type: 'content_block_stop', index: 2 },
    { type: 'message_delta', delta: { stop_reason: 'tool_use', stop_sequence: null }, usage: { output_tokens: 20 } },
    { type: 'message_stop' },
  ])
})

test('reads the history: results, reminders beside them, and calls', async () => {
  const model = await scratchModel()
  await post(model, '/w-one/v1/messages?beta=true', {
    model: 'm',
    system: [{ type: 'text', text: 'You help.' }],
    tools: [BASH],
    messages: [
      {
        role: 'user',
        content: [
          { type: 'text', text: '<system-reminder>\nToday.\n</system-reminder>' },
          { type: 'text', text: 'TOOL now' },
        ],
      },
      {
        role: 'assistant',
        content: [
          { type: 'thinking', thinking: 'hm', signature: seal(ORGANISATION, 'hm') },
          { type: 'text', text: 'I look.' },
          { type: 'tool_use', id: 't1', name: 'Bash', input: { command: 'ls' } },
        ],
      },
      {
        role: 'user',
        content: [
          { type: 'tool_result', tool_use_id: 't1', content: [{ type: 'text', text: 'gone' }], is_error: true },
          { type: 'text', text: '<system-reminder>Note.</system-reminder>' },
        ],
      },
    ],
  })
  expect(logged(model)).toEqual([
    {
      n: 1,
      world: 'w-one',
      protocol: 'anthropic',
      path: '/v1/messages',
      query: 'beta=true',
      kind: 'turn',
      model: 'm',
      stream: false,
      messages: [
        message('system', '<system-reminder>\nToday.\n</system-reminder>'),
        message('user', 'TOOL now'),
        message('assistant', 'I look.', { calls: [{ id: 't1', name: 'Bash', input: { command: 'ls' } }] }),
        message('tool', '', { results: [{ id: 't1', text: 'gone', isError: true }] }),
        message('system', '<system-reminder>Note.</system-reminder>'),
      ],
      tools: ['Bash'],
      prompt: 'TOOL now',
      sent: [],
      step: { say: 'tool said: gone' },
      usage: { input: 150, output: 20 },
    },
  ])
})

test('fails as asked, counts tokens, and gives a title through the tool that is forced', async () => {
  const model = await scratchModel()
  const messages = [{ role: 'user', content: 'FAIL please' }]
  const failed = await post(model, '/v1/messages', { messages })
  expect([failed.status, await failed.json()]).toEqual([
    400,
    { type: 'error', error: { type: 'invalid_request_error', message: 'stub error 400' } },
  ])
  const counted = await post(model, '/v1/messages/count_tokens', { messages })
  expect(await counted.json()).toEqual({ input_tokens: 110 })
  const title = await post(model, '/api/provider/anthropic/v1/messages', {
    messages,
    tools: [{ name: 'set_title', input_schema: { properties: { title: { type: 'string' } }, required: ['title'] } }],
    tool_choice: { type: 'tool', name: 'set_title' },
  })
  expect((await jsonOf<{ content: unknown }>(title)).content).toEqual([
    { type: 'tool_use', id: 'call_x_3', name: 'set_title', input: { title: 'stub' } },
  ])
  expect(model.log.entries.map(({ kind, usage }) => ({ kind, usage }))).toEqual([
    { kind: 'turn', usage: null },
    { kind: 'extra', usage: null },
    { kind: 'extra', usage: { input: 110, output: 20 } },
  ])
})
