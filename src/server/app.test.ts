import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join, sep } from 'node:path'
import fc from 'fast-check'
import { expect, onTestFinished, test } from 'vitest'
import { type MadeChat, madeChat } from '../../test/support/fake-chat.ts'
import { scratchFolder } from '../../test/support/scratch.ts'
import { type AppOptions, type ServerApp, serverApp } from './app.ts'
import { listen } from './listen.ts'
import { safeName } from './upload.ts'

const TOKEN = 'the-token-of-this-server'
const bearer = { authorization: `Bearer ${TOKEN}` }

interface Served extends MadeChat {
  readonly app: ServerApp['app']
  ask(path: string, init?: RequestInit): Promise<Response>
}

async function served(changed: Partial<AppOptions> = {}): Promise<Served> {
  const made = await madeTalk()
  const { app } = serverApp(optionsOf(made, changed))
  const ask = async (path: string, init: RequestInit = {}): Promise<Response> =>
    app.request(`http://localhost:3284${path}`, { ...init, headers: { host: 'localhost:3284', ...init.headers } })
  return { ...made, app, ask }
}

/** On a real port: what is written straight to the connection. */
async function listening(): Promise<MadeChat & { readonly origin: string }> {
  const made = await madeTalk()
  const { port, close } = await listen('127.0.0.1', 0, false, (port) => serverApp(optionsOf(made, { port })))
  onTestFinished(close)
  return { ...made, origin: `http://127.0.0.1:${port}` }
}

function madeTalk(): Promise<MadeChat> {
  return madeChat(
    { type: 'user', content: 'one' },
    { type: 'assistant', content: [{ type: 'text', text: 'answer <b>one</b>' }] },
    { type: 'user', content: 'two' },
    { type: 'assistant', content: [{ type: 'text', text: 'answer two' }] },
  )
}

function optionsOf({ chat, io }: MadeChat, changed: Partial<AppOptions>): AppOptions {
  return {
    chat,
    documents: { open: async () => undefined, sessions: async () => [] },
    webFolder: join(scratchFolder(), 'web'),
    version: '1.2.3',
    io,
    allowedHosts: ['localhost', '127.0.0.1'],
    allowedOrigins: ['http://localhost:3000'],
    token: TOKEN,
    protectsReads: false,
    port: 3284,
    chatBasePath: '/chat',
    ...changed,
  }
}

const message = (content: string, headers: Record<string, string> = bearer): RequestInit => ({
  method: 'POST',
  headers: { 'content-type': 'application/json', ...headers },
  body: JSON.stringify({ content, type: 'user' }),
})

test('a page of messages by after, before and limit', async () => {
  const { ask, chat } = await served()
  const ids = async (query: string): Promise<number[]> => {
    const { messages } = (await (await ask(`/messages${query}`)).json()) as { messages: { id: number }[] }
    return messages.map(({ id }) => id)
  }
  expect(chat.messages.map(({ id }) => id)).toEqual([0, 1, 2, 3])
  expect(await ids('?after=1')).toEqual([2, 3])
  expect(await ids('?before=2')).toEqual([0, 1])
  expect(await ids('?limit=2')).toEqual([2, 3])
  expect(await ids('?before=3&limit=2')).toEqual([1, 2])
  expect(await ids('?after=0&limit=2')).toEqual([1, 2])
  expect(await ids('?limit=0')).toEqual([])
  expect((await ask('/messages?limit=-1')).status).toBe(422)
  expect((await ask('/messages/99')).status).toBe(404)
})

test('all messages are told with their length and to which pages, again and again', async () => {
  const { origin, chat, write } = await listening()
  const ask = async (): Promise<unknown[]> => {
    const answer = await fetch(`${origin}/messages`, { headers: { origin: 'http://localhost:3000' } })
    const text = await answer.text()
    const names = ['content-type', 'content-length', 'access-control-allow-origin', 'vary']
    const headers = names.map((name) => answer.headers.get(name))
    expect(headers).toEqual(['application/json', String(Buffer.byteLength(text)), 'http://localhost:3000', 'Origin'])
    return JSON.parse(text).messages
  }
  expect(await ask()).toEqual(chat.messages)
  expect(await ask()).toEqual(chat.messages)
  await write({ type: 'user', content: 'one ä😀' })
  expect(chat.messages.map(({ content }) => content)).toEqual(['one ä😀'])
  expect(await ask()).toEqual(chat.messages)
})

