// @module-tag deep
import { readFileSync } from 'node:fs'
import { request } from 'node:http'
import { connect, type Socket } from 'node:net'
import { sep } from 'node:path'
import fc from 'fast-check'
import { expect, onTestFinished, test, vi } from 'vitest'
import { knownServers } from '../../src/server/registry.ts'
import { until } from '../support/wait-until.ts'
import { ioOf } from './fake-agent.ts'
import { readEvents } from './serve-events.ts'
import { type Server, type ServeWorld, serveWorld } from './serve-world.ts'

// Each attack is on the built program, which must answer as before afterwards.
vi.setConfig({ testTimeout: 180_000 })

async function isUp(server: Server): Promise<void> {
  const answer = await server.get('/status')
  expect([answer.status, ((await answer.json()) as { agent: string }).agent]).toEqual([200, 'claude'])
}

/** Of the server's process, in MB. */
function memory({ where }: ServeWorld): number {
  const [entry] = knownServers(ioOf(where))
  return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${entry!.pid}/status`, 'utf8'))?.[1] ?? 0) / 1024
}

/** Sends raw bytes and returns everything that comes back until it is closed or quiet. */
function rawly(server: Server, bytes: string | Buffer, quietMs = 300): Promise<string> {
  const { port } = new URL(server.url)
  return new Promise((resolve) => {
    let answer = ''
    const socket = connect(Number(port), '127.0.0.1', () => socket.write(bytes))
    socket.setTimeout(quietMs, () => socket.destroy())
    socket.on('data', (data) => (answer += data.toString('latin1')))
    socket.on('error', () => {}).on('close', () => resolve(answer))
  })
}

test('DNS rebinding: under another host name nothing is read, streamed or written', async () => {
  const { serve } = serveWorld()
  const server = await serve('fix it')
  const paths = [
    '/status',
    '/messages',
    '/events',
    '/internal/screen',
    '/share',
    '/export',
    '/chat/embed',
    '/',
    '/docs',
  ]
  for (const path of paths) {
    const answer = await rawly(
      server,
      `GET ${path} HTTP/1.1\r\nHost: evil.example:80\r\nConnection: close\r\n\r\n`,
      5000,
    )
    expect([path, answer.slice(0, 12)]).toEqual([path, 'HTTP/1.1 400'])
    expect(answer).not.toContain('fix it')
  }
  const named = 'GET http://localhost/messages HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\n\r\n'
  expect((await rawly(server, named, 5000)).slice(0, 12)).toBe('HTTP/1.1 400')
  const twice = 'GET /messages HTTP/1.1\r\nHost: localhost\r\nHost: evil.example\r\nConnection: close\r\n\r\n'
  expect(await rawly(server, twice, 5000)).not.toContain('fix it')
  expect(await rawly(server, 'GET /messages HTTP/1.0\r\n\r\n', 5000)).not.toContain('fix it')
  await isUp(server)
})

test('a page of another site can neither write nor read', async () => {
  const { serve } = serveWorld()
  const server = await serve('fix it')
  await server.stable()
  const opened = await server.get(`/chat/embed?token=${server.token}`)
  const cookie = opened.headers.get('set-cookie')!.split(';')[0]!
  const simple = { 'content-type': 'text/plain', authorization: '', cookie }
  const body = JSON.stringify({ content: 'exit 9', type: 'user' })
  const evil = { origin: 'http://evil.example', 'sec-fetch-site': 'cross-site' }
  expect((await server.post('/message', body, { ...simple, ...evil })).status).toBe(403)
  expect((await server.post('/message', body, { ...simple, origin: 'null' })).status).toBe(403)
  expect((await server.post('/message', body, { ...simple, cookie: '' })).status).toBe(401)
  expect((await server.post('/interrupt', undefined, { authorization: '', ...evil })).status).toBe(403)
  const read = await server.get('/messages', { origin: 'http://evil.example' })
  expect(read.headers.get('access-control-allow-origin')).toBe(null)
  await isUp(server)
  expect(await server.status()).toMatchObject({ exited: null })
})

test('a message cannot press keys: escape sequences are not keys, and it stays one message', async () => {
  const { serve } = serveWorld()
  const server = await serve('fix it')
  const answer = await server.say('a\x1b[201~\rexit 9\r\x03\x1bb')
  expect(answer.status).toBe(200)
  await until(async () => expect((await server.messages()).at(-2)).toMatchObject({ content: 'a[201~\nexit 9\nb' }))
  expect(await server.status()).toMatchObject({ exited: null })
})

test('upload names cannot leave their folder', async () => {
  const { serve, folder } = serveWorld()
  const server = await serve()
  for (const name of ['../../../../evil.sh', '/etc/cron.d/evil', '..\\..\\evil.bat', '%2e%2e%2fevil', 'a/../../b']) {
    const head = `--b\r\nContent-Disposition: form-data; name="file"; filename="${name}"\r\n\r\nhi\r\n--b--\r\n`
    const answer = await server.post('/upload', head, { 'content-type': 'multipart/form-data; boundary=b' })
    const { filePath } = (await answer.json()) as { filePath: string }
    expect(filePath.startsWith(`${folder}${sep}uploads${sep}`)).toBe(true)
    expect(filePath).not.toContain('..')
  }
  for (const path of [
    '/chat/../../../etc/passwd',
    '/chat/%2e%2e/%2e%2e/etc/passwd',
    '/chat/..%2f..%2fion.cjs',
    '/chat//etc/passwd',
  ]) {
    const head = `Host: localhost\r\nAuthorization: Bearer ${server.token}\r\nConnection: close`
    const answer = await rawly(server, `GET ${path} HTTP/1.1\r\n${head}\r\n\r\n`, 5000)
    expect([path, answer.slice(0, 12)]).toEqual([path, 'HTTP/1.1 404'])
  }
  await isUp(server)
})

test('a body of a gigabyte is refused without being read, with and without a declared length', async () => {
  const world = serveWorld()
  const server = await world.serve()
  await isUp(server)
  const before = memory(world)
  for (const path of ['/message', '/upload']) {
    for (const length of [{ 'content-length': '1000000000' }, { 'transfer-encoding': 'chunked' }]) {
      const type = path === '/upload' ? 'multipart/form-data; boundary=b' : 'application/json'
      const headers = { authorization: `Bearer ${server.token}`, 'content-type': type, ...length }
      const { status, sent } = await flood(`${server.url}${path}`, headers)
      // 0: it closed before the answer could be read, since we kept sending.
      expect([0, 400, 413]).toContain(status)
      expect(sent).toBeLessThan(200e6)
    }
  }
  await isUp(server)
  expect(memory(world) - before).toBeLessThan(150)
})

/** Sends until the other side answers or closes. */
function flood(url: string, headers: Record<string, string>): Promise<{ status: number; sent: number }> {
  const chunk = Buffer.alloc(1_000_000, 'a')
  return new Promise((resolve) => {
    let [sent, status] = [0, 0]
    const asked = request(url, { method: 'POST', headers, agent: false }, (response) => {
      status = response.statusCode!
      response.resume().on('close', () => resolve({ status, sent }))
      setTimeout(() => asked.destroy(), 2000)
    })
    const send = (): void => {
      while (status === 0 && sent < 1e9 && !asked.destroyed) {
        sent += chunk.length
        if (!asked.write(chunk)) return void asked.once('drain', send)
      }
    }
    asked.on('error', () => resolve({ status, sent }))
    send()
  })
}

/** As many as requested, or as many sockets as this system allows a process. */
function readersHere(wanted: number): number {
  const limits = readFileSync('/proc/self/limits', 'utf8')
  const most = Number(/Max open files\s+\d+\s+(\d+)/.exec(limits)?.[1] ?? wanted + 500)
  if (most < wanted + 500) console.warn(`only ${most} open files here: fewer readers`)
  return Math.min(wanted, most - 500)
}

test('2,000 readers at once: all get the events, other requests are answered, and nothing is left behind', async () => {
  const world = serveWorld()
  const server = await world.serve('fix it')
  await server.stable()
  const { port } = new URL(server.url)
  const reported = new Map<Socket, string>()
  onTestFinished(() => {
    for (const socket of reported.keys()) socket.destroy()
  })
  const count = readersHere(2000)
  for (let n = 0; n < count; n++) {
    const socket = connect(Number(port), '127.0.0.1')
    reported.set(socket, '')
    socket
      .on('error', () => {})
      .on('data', (data) => reported.set(socket, reported.get(socket) + data.toString('latin1')))
    socket.write(`GET /events HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${server.token}\r\n\r\n`)
    if (n % 200 === 199) await isUp(server)
  }
  const having = (text: string): number => [...reported.values()].filter((one) => one.includes(text)).length
  await until(() => expect(having('event: status_change')).toBe(count))
  await server.say('for all of you')
  await until(() => expect(having('done: for all of you')).toBe(count))
  await isUp(server)
  expect(memory(world)).toBeLessThan(500)
  for (const socket of reported.keys()) socket.destroy()
  await isUp(server)
})

test('readers that do not read cost nothing and block nobody', async () => {
  const world = serveWorld()
  const server = await world.serve('fix it')
  await server.stable()
  const { port } = new URL(server.url)
  const slow = Array.from({ length: 50 }, () => connect(Number(port), '127.0.0.1'))
  onTestFinished(() => {
    for (const socket of slow) socket.destroy()
  })
  for (const socket of slow) {
    socket.on('error', () => {}).pause()
    socket.write(`GET /events HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${server.token}\r\n\r\n`)
  }
  const quick = readEvents(`${server.url}/events`, server.auth)
  await until(() => expect(quick.events.length).toBeGreaterThan(0))
  const before = memory(world)
  await server.say('many 3000')
  await until(() => expect(quick.events.filter(({ data }) => data.message === 'answer 2998').length).toBeGreaterThan(0))
  await server.say('tool 100000')
  await until(() =>
    expect(quick.events.some(({ data }) => String(data.message).endsWith('done with the tool'))).toBe(true),
  )
  await isUp(server)
  // 50 times everything would be more than 50 MB in buffers alone.
  expect(memory(world) - before).toBeLessThan(120)
})

test('garbage on the wire, and arbitrary JSON in a body', async () => {
  const { serve } = serveWorld()
  const server = await serve('fix it')
  await server.stable()
  await fc.assert(
    fc.asyncProperty(fc.uint8Array({ minLength: 1, maxLength: 400 }), async (bytes) => {
      await rawly(server, Buffer.from(bytes), 30)
    }),
    { numRuns: 40 },
  )
  await isUp(server)
  await fc.assert(
    fc.asyncProperty(fc.oneof(fc.json(), fc.string(), fc.constant('{"content":"x","type":"user"')), async (body) => {
      const answer = await server.post('/message', body)
      expect([400, 422]).toContain(answer.status)
      expect(answer.headers.get('content-type')).toBe('application/problem+json')
    }),
    { numRuns: 100 },
  )
  await isUp(server)
  expect(await server.messages()).toHaveLength(2)
})
