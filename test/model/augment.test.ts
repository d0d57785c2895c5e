import { expect, test } from 'vitest'
import { jsonOf, logged, message, post, scratchModel } from './testing.ts'

const launch = {
  name: 'launch-process',
  input_schema_json: JSON.stringify({
    properties: {
      command: { type: 'string' },
      wait: { type: 'boolean' },
      max_wait_seconds: { type: 'number' },
      cwd: { type: 'string' },
    },
    required: ['command', 'wait', 'max_wait_seconds', 'cwd'],
  }),
}
const request = (content: string) => [
  { id: 0, type: 0, text_node: { content } },
  { id: 1, type: 4, ide_state_node: { current_terminal: { current_working_directory: '/home/dev/shop' } } },
]
const line = (text: string, nodes: object[], more: object) => ({
  text,
  unknown_blob_names: [],
  checkpoint_not_found: false,
  workspace_file_chunks: [],
  nodes,
  ...more,
})
const lines = async (response: Response) =>
  (await response.text())
    .trim()
    .split('\n')
    .map((text) => JSON.parse(text))

test('streams a thought, text and a call of the shell in the given folder', async () => {
  const model = await scratchModel({ script: [{ think: 'hm', say: 'yes', call: { shell: 'ls' } }] })
  const body = { model: 'm', nodes: request('go'), chat_history: [], tool_definitions: [launch] }
  const input = { command: 'ls', wait: true, max_wait_seconds: 60, cwd: '/home/dev/shop' }
  const tool_use = { tool_use_id: 'call_x_1', tool_name: 'launch-process', input_json: JSON.stringify(input) }
  const token_usage = {
    input_tokens: 110,
    output_tokens: 20,
    cache_read_input_tokens: 0,
    cache_creation_input_tokens: 0,
  }
  expect(await lines(await post(model, '/w-a/chat-stream', body))).toEqual([
    line('', [{ id: 2, type: 8, content: '', thinking: { summary: 'hm', content: 'hm' } }], {}),
    line('yes', [{ id: 1, type: 0, content: 'yes' }], {}),
    line(
      '',
      [
        { id: 3, type: 5, content: '', tool_use },
        { id: 4, type: 10, content: '', token_usage },
      ],
      { stop_reason: 3 },
    ),
  ])
})

test('reads the history of exchanges, and marks silent requests', async () => {
  const model = await scratchModel()
  const chat_history = [
    {
      request_message: 'TOOL now',
      request_nodes: request('TOOL now'),
      response_text: '',
      response_nodes: [
        { id: 1, type: 0, content: 'I look.' },
        {
          id: 2,
          type: 5,
          tool_use: { tool_use_id: 'c1', tool_name: 'launch-process', input_json: '{"command":"ls"}' },
        },
      ],
    },
  ]
  const nodes = [{ id: 1, type: 1, tool_result_node: { tool_use_id: 'c1', content: 'gone', is_error: true } }]
  await post(model, '/chat-stream', { model: 'm', nodes, chat_history, tool_definitions: [launch] })
  await post(model, '/chat-stream', { model: 'm', nodes: request('A title?'), silent: true })
  const entry = { world: '', protocol: 'augment', path: '/chat-stream', query: '', model: 'm', stream: true }
  expect(logged(model)).toEqual([
    {
      ...entry,
      n: 1,
      kind: 'turn',
      messages: [
        message('user', 'TOOL now'),
        message('assistant', 'I look.', { calls: [{ id: 'c1', name: 'launch-process', input: { command: 'ls' } }] }),
        message('tool', '', { results: [{ id: 'c1', text: 'gone', isError: true }] }),
      ],
      tools: ['launch-process'],
      prompt: 'TOOL now',
      sent: [],
      step: { say: 'tool said: gone' },
      usage: { input: 130, output: 20 },
    },
    {
      ...entry,
      n: 2,
      kind: 'extra',
      messages: [message('user', 'A title?')],
      tools: [],
      prompt: '',
      sent: [],
      step: { say: 'Stub title' },
      usage: { input: 110, output: 20 },
    },
  ])
})

test('has models, no remote tools, and nothing to say of the rest', async () => {
  const model = await scratchModel()
  const ask = (path: string): Promise<object> => jsonOf(post(model, path, {}))
  expect(await ask('/get-models')).toMatchObject({ default_model: 'stub-model' })
  expect(await ask('/agents/list-remote-tools')).toEqual({ tools: [] })
  expect(await ask('/settings/get-mcp-user-configs')).toEqual({})
  const failed = await post(model, '/chat-stream', { nodes: request('FAIL') })
  expect([failed.status, await failed.json()]).toEqual([400, { error: 'stub error 400' }])
})
