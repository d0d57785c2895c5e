// @module-tag deep
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { request } from 'node:http'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { beforeAll, expect, onTestFinished, test, vi } from 'vitest'
import { scratchFolder } from '../support/scratch.ts'
import { until } from '../support/wait-until.ts'
import { findAgentapi } from './agentapi-program.ts'
import { runIon } from './run-ion.ts'
import { readEvents } from './serve-events.ts'
import { type ServeWorld, serverAt, serveWorld, tokenOf } from './serve-world.ts'

// The real agentapi and ion serve with the same agent behind both must give the same answers.
vi.setConfig({ testTimeout: 120_000, hookTimeout: 200_000 })

const INSTALL_MS = 180_000
let agentapi: string | undefined

beforeAll(async () => {
  const installed = await findAgentapi(INSTALL_MS)
  if ('program' in installed) agentapi = installed.program
  else console.warn(`skipped: no agentapi (${installed.unavailable})`)
})

interface Answer {
  readonly status: number
  readonly type: string
  readonly headers: Readonly<Record<string, unknown>>
  readonly text: string
}

interface Asked {
  readonly method?: string
  readonly path: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string | Buffer
}

/**
 * A server that refuses a large body may close the connection while the rest is still being sent, and the answer is lost
 * with it on a busy machine: such a request is sent again.
 */
async function ask(origin: string, asked: Asked, token?: string): Promise<Answer> {
  for (let tries = 1; ; tries++) {
    try {
      return await askOnce(origin, asked, token)
    } catch (error) {
      const isCutOff = ['EPIPE', 'ECONNRESET'].includes((error as NodeJS.ErrnoException).code ?? '')
      if (!isCutOff || tries === 10) throw error
    }
  }
}

/** Not by fetch, which does not let the caller choose the Host header. */
function askOnce(origin: string, { method = 'GET', path, headers = {}, body }: Asked, token?: string): Promise<Answer> {
  const bearer = token === undefined ? {} : { authorization: `Bearer ${token}` }
  return new Promise((resolve, reject) => {
    const asked = request(
      `${origin}${path}`,
      { method, headers: { ...bearer, ...headers }, agent: false },
      (response) => {
        let text = ''
        response.setEncoding('utf8').on('data', (piece: string) => (text += piece))
        response.on('end', () => {
          const type = (response.headers['content-type'] ?? '').split(';')[0]!
          resolve({ status: response.statusCode!, type, headers: response.headers, text })
        })
      },
    )
    asked.on('error', reject).end(body)
  })
}

interface Both {
  readonly theirs: string
  readonly ours: string
  readonly token: string
  readonly world: ServeWorld
}

async function both(): Promise<Both> {
  const world = serveWorld()
  const theirs = await startAgentapi(world)
  const server = await world.serve()
  await server.stable()
  await until(async () => expect(JSON.parse((await ask(theirs, { path: '/status' })).text).status).toBe('stable'))
  return { theirs, ours: server.url, token: tokenOf(world.folder), world }
}

async function startAgentapi({ where, path }: ServeWorld): Promise<string> {
  const port = await freePort()
  const args = ['server', '--type', 'claude', '--port', String(port), '--', join(where.root, 'bin', 'claude')]
  const env = { PATH: path, HOME: where.home, TMPDIR: where.root }
  const child: ChildProcess = spawn(agentapi!, args, { cwd: where.home, env, stdio: 'ignore' })
  const exit = new Promise((resolve) => child.once('close', resolve))
  onTestFinished(async () => {
    child.kill('SIGTERM')
    const timer = setTimeout(() => child.kill('SIGKILL'), 5000)
    await exit
    clearTimeout(timer)
  })
  return `http://localhost:${port}`
}

function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const address = server.address()
      server.close(() => resolve(typeof address === 'object' && address ? address.port : 0))
    })
  })
}