test('no agent in the background: it is said, and a message is refused', async () => {
  const { ask } = await served()
  expect(await (await ask('/status')).json()).toMatchObject({ status: 'stable', agent: 'made', version: '1.2.3' })
  const answer = await ask('/message', message('hello'))
  expect(answer.status).toBe(500)
  expect(answer.headers.get('content-type')).toBe('application/problem+json')
})

test('who may write: whoever has the token, from this page or an allowed one', async () => {
  const { ask } = await served()
  const code = async (headers: Record<string, string>): Promise<number> =>
    (await ask('/message', message('', headers))).status
  const cookie = { cookie: `ion_token_3284=${TOKEN}` }
  // 500: it came through all guards, and there is no agent.
  expect(await code(bearer)).toBe(500)
  expect(await code(cookie)).toBe(500)
  expect(await code({ ...cookie, origin: 'http://localhost:3284' })).toBe(500)
  expect(await code({ ...cookie, origin: 'http://localhost:3000' })).toBe(500)
  expect(await code({})).toBe(401)
  expect(await code({ authorization: 'Bearer wrong' })).toBe(401)
  expect(await code({ authorization: TOKEN })).toBe(401)
  expect(await code({ cookie: `ion_token_3285=${TOKEN}` })).toBe(401)
  expect(await code({ ...cookie, origin: 'http://evil.example' })).toBe(403)
  expect(await code({ ...cookie, origin: 'http://localhost:9999' })).toBe(403)
  expect(await code({ ...cookie, origin: 'null' })).toBe(403)
  expect(await code({ ...cookie, 'sec-fetch-site': 'cross-site' })).toBe(403)
  expect(await code({ ...bearer, host: 'evil.example' })).toBe(400)
})

test('by which name it may be called', async () => {
  const { ask } = await served({ allowedHosts: ['localhost', '[::1]', 'work.example'] })
  const code = async (host: string): Promise<number> => (await ask('/status', { headers: { host } })).status
  for (const host of ['localhost', 'LOCALHOST:80', '[::1]:3284', 'work.example:1'])
    expect([host, await code(host)]).toEqual([host, 200])
  const strange = [
    'evil.example',
    'localhost.evil.example',
    'localhost@evil.example',
    'evil.example:localhost',
    '::1',
    '',
  ]
  for (const host of strange) expect([host, await code(host)]).toEqual([host, 400])
  const any = await served({ allowedHosts: ['*'] })
  expect((await any.ask('/status', { headers: { host: 'whatever' } })).status).toBe(200)
})

test('reachable from elsewhere: reading needs the token too, and the page hands it over', async () => {
  const { ask } = await served({ protectsReads: true })
  for (const path of ['/status', '/messages', '/messages/0', '/chat/embed', '/docs', '/share']) {
    expect([path, (await ask(path)).status]).toEqual([path, 401])
  }
  expect((await ask('/status', { headers: bearer })).status).toBe(200)
  const opened = await ask(`/chat/embed?token=${TOKEN}&x=1`)
  expect([opened.status, opened.headers.get('location')]).toEqual([302, '/chat/embed?x=1'])
  expect(opened.headers.get('set-cookie')).toBe(`ion_token_3284=${TOKEN}; Path=/; HttpOnly; SameSite=Strict`)
  expect((await ask('/chat/embed?token=wrong')).status).toBe(401)
  expect((await ask(`/status?token=${TOKEN}`)).status).toBe(401)
})

