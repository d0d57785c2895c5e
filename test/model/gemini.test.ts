import { expect, test } from 'vitest'
import { ORGANISATION, seal } from './seal.ts'
import { logged, message, post, scratchModel, streamed } from './testing.ts'

const contents = [{ role: 'user', parts: [{ text: 'hello' }] }]
const chunk = (parts: object[], finishReason?: string): object => ({
  candidates: [{ content: { role: 'model', parts }, index: 0, ...(finishReason ? { finishReason } : {}) }],
  usageMetadata: {
    promptTokenCount: 110,
    candidatesTokenCount: 20,
    totalTokenCount: 130,
    cachedContentTokenCount: 0,
    thoughtsTokenCount: 0,
  },
  modelVersion: 'pro',
  responseId: 'x_1',
})
const tools = [
  {
    functionDeclarations: [
      { name: 'run_shell_command', parametersJsonSchema: { properties: { command: { type: 'string' } } } },
    ],
  },
]

test('answers in one piece', async () => {
  const model = await scratchModel()
  const response = await post(model, '/v1beta/models/pro:generateContent', { contents })
  expect(await response.json()).toEqual(chunk([{ text: 'answer 1 to: hello' }], 'STOP'))
})

test('streams a thought, text and a call', async () => {
  const model = await scratchModel({ script: [{ think: 'hm', say: 'yes', call: { shell: 'ls' } }] })
  const path = '/v1beta/models/pro:streamGenerateContent?alt=sse'
  expect(await streamed(await post(model, path, { contents, tools }))).toEqual([
    chunk([{ text: 'hm', thought: true }]),
    chunk([{ text: 'yes' }]),
    chunk([
      {
        functionCall: { id: 'call_x_1', name: 'run_shell_command', args: { command: 'ls' } },
        thoughtSignature: seal(ORGANISATION, 'call_x_1'),
      },
    ]),
    chunk([{ text: '' }], 'STOP'),
  ])
})

test('reads the history', async () => {
  const model = await scratchModel()
  await post(model, '/v1beta/models/pro:generateContent', {
    tools,
    contents: [
      { role: 'user', parts: [{ text: '<session_context>here</session_context>' }] },
      { role: 'user', parts: [{ text: 'cut off' }, { text: 'TOOL now' }] },
      {
        role: 'model',
        parts: [{ text: 'hm', thought: true }, { functionCall: { id: 'c1', name: 'run_shell_command', args: {} } }],
      },
      { role: 'user', parts: [{ functionResponse: { id: 'c1', name: 'x', response: { output: 'done' } } }] },
    ],
  })
  expect(logged(model)).toEqual([
    {
      n: 1,
      world: '',
      protocol: 'gemini',
      path: '/v1beta/models/pro:generateContent',
      query: '',
      kind: 'turn',
      model: 'pro',
      stream: false,
      messages: [
        message('system', '<session_context>here</session_context>'),
        message('user', 'cut off'),
        message('user', 'TOOL now'),
        message('assistant', '', { calls: [{ id: 'c1', name: 'run_shell_command', input: {} }] }),
        message('tool', '', { results: [{ id: 'c1', text: 'done', isError: false }] }),
      ],
      tools: ['run_shell_command'],
      prompt: 'TOOL now',
      sent: [],
      step: { say: 'tool said: done' },
      usage: { input: 150, output: 20 },
    },
  ])
})

test('leaves the turn to the user, counts tokens, summarises, and fails as asked', async () => {
  const model = await scratchModel()
  const ask = async (path: string, body: object) =>
    (await post(model, `/v1beta/models/${path}`, { contents, ...body })).json()
  type Generated = { candidates: { content: { parts: { text: string }[] } }[] }
  const said = (answer: unknown): unknown => (answer as Generated).candidates[0]?.content.parts[0]?.text
  const responseJsonSchema = {
    type: 'object',
    properties: { next_speaker: { type: 'string', enum: ['model', 'user'] } },
    required: ['next_speaker'],
  }
  expect(said(await ask('pro:generateContent', { generationConfig: { responseJsonSchema } }))).toBe(
    '{"next_speaker":"user"}',
  )
  expect(said(await ask('some-flash-lite:generateContent', {}))).toBe('Stub title')
  expect(await ask('pro:countTokens', {})).toEqual({ totalTokens: 110 })
  expect(await ask('pro:generateContent', { contents: [{ role: 'user', parts: [{ text: 'FAIL' }] }] })).toEqual({
    error: { code: 400, message: 'stub error 400', status: 'INVALID_ARGUMENT' },
  })
  expect(model.log.entries.map(({ kind }) => kind)).toEqual(['extra', 'extra', 'extra', 'turn'])
})
