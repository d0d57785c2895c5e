import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished, test } from 'vitest'
import { until } from '../support/wait-until.ts'
import { post, scratchModel } from './testing.mjs'

const hanging = { model: 'm', stream: true, messages: [{ role: 'user', content: 'HANG' }] }

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
    for await (const part of /** @type {AsyncIterable<Uint8Array>} */ (response.body)) {
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
  const { output } = await (await post(model, '/v1/responses', { input: 'hello' })).json()
  expect(output[0].content[0].text).toBe('as told')
  model.script = [{ say: 'as told again' }]
  await post(model, '/v1/responses', { input: 'hello' })
  const entries = await (await fetch(`${model.url}/__log`)).json()
  expect(entries.map((/** @type {any} */ { n, step }) => ({ n, step }))).toEqual([
    { n: 1, step: { say: 'as told' } },
    { n: 2, step: { say: 'as told again' } },
  ])
})

test('lists models, answers a greeting, and survives nonsense', async () => {
  const model = await scratchModel()
  const models = await (await fetch(`${model.url}/w-a/v1/models?limit=1`)).json()
  expect(models.data.map((/** @type {any} */ { id, object, type }) => ({ id, object, type }))).toEqual([
    { id: 'stub-model', object: 'model', type: 'model' },
  ])
  expect((await fetch(model.url, { method: 'HEAD' })).status).toBe(200)
  expect((await fetch(`${model.url}/v1/messages`, { method: 'POST', body: '{not json' })).status).toBe(200)
  expect(model.log.entries.map(({ protocol, kind, world }) => ({ protocol, kind, world }))).toEqual([
    { protocol: 'models', kind: 'extra', world: 'w-a' },
    { protocol: 'other', kind: 'extra', world: '' },
    { protocol: 'anthropic', kind: 'turn', world: '' },
  ])
})

test('runs by hand', async () => {
  const program = fileURLToPath(new URL('serve.mjs', import.meta.url))
  const child = spawn(process.execPath, [program, '--port', '0'], { stdio: ['ignore', 'pipe', 'inherit'] })
  onTestFinished(() => void child.kill('SIGKILL'))
  const [line] = await once(child.stdout, 'data')
  expect(await (await fetch(`${String(line).trim()}/__log`)).json()).toEqual([])
  child.kill('SIGTERM')
  expect(await once(child, 'exit')).toEqual([0, null])
})
