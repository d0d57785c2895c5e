import { expect, test } from 'vitest'
import { startMock } from './chat-page.ts'
import { many, work } from './histories.ts'
import { asking } from './mock-server.ts'

// The page's tests need a browser, this one does not: `startMock` checks the contract.
test('every response and event of the mock server obeys the contract', async () => {
  const server = await startMock((mock) => {
    mock.messages = [...work(), ...many(20).map((message) => ({ ...message, id: message.id + 10 }))]
  })
  const root = server.url.replace(/chat\/embed$/, '')
  const get = async (path: string): Promise<unknown> => (await fetch(root + path)).json()
  const post = (path: string, body: string): Promise<Response> => fetch(root + path, { method: 'POST', body })
  for (const path of ['status', 'messages', 'messages?after=2&limit=3', 'messages/1']) await get(path)
  expect(await get('search?q=ledger')).toHaveLength(1)
  await post('message', JSON.stringify({ content: 'hello', type: 'user' }))
  await post('interrupt', '')
  await post('upload', 'a file')
  server.refuse = { status: 401, detail: 'a token is required' }
  await post('message', JSON.stringify({ content: 'hello', type: 'raw' }))
  for (const path of ['events', 'internal/screen']) {
    const { body } = await fetch(root + path)
    const reader = body!.getReader()
    await reader.read()
    server.setStatus({ status: 'running', waiting_for: asking('trust dialog') })
    server.put(work()[1]!)
    server.remove([2])
    server.setScreen('another screen')
    await reader.cancel()
  }
  expect(server.violations).toEqual([])
  server.put({ ...work()[0]!, id: 'seven' as unknown as number })
  expect(server.violations.splice(0)).toEqual([expect.stringMatching(/^MessageUpdateBody\.id: /)])
})
