import { request } from 'node:http'
import { expect, test } from 'vitest'
import type { SessionPage } from '../../src/server/browse/contract.ts'
import { sampleIo } from '../support/sample-home.ts'
import { treeState } from '../support/scratch.ts'
import { type WebServer, webServer } from './web-world.ts'

/** Unlike `fetch`, sends any header and any path. */
function rawly(
  { port }: WebServer,
  method: string,
  path: string,
  headers: Record<string, string> = {},
  body = '',
): Promise<{ readonly status: number; readonly text: string }> {
  return new Promise((resolve, reject) => {
    const sent = request({ host: '127.0.0.1', port, method, path, headers }, (response) => {
      let text = ''
      response.setEncoding('utf8').on('data', (part: string) => (text += part))
      response.on('end', () => resolve({ status: response.statusCode!, text }))
      response.on('error', reject)
    })
    sent.on('error', reject)
    sent.end(body)
  })
}

const READS = [
  '/api/sessions',
  '/api/filters',
  '/api/agents',
  '/api/doctor',
  '/api/changes',
  '/api/search?q=refund',
  '/api/about',
  '/',
]

test('under another host name nothing is read', async () => {
  const server = await webServer(sampleIo())
  for (const path of READS) {
    const answer = await rawly(server, 'GET', path, { ...server.auth, host: 'evil.example' })
    expect([path, answer.status]).toEqual([path, 400])
  }
})

test('without the cookie nothing is read, and the page says what to type', async () => {
  const server = await webServer(sampleIo())
  for (const path of READS) {
    const answer = await rawly(server, 'GET', path)
    expect([path, answer.status]).toEqual([path, 401])
    expect(answer.text).toContain('ion web')
    expect(answer.text).not.toContain('refund')
  }
  for (const auth of ['Bearer wrong', 'Bearer', `Basic ${server.auth.authorization}`]) {
    expect((await rawly(server, 'GET', '/api/sessions', { authorization: auth })).status).toBe(401)
  }
  expect((await rawly(server, 'POST', '/api/links')).status).toBe(401)
  // A secret in the address of a request would be in logs: only pages take a token, and only a one-time one.
  const { authorization } = server.auth
  expect((await rawly(server, 'GET', `/api/sessions?token=${authorization!.slice(7)}`)).status).toBe(401)
  expect((await rawly(server, 'GET', `/?token=${authorization!.slice(7)}`)).status).toBe(401)
})

test('a link works once, gives a cookie that scripts cannot read, and again only with that cookie', async () => {
  const server = await webServer(sampleIo())
  const token = server.links.issue()
  const first = await server.get(`/s/abc?token=${token}&x=1`, {})
  expect([first.status, first.headers.get('location')]).toEqual([302, '/s/abc?x=1'])
  const cookie = first.headers.get('set-cookie')!
  expect(cookie).toMatch(/; HttpOnly; SameSite=Strict$/)
  const second = await server.get(`/?token=${token}`, {})
  expect([second.status, await second.text()]).toEqual([401, expect.stringContaining('ion web')])
  const known = { cookie: cookie.split(';')[0]! }
  expect((await server.get(`/?token=${token}`, known)).status).toBe(302)
  expect((await server.get('/api/sessions', known)).status).toBe(200)
  const page = await server.get('/', known)
  expect(page.headers.get('content-security-policy')).toContain("default-src 'none'; script-src 'self'")
})

test('a page of another site cannot write', async () => {
  const server = await webServer(sampleIo())
  const { id } = (await server.json<SessionPage>('/api/sessions')).sessions[0]!
  for (const evil of [
    { origin: 'http://evil.example' },
    { origin: 'null' },
    { origin: `http://127.0.0.1:${server.port + 1}` },
    { 'sec-fetch-site': 'cross-site' },
    { 'sec-fetch-site': 'same-site' },
  ]) {
    for (const path of ['marks', 'handover', 'fork', 'resume']) {
      const answer = await server.post(`/api/sessions/${id}/${path}`, { pinned: true }, evil as Record<string, string>)
      expect([path, answer.status]).toEqual([path, 403])
    }
  }
  const own = { origin: server.url, 'sec-fetch-site': 'same-origin' }
  expect((await server.post(`/api/sessions/${id}/marks`, { pinned: true }, own)).status).toBe(200)
})

