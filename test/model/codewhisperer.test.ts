import { expect, test } from 'vitest'
import { decodeEvents, jsonOf, logged, message, post, scratchModel } from './testing.ts'

const target = (operation: string) => ({ headers: { 'x-amz-target': `SomeService.${operation}` } })
const typed = (text: string) => `--- CONTEXT ---\n\n--- USER MESSAGE BEGIN ---\n${text}--- USER MESSAGE END ---\n\n`
const tools = [
  {
    toolSpecification: {
      name: 'execute_bash',
      inputSchema: { json: { properties: { command: { type: 'string' } }, required: ['command'] } },
    },
  },
]
const user = (text: string, more: object = {}) => ({
  userInputMessage: { content: typed(text), modelId: 'm', userInputMessageContext: { tools, ...more } },
})

test.each(['GenerateAssistantResponse', 'SendMessage'])(
  '%s streams text and a call of the shell',
  async (operation) => {
    const model = await scratchModel({ script: [{ say: 'yes', call: { shell: 'ls' } }] })
    const body = { conversationState: { currentMessage: user('go') } }
    const response = await post(model, '/w-a/', body, target(operation))
    expect(response.headers.get('content-type')).toBe('application/vnd.amazon.eventstream')
    const call = { toolUseId: 'call_x_1', name: 'execute_bash' }
    expect(decodeEvents(Buffer.from(await response.arrayBuffer()))).toEqual([
      ['messageMetadataEvent', { conversationId: 'x_1', utteranceId: 'x_1' }],
      ['assistantResponseEvent', { content: 'yes' }],
      ['toolUseEvent', call],
      ['toolUseEvent', { ...call, input: '{"command":"ls"}' }],
      ['toolUseEvent', { ...call, stop: true }],
    ])
  },
)

test('reads what was typed, answers and tool results, and not the text around them', async () => {
  const model = await scratchModel({ script: [{ say: 'done' }] })
  const history = [
    user('go'),
    {
      assistantResponseMessage: {
        content: 'I look',
        toolUses: [{ toolUseId: 't1', name: 'execute_bash', input: { command: 'ls' } }],
      },
    },
  ]
  const toolResults = [{ toolUseId: 't1', content: [{ json: { stdout: 'a' } }, { text: 'b' }], status: 'success' }]
  const currentMessage = {
    userInputMessage: { content: '', modelId: 'm', userInputMessageContext: { tools, toolResults } },
  }
  await post(model, '/', { conversationState: { history, currentMessage } }, target('SendMessage'))
  expect(logged(model)).toMatchObject([
    {
      kind: 'turn',
      model: 'm',
      prompt: 'go',
      sent: [],
      messages: [
        message('user', 'go'),
        message('assistant', 'I look', { calls: [{ id: 't1', name: 'execute_bash', input: { command: 'ls' } }] }),
        message('tool', '', { results: [{ id: 't1', text: '{"stdout":"a"}\nb', isError: false }] }),
      ],
    },
  ])
})

test('lists one model; other operations and a path without one are not turns', async () => {
  const model = await scratchModel()
  const models = await jsonOf<{ defaultModel: { modelId: string } }>(
    post(model, '/', {}, target('ListAvailableModels')),
  )
  expect(models.defaultModel.modelId).toBe('stub-model')
  await post(model, '/', {}, target('GetProfile'))
  await post(model, '/v1/other', {}, target('SendMessage'))
  expect(model.log.turns()).toEqual([])
})

test('a failure is an error of the service', async () => {
  const model = await scratchModel({ script: [{ fail: 400, message: 'no' }] })
  const response = await post(model, '/', { conversationState: { currentMessage: user('x') } }, target('SendMessage'))
  expect([response.status, await response.json()]).toEqual([400, { __type: 'ValidationException', message: 'no' }])
})
