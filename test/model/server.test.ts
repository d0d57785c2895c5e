import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished, test } from 'vitest'
import { until } from '../support/wait-until.ts'
import type { Entry } from './log.ts'
import { jsonOf, post, scratchModel } from './testing.ts'

const hanging = { model: 'm', stream: true, messages: [{ role: 'user', content: 'HANG' }] }

/** What is looked at of an answer in the Responses protocol. */
type Responses = { output: { content: { text: string }[] }[] }

test('hangs after the partial text until the agent is gone, and notes that it hung up', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'ion-model-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const logFile = join(folder, 'log.jsonl')
  const model = await scratchModel({ logFile })
  for (const [path, last] of [
    ['/v1/messages', '"text_delta","text":"partial"'],
    ['/v1/responses', '"delta":"partial"'],
    ['/v1/chat/completions', '"delta":{"content":"partial"}'],
  ]) {
    const agent = new AbortController()
    const body = path === '/v1/responses' ? { ...hanging, input: 'HANG' } : hanging
    const response = await post(model, path ?? '', body, { signal: agent.signal })
    let text = ''
    for await (const part of response.body as AsyncIterable<Uint8Array>) {
      text += Buffer.from(part)
      if (text.includes(last ?? '')) break
    }
    expect(text).not.toMatch(/message_stop|response\.completed|\[DONE\]/)
    agent.abort()
    await until(() => expect(model.log.entries.at(-1)?.closed).toBe(true))
  }
  const lines = readFileSync(logFile, 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
  const entries = model.log.entries.map(({ closed, ...entry }) => entry)
  expect(lines).toEqual(entries.flatMap((entry) => [entry, { n: entry.n, closed: true }]))
})

test('an answer that came through is not marked, and a hanging one does not keep the server open', async () => {
  const model = await scratchModel()
  await (await post(model, '/v1/responses', { input: 'hello' })).text()
  const cut = post(model, '/v1/messages', { ...hanging, stream: false }).catch((error) => error.name)
  await until(() => expect(model.log.entries.length).toBe(2))
  await model.close()
  expect(await cut).toBe('TypeError')
  expect(model.log.entries[0]?.closed).toBe(undefined)
})

test('another process may ask for the log and set the script', async () => {
  const model = await scratchModel()
  expect(await (await post(model, '/__script', [{ say: 'as told' }])).json()).toEqual({ steps: 1 })
  expect(model.script).toEqual([{ say: 'as told' }])
  const { output } = await jsonOf<Responses>(post(model, '/v1/responses', { input: 'hello' }))
  expect(output[0]?.content[0]?.text).toBe('as told')
  model.script = [{ say: 'as told again' }]
  await post(model, '/v1/responses', { input: 'hello' })
  const entries = await jsonOf<Entry[]>(fetch(`${model.url}/__log`))
  expect(entries.map(({ n, step }) => ({ n, step }))).toEqual([
    { n: 1, step: { say: 'as told' } },
    { n: 2, step: { say: 'as told again' } },
  ])
})

test('lists models, answers a greeting, and survives nonsense', async () => {
  const model = await scratchModel()
  const models = await jsonOf<{ data: object[] }>(fetch(`${model.url}/w-a/v1/models?limit=1`))
  expect(models.data).toEqual([expect.objectContaining({ id: 'stub-model', object: 'model', type: 'model' })])
  expect((await fetch(model.url, { method: 'HEAD' })).status).toBe(200)
  expect((await fetch(`${model.url}/v1/messages`, { method: 'POST', body: '{not json' })).status).toBe(400)
  expect(model.log.entries.map(({ protocol, kind, world }) => ({ protocol, kind, world }))).toEqual([
    { protocol: 'models', kind: 'extra', world: 'w-a' },
    { protocol: 'other', kind: 'extra', world: '' },
    { protocol: 'anthropic', kind: 'turn', world: '' },
  ])
})

test('what the provider would refuse gets its error, and is in the log with the rule and the place', async () => {
  const model = await scratchModel({ script: [{ say: 'not used up' }] })
  const call = { id: 'c1', type: 'function', function: { name: 'shell', arguments: '{}' } }
  const messages = [
    { role: 'user', content: 'go' },
    { role: 'assistant', content: null, tool_calls: [call] },
    { role: 'user', content: 'and now?' },
  ]
  const refused = await post(model, '/w-a/v1/chat/completions', { model: 'm', messages })
  const message =
    "An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. " +
    'The following tool_call_ids did not have response messages: c1'
  const error = { message, type: 'invalid_request_error', param: 'messages.[2].role', code: null }
  expect([refused.status, await refused.json()]).toEqual([400, { error }])
  expect(model.log.rejections()).toEqual([
    expect.objectContaining({
      n: 1,
      kind: 'turn',
      world: 'w-a',
      prompt: 'and now?',
      step: { fail: 400, message },
      usage: null,
      rejected: { rule: 'a call is followed by its result', place: 'messages.[2].role', message },
    }),
  ])
  expect(model.script).toEqual([{ say: 'not used up' }])
})

test.each([
  ['/v1/messages', { messages: [{ role: 'user' }] }],
  ['/v1/messages', { messages: 'none' }],
  ['/v1/responses', { input: [{ type: 'function_call' }, null] }],
  ['/v1/chat/completions', { messages: [null] }],
  ['/v1beta/models/pro:generateContent', { contents: [{ role: 'user', parts: 7 }] }],
])('%s refuses nonsense without falling over: %j', async (path, body) => {
  const model = await scratchModel()
  expect((await post(model, path, body)).status).toBe(400)
  expect(model.log.rejections().length).toBe(1)
})

test('a stub accepts what another one has sealed, unless it was for another organisation', async () => {
  const script = [{ think: 'hm', say: 'yes' }]
  const asked = { store: false, include: ['reasoning.encrypted_content'] }
  type Output = { output: object[] }
  const sealed = async (organisation?: string): Promise<object[]> => {
    const model = await scratchModel({ script, ...(organisation ? { organisation } : {}) })
    return (await jsonOf<Output>(post(model, '/v1/responses', { ...asked, input: 'go' }))).output
  }
  const again = async (items: object[]): Promise<Response> => {
    const input = [{ role: 'user', content: 'go' }, ...items, { role: 'user', content: 'and now?' }]
    return post(await scratchModel(), '/v1/responses', { ...asked, input })
  }
  expect((await again(await sealed())).status).toBe(200)
  const refused = await again(await sealed('org-other'))
  expect([refused.status, await refused.json()]).toEqual([
    400,
    {
      error: expect.objectContaining({
        code: 'invalid_encrypted_content',
        message: expect.stringMatching(
          /^The encrypted content .* organization_id did not match the target organization\.$/,
        ),
      }),
    },
  ])
})

test('runs by hand', async () => {
  const program = fileURLToPath(new URL('serve.ts', import.meta.url))
  const child = spawn(process.execPath, ['--import', 'tsx', program, '--port', '0'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  const [line] = await once(child.stdout, 'data')
  expect(await (await fetch(`${String(line).trim()}/__log`)).json()).toEqual([])
  child.kill('SIGTERM')
  expect(await once(child, 'exit')).toEqual([0, null])
})
