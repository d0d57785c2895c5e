import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { request } from 'node:http'
import { connect } from 'node:net'
import { join, sep } from 'node:path'
import fc from 'fast-check'
import { describe, expect, onTestFinished, test } from 'vitest'
import { type MadeChat, madeChat } from '../../test/support/fake-chat.ts'
import { scratchFolder } from '../../test/support/scratch.ts'
import { until } from '../../test/support/wait-until.ts'
import { answersFile, parseAnswers } from './answers.ts'
import { type AppOptions, type ServerApp, serverApp } from './app.ts'
import { Chat } from './chat.ts'
import { eventBodies, type Message, schemas } from './contract.ts'
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
    app.request(`http://localhost:3284${path}`, {
      ...init,
      headers: { host: 'localhost:3284', ...(init.headers ?? bearer) },
    })
  return { ...made, app, ask }
}

/** On a real port, for what is written past Hono. */
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
    startAgent: async () => undefined,
    handoverTargets: () => [{ agent: 'other', title: 'Other' }],
    allowedHosts: ['localhost', '127.0.0.1'],
    allowedOrigins: ['http://localhost:3000'],
    token: TOKEN,
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

test('all messages are sent with their length and CORS headers, every time', async () => {
  const { origin, chat, write } = await listening()
  const ask = async (): Promise<unknown[]> => {
    const answer = await fetch(`${origin}/messages?full=true`, {
      headers: { ...bearer, origin: 'http://localhost:3000' },
    })
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

test('every answer and every event obeys the contract, and nothing in it is undocumented', async () => {
  const { origin, chat } = await listening()
  const replica = { state: 'behind', behind_since: '2026-11-16T00:00:00.000Z', reason: 'the bucket is full' } as const
  chat.replica = replica
  chat.addError('a warning', 'warning')
  const get = async (path: string, init?: RequestInit): Promise<unknown> =>
    (await fetch(origin + path, { headers: bearer, ...init })).json()
  expect(schemas.StatusResponseBody.parse(await get('/status')).replica).toEqual(replica)
  schemas.MessagesResponseBody.parse(await get('/messages'))
  schemas.MessagesResponseBody.parse(await get('/messages?limit=1'))
  schemas.FullMessage.array().parse(schemas.MessagesResponseBody.parse(await get('/messages?full=true')).messages)
  schemas.FullMessage.parse(await get('/messages/1'))
  schemas.SessionsResponseBody.parse(await get('/sessions'))
  schemas.SearchMatch.array()
    .nonempty()
    .parse(await get('/search?q=answer'))
  schemas.ErrorModel.parse(await get('/messages/99'))
  schemas.ErrorModel.parse(await get('/message', { ...message('x'), body: '{"content":3,"more":1}' }))
  const reader = (await fetch(`${origin}/events?full=true`, { headers: bearer }))
    .body!.pipeThrough(new TextDecoderStream())
    .getReader()
  let text = ''
  while (!text.includes('agent_error')) text += (await reader.read()).value
  await reader.cancel()
  const events = [...text.matchAll(/^event: (\w+)\ndata: (.*)$/gm)]
  for (const [, name, data] of events) schemas[eventBodies[name as 'agent_error']].parse(JSON.parse(data!))
  const names = ['message_update', 'status_change', 'agent_error', 'replica_change']
  expect(new Set(events.map(([, name]) => name))).toEqual(new Set(names))
  const { paths } = (await get('/openapi.json')) as { paths: object }
  const routes = serverApp(optionsOf(await madeTalk(), {})).app.routes
  const unpublished = ['/openapi.json', '/docs', '/internal/screen', '/', '/chat', '/*', '/chat/*', '/chat/embed/']
  const documented = [...Object.keys(paths).map((path) => path.replace('{id}', ':id')), ...unpublished]
  expect(routes.map(({ path }) => path).filter((path) => !documented.includes(path))).toEqual([])
})

test('a stream is a body that ends with its connection, also for HTTP 1.0', async () => {
  const { origin } = await listening()
  const { port } = new URL(origin)
  for (const version of ['1.0', '1.1']) {
    const socket = connect(Number(port), '127.0.0.1')
    onTestFinished(() => void socket.destroy())
    socket.write(`GET /events HTTP/${version}\r\nHost: localhost\r\nAuthorization: Bearer ${TOKEN}\r\n\r\n`)
    let text = ''
    socket.setEncoding('utf8').on('data', (piece: string) => (text += piece))
    await until(() => expect(text).toContain('event: status_change'))
    expect(text).toMatch(/^HTTP\/1.1 200 OK\r\n/)
    expect(text.toLowerCase()).toContain('\r\nconnection: close\r\n')
    expect(text.toLowerCase()).not.toContain('transfer-encoding')
    expect(text.split('\r\n\r\n')[1]).toMatch(/^event: message_update\ndata: \{/)
  }
})

test('a body of POST /message is accepted exactly if the contract allows it', async () => {
  const { ask } = await served()
  const field = fc.oneof(fc.constantFrom('user', 'raw', 'other'), fc.jsonValue())
  const record = fc.record({ content: field, type: field, more: field }, { requiredKeys: [] })
  await fc.assert(
    fc.asyncProperty(fc.oneof(record, fc.jsonValue()), async (body) => {
      const { status } = await ask('/message', { ...message(''), body: JSON.stringify(body) })
      // 500: it is valid, but no agent is running.
      expect(status).toBe(schemas.MessageRequestBody.safeParse(body).success ? 500 : 422)
    }),
  )
})

test('without a background agent the status says so, and a message is refused', async () => {
  const { ask } = await served()
  expect(await (await ask('/status')).json()).toMatchObject({ status: 'stable', agent: 'made', version: '1.2.3' })
  const answer = await ask('/message', message('hello'))
  expect(answer.status).toBe(500)
  expect(answer.headers.get('content-type')).toBe('application/problem+json')
})

describe('POST /answer', () => {
  const QUESTION = ['Do you want to proceed?', 'rm -rf build', ['Yes', 'No']] as const
  const call = { type: 'tool_use', id: 'c1', name: 'Bash', input: { command: 'rm -rf build' } } as const
  const result = { type: 'tool_result', tool_use_id: 'c1', content: 'gone', is_error: false } as const
  const answer = (question: string, choice: string, by?: unknown): RequestInit => ({
    ...message(''),
    body: JSON.stringify({ question, choice, by }),
  })
  const last = async (ask: Served['ask']): Promise<Message> => {
    const { messages } = schemas.MessagesResponseBody.parse(await (await ask('/messages?full=true')).json())
    return schemas.FullMessage.parse(messages.at(-1))
  }
  /** `[who, choice]` of each answer in the last message. */
  const answersIn = ({ parts }: Message): unknown[] =>
    parts.flatMap((part) => (part.type === 'note' && part.answer ? [[part.answer.by, part.answer.choice]] : []))

  test('is in the history with who answered, at its place, for every reader and after a restart; the text stays', async () => {
    // The call is at 14:00:02, its result at 14:00:03.
    const at = '2026-03-12T14:00:02.500Z'
    const made = await madeChat({ type: 'user', content: 'clean' }, call)
    const { chat, task, io } = made
    const options = optionsOf(made, { io: { ...io, now: () => new Date(at) } })
    const { port, close } = await listen('127.0.0.1', 0, false, (port) => serverApp({ ...options, port }))
    onTestFinished(close)
    const ask: Served['ask'] = (path, init) => fetch(`http://127.0.0.1:${port}${path}`, { headers: bearer, ...init })
    const other = new Chat(chat.agent, task, io)
    onTestFinished(() => other.close())
    await other.begin()
    const stream = readEvents(`http://127.0.0.1:${port}/events?full=true`)

    made.showQuestion(...QUESTION)
    const { content } = await last(ask)
    expect(await (await ask('/answer', answer(chat.status.waiting_for!.id, '2', 'mona'))).json()).toEqual({ ok: true })
    const note = {
      type: 'note',
      subtype: 'answered',
      text: 'No · asked: Do you want to proceed? · answered by mona',
      answer: {
        question: 'Do you want to proceed?',
        details: 'rm -rf build',
        choice: 'No',
        by: 'mona',
        time: at,
      },
    }
    await until(async () => expect((await last(ask)).parts).toEqual([expect.objectContaining({ id: 'c1' }), note]))
    expect((await last(ask)).content).toBe(content)
    await until(() => expect(stream.text).toContain(JSON.stringify(note)))
    await until(() => expect(other.messages).toEqual(chat.messages))

    await made.write({ type: 'user', content: 'clean' }, call, result)
    const restarted = new Chat(chat.agent, task, io)
    onTestFinished(() => restarted.close())
    await restarted.begin()
    expect(restarted.messages).toEqual(chat.messages)
    const kinds = chat.messages.at(-1)!.parts.map(({ type }) => type)
    expect(kinds).toEqual(['tool_use', 'note', 'tool_result'])
    expect(((await (await ask('/search?q=mona')).json()) as { id: number }[]).map(({ id }) => id)).toEqual([1])
    schemas.FullMessage.parse(await (await ask('/messages/1')).json())
  })

  test('names whoever the client says, in one short line; otherwise how it came', async () => {
    const { ask, chat, showQuestion } = await served()
    const names: [given: unknown, recorded: string][] = [
      [undefined, 'HTTP'],
      ['', 'HTTP'],
      [' \n\t', 'HTTP'],
      ['page', 'page'],
      ['Mona\n  Lisa\x1b[31m!', 'Mona Lisa!'],
      ['😀'.repeat(100), '😀'.repeat(80)],
    ]
    for (const [given] of names) {
      showQuestion(...QUESTION)
      expect((await ask('/answer', answer(chat.status.waiting_for!.id, '1', given))).status).toBe(200)
    }
    await until(() => expect(answersIn(chat.messages.at(-1)!)).toEqual(names.map(([, by]) => [by, 'Yes'])))
    showQuestion(...QUESTION)
    expect((await ask('/answer', answer(chat.status.waiting_for!.id, '1', 3))).status).toBe(422)
  })

  test('records nothing that the agent has not taken; of two at once one is refused', async () => {
    const { ask, chat, task, showQuestion } = await served()
    const chosen: string[] = []
    showQuestion(...QUESTION, (choice) => chosen.push(choice))
    const { id } = chat.status.waiting_for!
    expect((await ask('/answer', answer('another', '1'))).status).toBe(409)
    expect((await ask('/answer', answer(id, '3'))).status).toBe(422)
    const both = await Promise.all([ask('/answer', answer(id, '2', 'ann')), ask('/answer', answer(id, '1', 'bob'))])
    expect(both.map(({ status }) => status)).toEqual([200, 409])
    expect((await ask('/answer', answer(id, '1'))).status).toBe(409)
    expect(chosen).toEqual(['No'])
    expect(parseAnswers(readFileSync(answersFile(task.folder), 'utf8')).map(({ by }) => by)).toEqual(['ann'])
  })

  test('is given even if it cannot be recorded, which is then reported', async () => {
    const { ask, chat, task, showQuestion } = await served()
    mkdirSync(answersFile(task.folder))
    showQuestion(...QUESTION)
    expect((await ask('/answer', answer(chat.status.waiting_for!.id, '1'))).status).toBe(200)
    const errors = chat.events.current(undefined).rest.map((event) => event.serialize(0, 'full'))
    expect(errors.join('')).toContain('the answer was given, but could not be recorded: EISDIR')
  })
})

/** Reads a stream until the test ends. */
function readEvents(url: string): { readonly text: string } {
  const read = { text: '' }
  const asked = request(url, { headers: bearer, agent: false }, (response) => {
    response.setEncoding('utf8').on('data', (piece: string) => (read.text += piece))
    response.on('error', () => {})
  })
  asked.on('error', () => {}).end()
  onTestFinished(() => void asked.destroy())
  return read
}

test('only clients with the token may write, from this page or an allowed origin', async () => {
  const { ask } = await served()
  const code = async (headers: Record<string, string>): Promise<number> =>
    (await ask('/message', message('', headers))).status
  const cookie = { cookie: `ion_token_3284=${TOKEN}` }
  // 500: it passed all guards, and there is no agent.
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

test('only allowed Host names are answered', async () => {
  const { ask } = await served({ allowedHosts: ['localhost', '[::1]', 'work.example'] })
  const code = async (host: string): Promise<number> => (await ask('/status', { headers: { ...bearer, host } })).status
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
  expect((await any.ask('/status', { headers: { ...bearer, host: 'whatever' } })).status).toBe(200)
})

test('reading needs the token too; opening the printed address sets it, and the page itself holds nothing', async () => {
  const { ask } = await served()
  const anonymous = (path: string): Promise<Response> => ask(path, { headers: {} })
  const paths = ['/status', '/messages', '/messages/0', '/events', '/internal/screen', '/search?q=one', '/sessions']
  for (const path of [...paths, '/share', '/export', '/openapi.json', '/docs', '/embed/x', '/messages/embed']) {
    expect([path, (await anonymous(path)).status]).toEqual([path, 401])
  }
  for (const path of ['/chat/embed', '/', '/chat']) expect((await anonymous(path)).status).not.toBe(401)
  expect((await ask('/status', { headers: bearer })).status).toBe(200)
  const opened = await anonymous(`/chat/embed?token=${TOKEN}&x=1`)
  expect([opened.status, opened.headers.get('location')]).toEqual([302, '/chat/embed?x=1'])
  expect(opened.headers.get('set-cookie')).toBe(`ion_token_3284=${TOKEN}; Path=/; HttpOnly; SameSite=Strict`)
  expect((await anonymous('/chat/embed?token=wrong')).status).toBe(401)
  expect((await anonymous(`/status?token=${TOKEN}`)).status).toBe(401)
  const root = await served({ chatBasePath: '' })
  expect((await root.ask(`/embed?token=${TOKEN}`, { headers: {} })).status).toBe(302)
  const shadowed = await served({ chatBasePath: '/messages' })
  expect((await shadowed.ask('/messages', { headers: {} })).status).toBe(401)
})

test("Coder's Go client reads every event: lines below 128 KiB, and no event that it does not know", async () => {
  const made = await listening()
  const { write, origin } = made
  const client = goClient(`${origin}/events`)
  const long = `${'é😀\u0001"'.repeat(40_000)} the answer`
  const calls = Array.from({ length: 300 }, (_, n) => ({
    type: 'tool_use' as const,
    name: 'Read',
    input: { file_path: `src/file-${n}.ts`, text: 'x'.repeat(4000) },
  }))
  await write({ type: 'user', content: 'a' }, ...calls, { type: 'assistant', content: [{ type: 'text', text: long }] })
  const last = async (text: string): Promise<Record<string, unknown>> => {
    await until(() => expect(client.events.findLast(({ name }) => name === 'message_update')!.data).toContain(text))
    return JSON.parse(client.events.findLast(({ name }) => name === 'message_update')!.data)
  }
  const update = await last('the answer')
  expect(Object.keys(update).sort()).toEqual(['done', 'id', 'message', 'role', 'time'])
  expect(update.message).toMatch(
    /^● Read\(src\/file-0.ts\)\n● Read\(src\/file-1.ts\)\n.*shortened: GET \/messages\/\d+/s,
  )
  const whole = (await (await fetch(`${origin}/messages/${update.id}`, { headers: bearer })).json()) as Message
  expect(whole.content.endsWith(long)).toBe(true)
  made.chat.addError('a warning', 'warning')
  // The session is rewound: messages disappear.
  await write({ type: 'user', content: 'b' })
  await last('"b"')
  expect(client.error).toBe(undefined)
  expect(new Set(client.events.map(({ name }) => name))).toEqual(new Set(['message_update', 'status_change']))
})

/** Reads as Coder's SDK does: a line of 128 KiB or any event but these two is an error, and ends it. */
function goClient(url: string): {
  readonly events: { readonly name: string; readonly data: string }[]
  readonly error: string | undefined
} {
  const client = { events: [] as { name: string; data: string }[], error: undefined as string | undefined }
  let rest = Buffer.alloc(0)
  let name = ''
  const asked = request(url, { headers: bearer, agent: false }, (response) => {
    response.on('data', (piece: Buffer) => {
      rest = Buffer.concat([rest, piece])
      for (let end = rest.indexOf('\n'); end >= 0; end = rest.indexOf('\n')) {
        if (end >= 128 * 1024) client.error = 'bufio.Scanner: token too long'
        const line = rest.subarray(0, end).toString()
        rest = rest.subarray(end + 1)
        if (line.startsWith('event: ')) name = line.slice('event: '.length)
        if (!line.startsWith('data: ')) continue
        if (!['message_update', 'status_change'].includes(name)) client.error = `unknown event ${name}`
        client.events.push({ name, data: line.slice('data: '.length) })
      }
      if (client.error !== undefined) asked.destroy()
    })
    response.on('error', () => {})
  })
  asked.on('error', () => {}).end()
  onTestFinished(() => void asked.destroy())
  return client
}

test('only files of the page are served, under a strict policy', async () => {
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
  const escapes = [
    '../outside.txt',
    '%2e%2e/outside.txt',
    '..%2foutside.txt',
    '%2e%2e%2foutside.txt',
    '..%5coutside.txt',
  ]
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
  for (const path of [...escapes, ...others]) {
    const answer = await ask(`/chat/${path}`)
    expect([path, answer.status, await answer.text()]).toEqual([path, 404, '404 page not found\n'])
  }
})

test('a build without the page says so', async () => {
  const { ask } = await served()
  expect(await (await ask('/chat/embed')).text()).toContain('No chat page')
  expect((await ask('/')).headers.get('location')).toBe('/chat/embed')
  expect((await ask('/chat/embed/')).headers.get('location')).toBe('../embed')
  const proxied = await served({ chatBasePath: '/apps/ion/chat' })
  for (const path of ['/apps/ion/chat/embed', '/chat/embed']) {
    expect(await (await proxied.ask(path)).text()).toContain('No chat page')
  }
  expect((await proxied.ask('/')).headers.get('location')).toBe('/apps/ion/chat/embed')
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

test('any name becomes a safe file name', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (name) => {
      expect(safeName(name)).toMatch(/^[\p{L}\p{N}_ -][\p{L}\p{N}._ -]{0,49}$/u)
    }),
  )
})

test('whatever is posted, the answer is an error that says why', async () => {
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

test('an internal error is a 500, and the server keeps answering', async () => {
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