/** The names and types of its fields, without the schema link that agentapi's framework adds. */
function shapeOf(value: unknown): unknown {
  if (Array.isArray(value)) return value.slice(0, 1).map(shapeOf)
  if (value === null || typeof value !== 'object') return value === null ? 'null' : typeof value
  const fields = Object.entries(value).filter(([name]) => name !== '$schema')
  return Object.fromEntries(fields.map(([name, field]) => [name, shapeOf(field)]))
}

const json = { 'content-type': 'application/json' }
const post = (body: string, headers: Record<string, string> = json): Asked => ({
  method: 'POST',
  path: '/message',
  headers,
  body,
})

function upload(field: string, name: string, size: number): Asked {
  const head = `--b\r\nContent-Disposition: form-data; name="${field}"; filename="${name}"\r\nContent-Type: text/plain\r\n\r\n`
  const body = Buffer.concat([Buffer.from(head), Buffer.alloc(size, 'a'), Buffer.from('\r\n--b--\r\n')])
  return { method: 'POST', path: '/upload', headers: { 'content-type': 'multipart/form-data; boundary=b' }, body }
}

test('every request gets the same status code, content type, field names and types', async ({ skip }) => {
  if (!agentapi) return skip('no agentapi')
  const { theirs, ours, token } = await both()
  const requests: readonly (readonly [string, Asked])[] = [
    ['status', { path: '/status' }],
    ['a message, with blanks around it', post('{"content":" hang ","type":"user"}')],
    ['a message while it works', post('{"content":"hello","type":"user"}')],
    ['messages', { path: '/messages' }],
    ['raw', post('{"content":"x","type":"raw"}')],
    ['the root', { path: '/' }],
    ['documentation', { path: '/docs' }],
    ['a path that is not there', { path: '/nothing' }],
    ['a method that is not there', { method: 'DELETE', path: '/status' }],
    ['only the head', { method: 'HEAD', path: '/status' }],
    ['only the head of a stream', { method: 'HEAD', path: '/events' }],
    ['an upload', upload('file', 'a.txt', 10)],
    ['an empty upload', upload('file', 'a.txt', 0)],
    ['an upload out of its folder', upload('file', '../../a.txt', 10)],
  ]
  for (const [what, asked] of requests) {
    const a = await ask(theirs, asked)
    const b = await ask(ours, asked, token)
    expect({ what, status: b.status, type: b.type, location: b.headers.location }).toEqual({
      what,
      status: a.status,
      type: a.type,
      location: a.headers.location,
    })
    if (a.type.endsWith('json')) {
      expect({ what, shape: shapeOf(JSON.parse(b.text)) }).toMatchObject({ what, shape: shapeOf(JSON.parse(a.text)) })
    }
  }
})

test('every invalid request is refused in the same way', async ({ skip }) => {
  if (!agentapi) return skip('no agentapi')
  const { theirs, ours, token } = await both()
  const bad: readonly (readonly [string, Asked])[] = [
    ['no body', post('')],
    ['no JSON', post('{bad')],
    ['an array', post('[]')],
    ['null', post('null')],
    ['a number', post('3')],
    ['no type', post('{"content":"hi"}')],
    ['no content', post('{"type":"user"}')],
    ['nothing in it', post('{}')],
    ['another type', post('{"content":"hi","type":"bad"}')],
    ['content that is no text', post('{"content":3,"type":"user"}')],
    ['too much in it', post('{"content":"hi","type":"user","more":1}')],
    ['a form', post('content=hi', { 'content-type': 'application/x-www-form-urlencoded' })],
    ['plain text', post('{"content":"hi","type":"raw"}', { 'content-type': 'text/plain' })],
    ['a body of 2 MB', post(`{"type":"raw","content":"${'a'.repeat(2_000_000)}"}`)],
    ['an empty message', post('{"content":"","type":"user"}')],
    ['an upload of another name', upload('other', 'a.txt', 3)],
    ['an upload without a file', { method: 'POST', path: '/upload', headers: json, body: '{}' }],
    ['an upload of 11 MB', upload('file', 'a.txt', 11 * 1024 * 1024)],
  ]
  for (const [what, asked] of bad) {
    const [a, b] = [await ask(theirs, asked), await ask(ours, asked, token)]
    expect({ what, type: b.type, ...problemOf(b.text) }).toEqual({ what, type: a.type, ...problemOf(a.text) })
    expect(b.status).toBe(a.status)
  }
})