test('paths lead nowhere: neither files of the page nor ids of sessions', async () => {
  const io = sampleIo()
  const server = await webServer(io)
  const paths = [
    '/assets/../../package.json',
    '/assets/%2e%2e/%2e%2e/package.json',
    '/assets/..%2f..%2fpackage.json',
    '/assets/%00',
    '/assets//etc/passwd',
    '/api/sessions/..%2f..%2f..%2fetc%2fpasswd',
    '/api/sessions/%2fetc%2fpasswd/transcript',
    `/api/sessions/${encodeURIComponent(`${io.home}/.claude`)}/raw`,
    '/api/sessions/%00/prompts',
    `/api/sessions/${'a'.repeat(5000)}`,
    '/live/..%2f..%2fetc/status',
    '/live/nothing/status',
    '/s/../../../etc/passwd',
  ]
  for (const path of paths) {
    const { status, text } = await rawly(server, 'GET', path, server.auth)
    expect([path, status]).toEqual([path, 404])
    expect(text).not.toContain('root:')
  }
})

test('bad cursors, events, limits, bodies and methods are refused, and change nothing', async () => {
  const io = sampleIo()
  const before = treeState(io.home)
  const server = await webServer(io)
  const { id } = (await server.json<SessionPage>('/api/sessions')).sessions[0]!
  const expected: [string, number][] = [
    ['/api/sessions?limit=-1', 400],
    ['/api/sessions?limit=9999999999', 400],
    ['/api/sessions?after=nonsense', 400],
    ['/api/sessions?since=never', 400],
    ['/api/sessions?agent=nobody', 404],
    ['/api/sessions?tag=%20', 400],
    [`/api/sessions/${id}/transcript?before=nothing`, 404],
    [`/api/sessions/${id}/transcript?before=a&after=b`, 400],
    [`/api/sessions/${id}/transcript?around=nothing`, 404],
    [`/api/sessions/${id}/raw?after=%40999999`, 404],
    [`/api/sessions/${id}/changes?turn=x`, 400],
    [`/api/sessions/${id}/export?format=exe`, 400],
    [`/api/sessions/${id}/entries/nothing`, 404],
    ['/api/files', 400],
    ['/api/search', 400],
    ['/api/usage?day=2026-02-31', 400],
    ['/api/usage?day=yesterday', 400],
    ['/api/usage?since=never', 400],
    ['/api/nothing', 404],
  ]
  for (const [path, status] of expected) expect([path, (await server.get(path)).status]).toEqual([path, status])
  for (const method of ['HEAD', 'PUT', 'DELETE', 'PATCH']) {
    const { status } = await rawly(server, method, `/api/sessions/${id}/marks`, server.auth)
    expect([method, status]).toEqual([method, method === 'HEAD' ? 405 : 404])
  }
  const marks = `/api/sessions/${id}/marks`
  for (const body of [
    '[]',
    '1',
    '{',
    '{"pinned":"yes"}',
    '{"__proto__":{"pinned":true}}',
    '{"colour":"red"}',
    '{"name":""}',
  ]) {
    const { status } = await rawly(server, 'POST', marks, server.auth, body)
    expect([body, status]).toEqual([body, 400])
  }
  const huge = await rawly(server, 'POST', marks, server.auth, `{"note":"${'x'.repeat(2e6)}"}`).catch(() => undefined)
  expect(huge?.status ?? 413).toBe(413)
  expect((await server.get('/api/sessions')).status).toBe(200)
  expect(treeState(io.home)).toEqual(before)
})

test('--read-only refuses every change, and still gives links', async () => {
  const io = sampleIo()
  const server = await webServer(io, { readOnly: true })
  const { id } = (await server.json<SessionPage>('/api/sessions')).sessions[0]!
  for (const path of ['marks', 'handover', 'fork', 'resume']) {
    expect((await server.post(`/api/sessions/${id}/${path}`, {})).status).toBe(403)
  }
  expect((await server.post('/live/x/message', {})).status).toBe(403)
  expect((await server.post('/api/links', {})).status).toBe(200)
  expect(await server.json('/api/about')).toMatchObject({ read_only: true, terminal: false })
})
