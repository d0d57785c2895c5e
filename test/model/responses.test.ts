import { expect, test } from 'vitest'
import { jsonOf, logged, message, post, scratchModel, streamed } from './testing.ts'

const text = (words: string) => [{ type: 'input_text', text: words }]
const exec = { type: 'function', name: 'exec_command', parameters: { properties: { cmd: { type: 'string' } } } }
const completed = {
  id: 'resp_x_1',
  object: 'response',
  created_at: 1_700_000_000,
  status: 'completed',
  error: null,
  model: 'm',
  usage: {
    input_tokens: 110,
    input_tokens_details: { cached_tokens: 0 },
    output_tokens: 20,
    output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: 130,
  },
}

/** What is looked at of an answer in the Responses protocol. */
type Responses = { output: { content: { text: string }[] }[] }

test('answers in one piece', async () => {
  const model = await scratchModel()
  const content = [{ type: 'output_text', text: 'answer 1 to: hello', annotations: [] }]
  expect(await (await post(model, '/v1/responses', { model: 'm', input: 'hello' })).json()).toEqual({
    ...completed,
    output: [{ type: 'message', id: 'msg_x_1', role: 'assistant', status: 'completed', content }],
  })
})

test('streams reasoning, text and a call', async () => {
  const model = await scratchModel({ script: [{ think: 'hm', say: 'yes', call: { shell: 'ls' } }] })
  const body = { model: 'm', stream: true, input: 'go', tools: [exec] }
  const events = await streamed(await post(model, '/v1/responses', body))

  const reasoning = { type: 'reasoning', id: 'rs_x_1', summary: [{ type: 'summary_text', text: 'hm' }] }
  const said = { type: 'output_text', text: 'yes', annotations: [] }
  const words = { type: 'message', id: 'msg_x_1', role: 'assistant', status: 'completed', content: [said] }
  const args = '{"cmd":"ls"}'
  const call = {
    type: 'function_call',
    id: 'fc_x_1',
    call_id: 'call_x_1',
    name: 'exec_command',
    arguments: args,
    status: 'completed',
  }
  const started = { ...completed, status: 'in_progress', output: [], usage: null }
  const first = { item_id: 'rs_x_1', output_index: 0, summary_index: 0 }
  const second = { item_id: 'msg_x_1', output_index: 1, content_index: 0 }
  const third = { item_id: 'fc_x_1', output_index: 2 }
  const expected = [
    ['response.created', { response: started }],
    ['response.in_progress', { response: started }],
    ['response.output_item.added', { output_index: 0, item: { ...reasoning, summary: [], status: 'in_progress' } }],
    ['response.reasoning_summary_part.added', { ...first, part: { type: 'summary_text', text: '' } }],
    ['response.reasoning_summary_text.delta', { ...first, delta: 'hm' }],
    ['response.reasoning_summary_text.done', { ...first, text: 'hm' }],
    ['response.reasoning_summary_part.done', { ...first, part: reasoning.summary[0] }],
    ['response.output_item.done', { output_index: 0, item: reasoning }],
    ['response.output_item.added', { output_index: 1, item: { ...words, content: [], status: 'in_progress' } }],
    ['response.content_part.added', { ...second, part: { ...said, text: '' } }],
    ['response.output_text.delta', { ...second, delta: 'yes' }],
    ['response.output_text.done', { ...second, text: 'yes' }],
    ['response.content_part.done', { ...second, part: said }],
    ['response.output_item.done', { output_index: 1, item: words }],
    ['response.output_item.added', { output_index: 2, item: { ...call, arguments: '', status: 'in_progress' } }],
    ['response.function_call_arguments.delta', { ...third, delta: args }],
    ['response.function_call_arguments.done', { ...third, arguments: args }],
    ['response.output_item.done', { output_index: 2, item: call }],
    ['response.completed', { response: { ...completed, output: [reasoning, words, call] } }],
  ]
  expect(events).toEqual(
    expected.map(([type, data], sequence_number) => ({ type, sequence_number, ...(data as object) })),
  )
})

test('reads the history: items of one answer are one message', async () => {
  const model = await scratchModel()
  await post(model, '/w-two/v1/responses', {
    model: 'm',
    tools: [exec, { type: 'web_search' }],
    input: [
      { type: 'message', role: 'developer', content: text('Rules.') },
      { type: 'message', role: 'user', content: text('<environment_context>here</environment_context>') },
      { type: 'message', role: 'user', content: text('TOOL now') },
      { type: 'reasoning', summary: [] },
      { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'I look.' }] },
      { type: 'function_call', call_id: 'c1', name: 'exec_command', arguments: '{"cmd":"ls"}' },
      { type: 'function_call_output', call_id: 'c1', output: { content: 'gone', success: false } },
    ],
  })
  expect(logged(model)).toEqual([
    {
      n: 1,
      world: 'w-two',
      protocol: 'responses',
      path: '/v1/responses',
      query: '',
      kind: 'turn',
      model: 'm',
      stream: false,
      messages: [
        message('system', 'Rules.'),
        message('system', '<environment_context>here</environment_context>'),
        message('user', 'TOOL now'),
        message('assistant', 'I look.', { calls: [{ id: 'c1', name: 'exec_command', input: { cmd: 'ls' } }] }),
        message('tool', '', { results: [{ id: 'c1', text: 'gone', isError: true }] }),
      ],
      tools: ['exec_command', 'web_search'],
      prompt: 'TOOL now',
      sent: [],
      step: { say: 'tool said: gone' },
      usage: { input: 150, output: 20 },
    },
  ])
})

test('gives a title of the form that is asked for, and fails as asked', async () => {
  const model = await scratchModel()
  const schema = { type: 'object', properties: { title: { type: 'string' } }, required: ['title'] }
  const titled = { input: 'FAIL', text: { format: { type: 'json_schema', schema } } }
  const { output } = await jsonOf<Responses>(post(model, '/v1/responses', titled))
  expect(output[0]?.content[0]?.text).toBe('{"title":"stub"}')
  const failed = await post(model, '/v1/responses', { input: 'FAIL' })
  expect([failed.status, await failed.json()]).toEqual([
    400,
    { error: { message: 'stub error 400', type: 'invalid_request_error', param: null, code: '400' } },
  ])
  expect(model.log.entries.map(({ kind }) => kind)).toEqual(['extra', 'turn'])
})