/** What a client may rely on: not a parser's message, nor how many errors there are. */
function problemOf(text: string): object {
  const { title, status, detail, errors } = JSON.parse(text)
  const places = ((errors ?? []) as { location?: string }[]).map(({ location }) => location)
  return { title, status, detail, places: [...new Set(places)] }
}

test('hosts and origins are accepted and refused alike', async ({ skip }) => {
  if (!agentapi) return skip('no agentapi')
  const { theirs, ours, token } = await both()
  const origin = 'http://localhost:3000'
  const wish = { 'access-control-request-method': 'POST', 'access-control-request-headers': 'content-type' }
  const requests: readonly Asked[] = [
    { path: '/status', headers: { host: 'evil.example' } },
    { path: '/status', headers: { host: 'localhost.evil.example' } },
    { path: '/status', headers: { host: 'LOCALHOST' } },
    { path: '/status', headers: { host: '[::1]:80' } },
    { path: '/status', headers: { origin } },
    { path: '/status', headers: { origin: 'http://evil.example' } },
    { method: 'OPTIONS', path: '/message', headers: { origin, ...wish } },
    { method: 'OPTIONS', path: '/message', headers: { origin: 'http://evil.example', ...wish } },
  ]
  const names = ['access-control-allow-origin', 'access-control-allow-methods', 'access-control-allow-credentials']
  for (const asked of requests) {
    const [a, b] = [await ask(theirs, asked), await ask(ours, asked, token)]
    const reported = ({ status, headers }: Answer): object => ({
      asked,
      status,
      headers: names.map((name) => headers[name]),
    })
    expect(reported(b)).toEqual(reported(a))
  }
})

test('events have the same names and fields, in the same order at the start', async ({ skip }) => {
  if (!agentapi) return skip('no agentapi')
  const { theirs, ours, token } = await both()
  for (const [origin, key] of [[theirs], [ours, token]] as const) {
    await ask(origin, post('{"content":"hello","type":"user"}'), key)
    await until(async () => {
      expect(JSON.parse((await ask(origin, { path: '/status' }, key)).text).status).toBe('stable')
    })
  }
  const auth = { authorization: `Bearer ${token}` }
  const [a, b] = [readEvents(`${theirs}/events`), readEvents(`${ours}/events`, auth)]
  for (const { events } of [a, b]) await until(() => expect(events.at(-1)?.event).toBe('status_change'))
  const last = (name: string, events: typeof a.events): unknown =>
    shapeOf(events.findLast(({ event }) => event === name)?.data)
  for (const name of ['message_update', 'status_change'])
    expect(last(name, b.events)).toMatchObject(last(name, a.events) as object)
  const order = ({ events }: typeof a): string[] => [...new Set(events.map(({ event }) => event))]
  expect(order(b)).toEqual(order(a))
  const screens = [readEvents(`${theirs}/internal/screen`), readEvents(`${ours}/internal/screen`, auth)]
  for (const { events } of screens) {
    await until(() =>
      expect(events[0]).toMatchObject({ event: 'screen', data: { screen: expect.stringContaining('hello') } }),
    )
  }
})

type Schema = Readonly<Record<string, unknown>>

