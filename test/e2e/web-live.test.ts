import { existsSync, readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import type { SessionPage } from '../../src/server/browse/contract.ts'
import { runningWeb, webLog } from '../../src/server/browse/registry.ts'
import type { Status } from '../../src/server/contract.ts'
import { until } from '../support/wait-until.ts'
import { ioOf } from './fake-agent.ts'
import { machine, runIon } from './run-ion.ts'
import { serveWorld } from './serve-world.ts'
import { webServer } from './web-world.ts'

test('a task that Ion runs in the background is live in the list, and its chat is that of ion serve', async () => {
  const { where, ion } = serveWorld()
  expect((await ion('run', 'claude', '--detach', 'fix it')).code).toBe(0)
  const { json, post, get, index } = await webServer(ioOf(where))
  const task = await until(async () => {
    await index.refresh()
    const { sessions } = await json<SessionPage>('/api/sessions')
    expect(sessions[0]?.live?.task).toMatch(/\S/)
    return sessions[0]!.live!.task!
  })
  const status = await json<Status>(`/live/${task}/status`)
  expect(status).toMatchObject({ agent: 'claude', task: 'main', exited: null })
  await until(async () => expect(await json(`/live/${task}/status`)).toMatchObject({ status: 'stable' }))
  expect((await post(`/live/${task}/message`, { content: 'hello there', type: 'user' })).status).toBe(200)
  await until(async () => expect(await (await get(`/live/${task}/messages`)).text()).toContain('hello there'))
  // Without the cookie a chat is as closed as everything else.
  expect((await get(`/live/${task}/messages`, {})).status).toBe(401)
})

test('asking for ion web writes nothing', async () => {
  const where = machine()
  expect((await runIon(where, ['web', '--stop'])).out).toBe('ion web is not running\n')
  expect((await runIon(where, ['ps'])).err).toBe('no task is running\n')
  expect(existsSync(join(where.ionHome, 'web'))).toBe(false)
})

test('a port that is taken is refused also in the background, and the log says so', async () => {
  const where = machine()
  const taken = createServer()
  await new Promise<void>((resolve) => taken.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void taken.close())
  const { port } = taken.address() as AddressInfo
  const { code, out, err } = await runIon(where, ['web', '--detach', '--port', String(port), '--no-open'])
  expect([code, out, err]).toEqual([1, '', expect.stringContaining(String(port))])
  expect(readFileSync(webLog(ioOf(where)), 'utf8')).toContain(String(port))
  expect(runningWeb(ioOf(where))).toBeUndefined()
})

test('ion web --detach answers, gives a new link to a second start, opens a session, and is stopped', async () => {
  const where = machine('claude/fixtures/2.1.325')
  const ion = (...args: string[]) => runIon(where, args)
  onTestFinished(async () => void (await ion('web', '--stop')))
  const first = await ion('web', '--detach', '--port', '0', '--no-open')
  expect(first).toMatchObject({
    code: 0,
    out: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/\?token=[\w-]{32}\n$/),
  })
  const [link, again] = [first.out.trim(), (await ion('web', '--no-open')).out.trim()]
  expect(again).not.toBe(link)
  for (const one of [link, again]) expect((await fetch(one, { redirect: 'manual' })).status).toBe(302)
  expect((await fetch(link, { redirect: 'manual' })).status).toBe(401)
  const elsewhere = await ion('web', '--no-open', '--port', '1')
  expect(elsewhere.err).toMatch(
    /^ion: it was started on port \d+; to change that: ion web --stop, then this command again$/m,
  )
  const [row] = (await ion('sessions', '--all', '--json', '--limit', '1')).out.split('\n')
  const { id } = JSON.parse(row!) as { id: string }
  const opened = await ion('open', id.slice(0, 12), '--print')
  expect(opened.out.trim()).toMatch(new RegExp(`^http://127\\.0\\.0\\.1:\\d+/s/${id}\\?token=`))
  const { url } = runningWeb(ioOf(where))!
  const note = `no task is running\nion web is running at ${url}; ion web --stop ends it\n`
  expect(await ion('ps')).toMatchObject({ code: 0, out: '', err: note })
  expect(await ion('ps', '--json')).toMatchObject({ code: 0, out: '', err: '' })
  expect((await ion('web', '--stop')).out).toBe(`stopped ${url}\n`)
  expect(runningWeb(ioOf(where))).toBeUndefined()
  const log = readFileSync(webLog(ioOf(where)), 'utf8')
    .trimEnd()
    .split('\n')
  expect(log.map((line) => line.replace(/^\S+ /, ''))).toEqual([`listening at ${url}`, 'stopped by SIGTERM'])
  expect((await ion('web', '--stop')).out).toBe('ion web is not running\n')
  expect((await ion('ps')).err).toBe('no task is running\n')
})