test('the page: its files and nothing else, under a strict policy', async () => {
  const webFolder = join(scratchFolder(), 'web')
  mkdirSync(join(webFolder, 'assets'), { recursive: true })
  writeFileSync(join(webFolder, 'index.html'), '<!doctype html>page')
  writeFileSync(join(webFolder, 'assets', 'main-a1b2c3d4.js'), 'code')
  writeFileSync(join(webFolder, '.secret'), 'hidden')
  writeFileSync(join(webFolder, '..', 'outside.txt'), 'outside')
  symlinkSync(join(webFolder, '..', 'outside.txt'), join(webFolder, 'link.txt'))
  const { ask } = await served({ webFolder })
  const page = await ask('/chat/embed')
  expect(await page.text()).toBe('<!doctype html>page')
  expect(Object.fromEntries(page.headers)).toMatchObject({
    'content-security-policy': expect.stringMatching(/^default-src 'none'; script-src 'self'; style-src 'self';/),
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'no-referrer',
  })
  expect((await ask('/chat/assets/main-a1b2c3d4.js')).headers.get('cache-control')).toContain('immutable')
  const ways = ['../outside.txt', '%2e%2e/outside.txt', '..%2foutside.txt', '%2e%2e%2foutside.txt', '..%5coutside.txt']
  const others = [
    'link.txt',
    '.secret',
    'assets',
    'assets/',
    '%00',
    'index.html%00.js',
    '%252e%252e%252foutside.txt',
    '%',
    '//outside.txt',
  ]
  for (const way of [...ways, ...others]) {
    const answer = await ask(`/chat/${way}`)
    expect([way, answer.status, await answer.text()]).toEqual([way, 404, '404 page not found\n'])
  }
})

test('a build without the page says so', async () => {
  const { ask } = await served()
  expect(await (await ask('/chat/embed')).text()).toContain('No chat page')
  expect((await ask('/')).headers.get('location')).toBe('/chat/embed')
  expect((await ask('/chat/embed/')).headers.get('location')).toBe('../embed')
  const elsewhere = await served({ chatBasePath: '/apps/ion/chat' })
  for (const path of ['/apps/ion/chat/embed', '/chat/embed']) {
    expect(await (await elsewhere.ask(path)).text()).toContain('No chat page')
  }
  expect((await elsewhere.ask('/')).headers.get('location')).toBe('/apps/ion/chat/embed')
})

test('uploads stay in their folder, whatever they are called', async () => {
  const { ask, task } = await served()
  const names = [
    '../../evil',
    '/etc/passwd',
    'C:\\evil.txt',
    '..',
    '.',
    '.bashrc',
    'a\0b',
    'a\nb',
    '-rf',
    'ä 😀.txt',
    'x'.repeat(5000),
  ]
  for (const name of names) {
    const form = new FormData()
    form.set('file', new File([`of ${name}`], name))
    const answer = await ask('/upload', { method: 'POST', headers: bearer, body: form })
    expect([name, answer.status]).toEqual([name, 200])
    const { filePath } = (await answer.json()) as { filePath: string }
    expect(filePath.startsWith(join(task.folder, 'uploads') + sep)).toBe(true)
    expect(filePath.split(sep).length).toBe(task.folder.split(sep).length + 3)
    expect(readFileSync(filePath, 'utf8')).toBe(`of ${name}`)
  }
})

test('any name becomes a plain one', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (name) => {
      expect(safeName(name)).toMatch(/^[\p{L}\p{N}_ -][\p{L}\p{N}._ -]{0,49}$/u)
    }),
  )
})

test('whatever is posted, the answer is a refusal that says why', async () => {
  const { ask } = await served()
  const body = fc.oneof(fc.string(), fc.json(), fc.uint8Array({ maxLength: 200 }))
  const type = fc.constantFrom(
    'application/json',
    'text/plain',
    'application/x-www-form-urlencoded',
    'multipart/form-data',
    '',
  )
  await fc.assert(
    fc.asyncProperty(fc.constantFrom('/message', '/upload'), type, body, async (path, contentType, given) => {
      const headers = { ...bearer, 'content-type': contentType }
      const answer = await ask(path, { method: 'POST', headers, body: given as string })
      expect([400, 413, 415, 422, 500]).toContain(answer.status)
      expect(answer.headers.get('content-type')).toBe('application/problem+json')
      expect(await answer.json()).toMatchObject({ status: answer.status, title: expect.any(String) })
    }),
  )
})

test('errors within give nothing away but that they happened', async () => {
  const { ask } = await served({
    documents: {
      open: async () => undefined,
      sessions: () => Promise.reject(new Error('inner')),
    },
  })
  expect((await ask('/sessions')).status).toBe(500)
  expect((await ask('/share')).status).toBe(503)
  expect((await ask('/status')).status).toBe(200)
})