test('our openapi.json has everything that theirs has', async ({ skip }) => {
  if (!agentapi) return skip('no agentapi')
  const { theirs, ours, token, world } = await both()
  const [a, b] = [await ask(theirs, { path: '/openapi.json' }), await ask(ours, { path: '/openapi.json' }, token)]
  expect(b.type).toBe(a.type)
  expect(missing(b.text, a.text)).toEqual([])
  // And as it is printed, for tools that know only the older form.
  // It creates a folder for uploads even then.
  const env = { ...process.env, TMPDIR: scratchFolder() }
  const printed = spawnSync(agentapi, ['server', '--print-openapi', '--', 'claude'], { encoding: 'utf8', env }).stdout
  const { out } = await runIon(world.where, ['serve', '--print-openapi'])
  expect(missing(out, printed)).toEqual([])
})

function missing(ours: string, theirs: string): string[] {
  const [our, their] = [JSON.parse(ours), JSON.parse(theirs)]
  return ['openapi', 'paths', 'components'].flatMap((part) =>
    missingIn(withoutWords(our[part]), withoutWords(their[part]), part),
  )
}

const words = ['description', 'example', 'examples', 'summary', 'contentEncoding', 'contentMediaType']

/** Descriptions and examples may differ. A property may have such a name, too, and then it is a schema. */
function withoutWords(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutWords)
  if (!isObject(value)) return value
  const fields = Object.entries(value).filter(([name, field]) => !words.includes(name) || isObject(field))
  return Object.fromEntries(
    fields.filter(([name]) => name !== '$schema').map(([name, field]) => [name, withoutWords(field)]),
  )
}

function isObject(value: unknown): value is Schema {
  return value !== null && typeof value === 'object' && !Array.isArray(value)
}

/** The places where something in `theirs` is missing in `ours`. Lists are compared as sets. */
function missingIn(ours: unknown, theirs: unknown, place: string): string[] {
  if (Array.isArray(theirs)) {
    const all = Array.isArray(ours) ? ours : []
    return theirs.flatMap((one, at) => {
      const isThere = all.some((other) => missingIn(other, one, '').length === 0)
      return isThere ? [] : [`${place}[${at}]`]
    })
  }
  if (theirs === null || typeof theirs !== 'object') return ours === theirs ? [] : [place]
  if (ours === null || typeof ours !== 'object') return [place]
  return Object.entries(theirs as Schema).flatMap(([name, field]) =>
    name in ours ? missingIn((ours as Schema)[name], field, `${place}.${name}`) : [`${place}.${name}`],
  )
}

test('we read the state file of agentapi, and agentapi reads ours', async ({ skip }) => {
  if (!agentapi) return skip('no agentapi')
  const world = serveWorld()
  const server = await world.serve('fix it')
  await until(async () => expect(await server.messages()).toHaveLength(2))
  await world.ion('stop', 'claude')
  const file = join(world.folder, 'agentapi-state.json')
  const port = await freePort()
  const args = [
    'server',
    '--type',
    'claude',
    '--port',
    String(port),
    '--state-file',
    file,
    '--',
    join(world.where.root, 'bin', 'claude'),
  ]
  const env = { PATH: world.path, HOME: world.where.home, TMPDIR: world.where.root }
  const child = spawn(agentapi, args, { cwd: world.where.home, env, stdio: 'ignore' })
  const exit = new Promise((resolve) => child.once('close', resolve))
  onTestFinished(async () => {
    child.kill('SIGKILL')
    await exit
  })
  const contents = async (origin: string, token?: string): Promise<string[]> =>
    JSON.parse((await ask(origin, { path: '/messages' }, token)).text).messages.map(
      ({ content }: { content: string }) => content,
    )
  await until(async () =>
    expect((await contents(`http://localhost:${port}`)).slice(0, 2)).toEqual(['fix it', 'done: fix it']),
  )
  child.kill('SIGTERM')
  await exit
  const again = await world.serve()
  await until(async () =>
    expect((await contents(again.url, again.token)).slice(-2)).toEqual(['fix it', 'done: fix it']),
  )
  expect(serverAt(again.url, world.folder).url).toBe(again.url)
})
