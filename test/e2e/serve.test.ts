import { existsSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { expect, test, vi } from 'vitest'
import { livingProcess } from '../../src/platform/process.ts'
import { answersFile } from '../../src/server/answers.ts'
import type { Part, Status } from '../../src/server/contract.ts'
import { knownServers } from '../../src/server/registry.ts'
import { until } from '../support/wait-until.ts'
import { ioOf, ledgerOf, promptsOf } from './fake-agent.ts'
import { claude } from './fake-claude.ts'
import { readEvents, type SentEvent } from './serve-events.ts'
import { type Server, serveInForeground, serverAt, serveWorld, tokenOf } from './serve-world.ts'

// Each test starts several programs, and other machines may be several times slower.
vi.setConfig({ testTimeout: 120_000 })

const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT/)

function said(id: number, role: 'user' | 'agent', text: string): object {
  return { id, role, content: text, time, parts: [{ type: 'text', text }], done: true }
}

test('serves in the background; the chat comes from the transcript; a second call prints its address; stop ends both', async () => {
  const { where, ion, serve, folder } = serveWorld()
  const server = await serve('fix the bug')
  await server.stable()
  expect(await server.status()).toEqual({
    status: 'stable',
    replica: null,
    agent_type: 'claude',
    transport: 'pty',
    agent: 'claude',
    task: 'main',
    project: where.home,
    session_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
    title: 'fix the bug',
    waiting_for: null,
    exited: null,
    version: expect.any(String),
  })
  expect(await server.messages()).toEqual([said(0, 'user', 'fix the bug'), said(1, 'agent', 'done: fix the bug')])
  expect(await (await server.say('a second\nwith two lines')).json()).toEqual({ ok: true })
  await until(async () =>
    expect((await server.messages('&after=1')).map(({ content }) => content)).toEqual([
      'a second\nwith two lines',
      'done: a second\nwith two lines',
    ]),
  )
  expect(statSync(join(folder, 'serve-token')).mode & 0o777).toBe(0o600)

  const again = await ion('serve', 'claude', '--detach')
  expect(again).toMatchObject({
    code: 0,
    out: `already serving claude: ${server.url}/chat/embed?token=${server.token}\n`,
    err: '',
  })
  const open = await ion('serve', 'claude', '--detach', '--no-token')
  expect(open).toMatchObject({ code: 0, out: again.out })
  expect(open.err).toContain('started with the token in')
  expect(open.err).toContain('this command changes nothing; to change that: ion stop claude, then this command again')
  expect(await ion('serve', 'claude')).toMatchObject({ code: 4, out: '' })
  expect(JSON.parse((await ion('ps', '--json')).out)).toMatchObject({ task: 'main', url: `${server.url}/chat/embed` })
  expect((await ion('ps')).out).toContain(`${server.url}/chat/embed`)
  const [entry] = knownServers(ioOf(where))
  expect(await ion('stop')).toMatchObject({ code: 0, out: 'stopped claude in ~\n' })
  expect(livingProcess(entry!.pid)).toBeUndefined()
  expect(knownServers(ioOf(where))).toEqual([])
})

test('kill -9 of the server: the agent keeps running, and the next server shows the same chat with the same ids', async () => {
  const { where, serve } = serveWorld()
  const first = await serve('fix the bug')
  await first.say('one more')
  await until(async () => expect(await first.messages()).toHaveLength(4))
  const before = await first.messages()
  const [entry] = knownServers(ioOf(where))
  process.kill(entry!.pid, 'SIGKILL')
  await until(() => expect(livingProcess(entry!.pid)).toBeUndefined())
  const second = await serve('fix the bug')
  expect(await second.messages()).toEqual(before)
  await second.say('after it')
  await until(async () =>
    expect(await second.messages('&after=3')).toEqual([
      said(4, 'user', 'after it'),
      said(5, 'agent', 'done: after it'),
    ]),
  )
  expect(ledgerOf(where, claude).filter(({ type }) => type === 'launched')).toHaveLength(1)
  expect(Object.values(promptsOf(where, claude))).toEqual([['fix the bug', 'one more', 'after it']])
})

test('the agent is stopped and resumed: the complete chat is shown, no prompt is sent, and new messages appear', async () => {
  const { where, ion, serve } = serveWorld()
  const first = await serve('fix the bug')
  await until(async () => expect(await first.messages()).toHaveLength(2))
  await ion('stop', 'claude')
  const second = await serve('fix the bug')
  expect(await second.messages()).toEqual([said(0, 'user', 'fix the bug'), said(1, 'agent', 'done: fix the bug')])
  await second.say('go on')
  await until(async () => expect(await second.messages()).toHaveLength(4))
  expect(Object.values(promptsOf(where, claude))).toEqual([['fix the bug', 'go on']])
})

test('in the foreground: prints its address with the token, writes its pid, stops its agent on SIGTERM', async () => {
  const world = serveWorld()
  const pidFile = join(world.where.root, 'serve.pid')
  const args = [
    '--type',
    'claude',
    '--port',
    '0',
    '--pid-file',
    pidFile,
    '-I',
    'fix it',
    '--',
    'claude',
    '--model',
    'm',
  ]
  const running = serveInForeground(world, args)
  await until(() => expect(running.out()).toContain('serving claude: http://127.0.0.1:'))
  const address = /http:\S+/.exec(running.out())![0]
  expect(address).toContain(`/chat/embed?token=${tokenOf(world.folder)}`)
  expect(readFileSync(pidFile, 'utf8')).toBe(`${running.pid}\n`)
  const server = serverAt(address, world.folder)
  await server.stable()
  expect(await server.messages()).toEqual([said(0, 'user', 'fix it'), said(1, 'agent', 'done: fix it')])
  // As the scripts for agentapi do before they end it.
  process.kill(running.pid, 'SIGUSR1')
  process.kill(running.pid, 'SIGTERM')
  expect(await running.exit).toBe(0)
  expect(existsSync(pidFile)).toBe(false)
  const state = JSON.parse(readFileSync(join(world.folder, 'agentapi-state.json'), 'utf8'))
  expect(state).toMatchObject({
    version: 1,
    messages: [
      { id: 0, role: 'user', message: 'fix it', time },
      { id: 1, role: 'agent', message: 'done: fix it', time },
    ],
    initial_prompt_sent: true,
  })
  expect(ledgerOf(world.where, claude).at(-1)).toMatchObject({ type: 'exited' })
  expect(JSON.stringify(ledgerOf(world.where, claude))).toContain('"--model","m"')
})

test('an agent that was already running keeps running when the server ends', async () => {
  const world = serveWorld()
  await world.ion('run', 'claude', '--detach', 'fix it')
  const running = serveInForeground(world, ['claude', '--port', '0'])
  await until(() => expect(running.out()).toContain('serving claude'))
  process.kill(running.pid, 'SIGTERM')
  expect(await running.exit).toBe(0)
  expect(running.out()).toContain('the agent keeps running: ion attach claude')
  expect(JSON.parse((await world.ion('ps', '--json')).out)).toMatchObject({ way: 'detached', exit: null, url: null })
})

test('a signal that arrives with the first line of output stops the server as usual', async () => {
  const world = serveWorld()
  await world.ion('run', 'claude', '--detach', 'fix it')
  const hook = join(world.where.root, 'signal.cjs')
  writeFileSync(
    hook,
    `const write = process.stdout.write
process.stdout.write = (text, ...rest) => {
  if (String(text).startsWith('serving ')) process.kill(process.pid, 'SIGTERM')
  return write.call(process.stdout, text, ...rest)
}`,
  )
  const running = serveInForeground(world, ['claude', '--port', '0'], { NODE_OPTIONS: `--require ${hook}` })
  expect(await running.exit).toBe(0)
  expect(running.out()).toContain('the agent keeps running: ion attach claude')
})

test('a question is in the status with its choices, answered by its id, and never by a message', async () => {
  const { serve } = serveWorld()
  const server = await serve('fix the bug')
  await server.stable()
  expect((await server.say('ask')).status).toBe(200)
  await until(async () => expect((await server.status()).waiting_for).not.toBeNull())
  const { status, waiting_for: question } = await server.status()
  expect([status, question]).toEqual([
    'stable',
    {
      id: expect.any(String),
      text: 'Do you want to proceed?',
      details: 'Bash command\nrm -rf build',
      choices: [
        { key: '1', label: 'Yes' },
        { key: '2', label: 'Yes, and do not ask again' },
        { key: '3', label: 'No' },
      ],
    },
  ])
  const refused = await server.post('/message', { content: 'no, do not', type: 'user' })
  expect(await refused.json()).toMatchObject({
    errors: [
      {
        message:
          'failed to send message: the agent asks something else, which a message would answer: Do you want to proceed?',
      },
    ],
  })
  const answer = (choice: string, id = question!.id): Promise<Response> =>
    server.post('/answer', { question: id, choice })
  expect(await (await answer('1', 'another')).json()).toMatchObject({ status: 409 })
  expect(await (await answer('9')).json()).toMatchObject({ status: 422, detail: 'choice must be one of 1, 2, 3' })
  expect(await (await server.post('/answer', { choice: '1' })).json()).toMatchObject({ status: 422 })
  expect(await (await answer('3')).json()).toEqual({ ok: true })
  await until(async () => expect(await server.status()).toMatchObject({ status: 'stable', waiting_for: null }))
  expect((await server.messages()).at(-1)).toMatchObject({ role: 'agent', content: 'chose No' })
  expect((await answer('3')).status).toBe(409)
})

test('who answered what is in the history: also before the first prompt, after a killed server, and in later turns', async () => {
  const { serve, ion, where, folder } = serveWorld()
  writeFileSync(join(where.home, 'ask-first'), '')
  const server = await serve('fix the bug')
  const answer = async (choice: string, by?: string): Promise<void> => {
    let question: Status['waiting_for'] = null
    await until(async () => expect((question = (await server.status()).waiting_for)).not.toBeNull())
    expect(await (await server.post('/answer', { question: question!.id, choice, by })).json()).toEqual({ ok: true })
  }
  /** Content and answers of the agent's messages. */
  const history = async ({ messages }: Server): Promise<unknown[]> =>
    (await messages())
      .filter(({ role }) => role === 'agent')
      .map(({ content, parts }) => [
        content,
        ...(parts as Part[]).map((part) => (part.type === 'note' && part.answer ? part.answer : part.type)),
      ])
  const answered = (choice: string, by: string): object => ({
    question: 'Do you want to proceed?',
    details: 'Bash command\nrm -rf build',
    choice,
    by,
    time,
  })
  await answer('2', 'page')
  const first = ['done: fix the bug', answered('Yes, and do not ask again', 'page'), 'text']
  await until(async () => expect(await history(server)).toEqual([first]))
  expect(statSync(answersFile(folder)).mode & 0o777).toBe(0o600)
  expect((await server.say('ask')).status).toBe(200)
  await until(async () => expect((await ion('ps')).out).toContain('waiting for you: Do you want to proceed?'))
  expect(JSON.parse((await ion('ps', '--json')).out)).toMatchObject({
    waiting_for: 'question',
    question: 'Do you want to proceed?',
  })
  await answer('3', 'mona')
  const second = ['chose No', answered('No', 'mona'), 'text']
  await until(async () => expect(await history(server)).toEqual([first, second]))
  expect((await server.say('ask')).status).toBe(200)
  await answer('1')
  const third = ['chose Yes', answered('Yes', 'HTTP'), 'text']
  await until(async () => expect(await history(server)).toEqual([first, second, third]))
  const stream = readEvents(`${server.url}/events?full=true`, server.auth)
  await until(() => expect(stream.events.find(({ data }) => data.id === 5)).toBeDefined())
  expect(stream.events.find(({ data }) => data.id === 5)!.data.parts).toEqual((await server.messages())[5]!.parts)

  process.kill(knownServers(ioOf(where))[0]!.pid, 'SIGKILL')
  const again = await serve()
  expect(await history(again)).toEqual([first, second, third])
  await again.say('exit 3')
  await until(async () => expect(await again.status()).toMatchObject({ exited: 3 }))
  expect((await again.post('/start')).status).toBe(200)
  expect((await again.say('go on')).status).toBe(200)
  await until(async () => expect(await history(again)).toEqual([first, second, third, ['done: go on', 'text']]))
})

test('nothing is typed into a screen that Ion does not know', async () => {
  const { serve } = serveWorld()
  const server = await serve('fix the bug')
  await server.stable()
  expect((await server.say('menu')).status).toBe(200)
  await until(async () =>
    expect(await server.status()).toMatchObject({
      status: 'stable',
      waiting_for: { text: 'shows a screen that Ion does not know', choices: [] },
    }),
  )
  expect((await server.post('/message', { content: 'green', type: 'user' })).status).toBe(500)
  expect((await server.post('/message', { content: '\x1b', type: 'raw' })).status).toBe(200)
  await until(async () => expect(await server.status()).toMatchObject({ waiting_for: null }))
  expect((await server.messages()).map(({ content }) => content)).not.toContain('green')
})

test('what was left in the input box is not glued to a message', async () => {
  const { serve } = serveWorld()
  const server = await serve('fix the bug')
  await server.stable()
  expect((await server.post('/message', { content: 'half a thought', type: 'raw' })).status).toBe(200)
  await server.stable()
  const sent = await server.say('a complete one')
  expect(await sent.json()).toEqual({ ok: true })
  await until(async () => expect((await server.messages()).at(-1)).toMatchObject({ content: 'done: a complete one' }))
  expect((await server.messages()).filter(({ role }) => role === 'user').map(({ content }) => content)).toEqual([
    'fix the bug',
    'a complete one',
  ])
})

test('nor what an agent shows only after the message was typed', async () => {
  const { serve } = serveWorld()
  const server = await serve('fix the bug')
  await server.stable()
  expect((await server.say('lag 500')).status).toBe(200)
  await server.stable()
  expect((await server.post('/message', { content: 'half a thought', type: 'raw' })).status).toBe(200)
  expect(await (await server.post('/message', { content: 'a complete one', type: 'user' })).json()).toEqual({
    ok: true,
  })
  await until(async () => expect((await server.messages()).at(-1)).toMatchObject({ content: 'done: a complete one' }))
})

test('a message that comes while the agent redraws its screen after a turn is accepted', async () => {
  const { serve } = serveWorld()
  const server = await serve('fix the bug')
  await server.stable()
  expect((await server.say('redraw')).status).toBe(200)
  await server.stable()
  await until(async () => expect(await server.status()).toMatchObject({ status: 'running' }))
  expect(await (await server.post('/message', { content: 'next', type: 'user' })).json()).toEqual({ ok: true })
  await until(async () => expect((await server.messages()).at(-1)).toMatchObject({ content: 'done: next' }))
})

test('status: running while it works, stable with waiting_for in a dialog, and exited with its exit code', async () => {
  const { serve, ion } = serveWorld()
  const server = await serve('fix the bug')
  expect((await server.say('hang')).status).toBe(200)
  await until(async () => expect(await server.status()).toMatchObject({ status: 'running' }))
  const refused = await server.post('/message', { content: 'not now', type: 'user' })
  expect(refused.status).toBe(500)
  expect(await refused.json()).toEqual({
    title: 'Internal Server Error',
    status: 500,
    detail: 'unexpected error occurred',
    errors: [{ message: 'failed to send message: message can only be sent when the agent is waiting for user input' }],
  })
  expect(await (await server.post('/interrupt')).json()).toEqual({ ok: true })
  await server.stable()
  expect((await server.say('trust')).status).toBe(200)
  await until(async () =>
    expect(await server.status()).toMatchObject({
      status: 'stable',
      waiting_for: { text: 'asks whether you trust this folder', details: '', choices: [] },
    }),
  )
  expect((await server.post('/message', { content: 'yes', type: 'user' })).status).toBe(500)
  expect((await server.post('/message', { content: '\r', type: 'raw' })).status).toBe(200)
  await until(async () => expect(await server.status()).toMatchObject({ waiting_for: null }))
  await server.say('exit 3')
  await until(async () => expect(await server.status()).toMatchObject({ status: 'stable', exited: 3 }))
  const late = await server.post('/message', { content: 'hello', type: 'user' })
  const why = 'the agent has ended with exit code 3; start it again: ion run claude --detach'
  expect(await late.json()).toMatchObject({ status: 500, errors: [{ message: `failed to send message: ${why}` }] })
  // The agent is started again: the same server continues with it.
  expect(await ion('run', 'claude', '--detach')).toMatchObject({ code: 0 })
  await server.stable()
  expect((await server.say('back again')).status).toBe(200)
  await until(async () =>
    expect((await server.messages()).slice(-2).map(({ content }) => content)).toEqual([
      'back again',
      'done: back again',
    ]),
  )
})

test('POST /start: an agent that has ended is resumed once, without its prompt; a failed start says why', async () => {
  const { serve, where, path } = serveWorld()
  const server = await serve('fix the bug')
  expect(await (await server.post('/start')).json()).toEqual({ ok: true })
  await server.say('exit 3')
  await until(async () => expect(await server.status()).toMatchObject({ status: 'stable', exited: 3 }))
  expect((await server.post('/start', undefined, { authorization: '' })).status).toBe(401)
  const starts = await Promise.all([server.post('/start'), server.post('/start')])
  expect(starts.map(({ status }) => status)).toEqual([200, 200])
  await server.stable()
  expect((await server.say('back again')).status).toBe(200)
  await until(async () =>
    expect((await server.messages()).map(({ content }) => content)).toEqual([
      'fix the bug',
      'done: fix the bug',
      'back again',
      'done: back again',
    ]),
  )
  expect(ledgerOf(where, claude).filter(({ type }) => type === 'launched')).toHaveLength(2)

  await server.say('exit 4')
  await until(async () => expect(await server.status()).toMatchObject({ exited: 4 }))
  rmSync(join(path.split(delimiter)[0]!, 'claude'))
  const failed = await server.post('/start')
  expect(failed.status).toBe(500)
  expect(await failed.json()).toMatchObject({ status: 500, detail: expect.stringContaining('claude') })
})

test('events: the current state, then changes, and after a reconnect only what is newer', async () => {
  const { serve } = serveWorld()
  const server = await serve('fix the bug')
  await server.stable()
  const first = readEvents(`${server.url}/events`, server.auth)
  await until(() =>
    expect(first.events.map(({ event }) => event)).toEqual(['message_update', 'message_update', 'status_change']),
  )
  expect(first.events.map(({ data }) => data)).toEqual([
    { id: 0, role: 'user', message: 'fix the bug', time, done: true },
    { id: 1, role: 'agent', message: 'done: fix the bug', time, done: true },
    { status: 'stable', agent_type: 'claude', waiting_for: null },
  ])
  await server.say('slow 3')
  await until(() => expect(first.events.at(-1)).toMatchObject({ data: { status: 'stable' } }))
  const answer = first.events.findLast(({ event }) => event === 'message_update')
  expect(answer?.data).toMatchObject({ id: 3, message: 'piece 1\n\npiece 2\n\npiece 3', done: true })
  const ids = first.events.map(({ id }) => Number(id)).filter((id) => id > 0)
  expect(ids).toEqual(ids.toSorted((a, b) => a - b))
  first.close()
  await server.say('while away')
  await until(async () => expect(await server.messages()).toHaveLength(6))
  const second = readEvents(`${server.url}/events`, { ...server.auth, 'last-event-id': first.events.at(-1)!.id })
  await until(() => expect(second.events.at(-1)).toMatchObject({ data: { status: 'stable' } }))
  const fresh = second.events.filter(({ event }) => event === 'message_update').map(({ data }) => data.id)
  expect([...new Set(fresh)]).toEqual([4, 5])
  const third = readEvents(`${server.url}/events?after=5`, server.auth)
  await until(() => expect(third.events.map(({ data }) => data.id ?? data.status)).toEqual([5, 'stable']))
})

test('events: an answer is sent while it is written, also one taller than the screen, and then as it is stored', async () => {
  const { serve } = serveWorld()
  const server = await serve('fix the bug')
  await server.stable()
  const client = readEvents(`${server.url}/events`, server.auth)
  const full = readEvents(`${server.url}/events?full=true`, server.auth)
  await until(() => expect([client, full].map(({ events }) => events.length)).toEqual([3, 3]))
  await server.say('write 40')
  const complete = Array.from({ length: 40 }, (_, at) => `line ${at + 1} of the answer`).join('\n')
  await until(async () => expect((await server.messages()).at(-1)).toMatchObject({ content: complete, done: true }))
  await server.stable()
  const texts = client.events.filter(({ data }) => data.id === 3).map(({ data }) => String(data.message))
  expect(texts.length).toBeGreaterThan(5)
  // Each continues the one before it.
  expect(texts.filter((text, at) => !text.startsWith(texts[at - 1] ?? ''))).toEqual([])
  expect(texts.at(-1)).toBe(complete)
  const previews = full.events.filter(({ event }) => event === 'message_preview').map(({ data }) => data)
  expect(previews.at(-1)).toEqual({ id: 3, text: '' })
  expect(previews.length).toBeGreaterThan(5)
  const updates = full.events.filter(({ event, data }) => event === 'message_update' && data.id === 3)
  expect(updates.map(({ data }) => data.message)).toEqual([complete])
  expect(client.events.map(({ event }) => event)).not.toContain('message_preview')
})

test('a prompt that is stored only with its answer is shown before that, under the same id; an interrupt removes it', async () => {
  const { serve } = serveWorld()
  const answer = (lines: number): string =>
    Array.from({ length: lines }, (_, at) => `line ${at + 1} of late ${lines}`).join('\n')
  const texts = async (server: Server): Promise<unknown[]> =>
    (await server.messages()).map(({ id, role, content }) => [id, role, content])
  // The start is reported after eight seconds, whether the prompt is stored or not.
  const server = await serve('late 150')
  await until(async () => expect(await texts(server)).toEqual([[0, 'user', 'late 150']]))
  const first = [
    [0, 'user', 'late 150'],
    [1, 'agent', answer(150)],
  ]
  await until(async () => expect(await texts(server)).toEqual(first))
  await server.stable()
  const client = readEvents(`${server.url}/events`, server.auth)
  await until(() => expect(client.events).toHaveLength(3))
  expect(await (await server.say('late 50')).json()).toEqual({ ok: true })
  expect(await texts(server)).toEqual([...first, [2, 'user', 'late 50']])
  expect(await server.status()).toMatchObject({ status: 'running' })
  const second = [...first, [2, 'user', 'late 50'], [3, 'agent', answer(50)]]
  await until(async () => expect(await texts(server)).toEqual(second))
  const seen = (): string[] => client.events.filter(({ data }) => data.id === 3).map(({ data }) => String(data.message))
  await until(() => expect(seen().at(-1)).toBe(answer(50)))
  const previews = seen()
  expect(previews.length).toBeGreaterThan(5)
  expect(previews.filter((text, at) => !text.startsWith(previews[at - 1] ?? ''))).toEqual([])

  expect(await (await server.say('late 500')).json()).toEqual({ ok: true })
  expect(await texts(server)).toEqual([...second, [4, 'user', 'late 500']])
  await server.post('/interrupt')
  await until(async () => expect(await texts(server)).toEqual(second))
  await server.say('after it')
  await until(async () =>
    expect((await texts(server)).slice(4).map((message) => (message as unknown[]).slice(1))).toEqual([
      ['user', 'after it'],
      ['agent', 'done: after it'],
    ]),
  )
})

test('the user rewinds: removed messages are sent to current readers, and to one who reconnects', async () => {
  const { serve } = serveWorld()
  const server = await serve('one')
  await server.say('two')
  await server.stable()
  const reader = readEvents(`${server.url}/events?full=true`, server.auth)
  await until(() => expect(reader.events.at(-1)).toMatchObject({ data: { status: 'stable' } }))
  const before = reader.events.at(-1)!.id
  // After the second message: a prompt and its answer. Nothing is written until the next prompt.
  await server.post('/message', { content: 'rewind 2\r', type: 'raw' })
  // The keys have changed the screen, and while it changes nothing is accepted.
  await until(async () => expect((await server.say('other')).status).toBe(200))
  const reported = (events: readonly SentEvent[]): unknown[] =>
    events
      .slice(events.findIndex(({ id }) => id === before) + 1)
      .filter(({ event }) => event !== 'status_change')
      .map(({ event, data }) => [event, data.id, data.message])
  const expected = [
    ['message_removed', 2, undefined],
    ['message_removed', 3, undefined],
    ['message_update', 4, 'other'],
    ['message_update', 5, 'done: other'],
  ]
  await until(() => expect(reported(reader.events)).toEqual(expected))
  expect((await server.messages()).map(({ id }) => id)).toEqual([0, 1, 4, 5])
  const again = readEvents(`${server.url}/events?full=true`, { ...server.auth, 'last-event-id': before })
  await until(() => expect(reported(again.events)).toEqual(expected))
  const fresh = readEvents(`${server.url}/events`, server.auth)
  await until(() => expect(fresh.events.map(({ event }) => event)).toContain('status_change'))
  expect(fresh.events.flatMap(({ event, data }) => (event === 'status_change' ? [] : [data.id]))).toEqual([0, 1, 4, 5])
})

test('the screen, documents, sessions, search and long results', async () => {
  const { serve, where } = serveWorld()
  const server = await serve('tool 9000')
  await server.stable()
  const [, cut] = await server.messages()
  const whole = (await (await server.get('/messages/1')).json()) as { parts: Record<string, unknown>[] }
  const time = expect.any(String)
  const result = { type: 'tool_result', tool_use_id: 'call_2', is_error: false }
  expect(cut!.parts).toEqual([
    { type: 'thinking', text: 'which tool?' },
    { type: 'tool_use', id: 'call_2', name: 'Read', input: { file_path: '/home/dev/a.txt' }, time },
    { ...result, content: 'x'.repeat(4096), truncated: true, time },
    { type: 'text', text: 'done with the tool' },
  ])
  expect(whole.parts[2]).toEqual({ ...result, content: 'x'.repeat(9000), time })
  const screen = readEvents(`${server.url}/internal/screen`, server.auth)
  await until(() => expect(screen.events.at(-1)?.data.screen).toContain('done with the tool'))
  // Only agents that are installed, and not the one that has the session.
  writeFileSync(join(where.root, 'bin', 'codex'), '#!/bin/sh\n', { mode: 0o755 })
  expect(await (await server.get('/handover')).json()).toEqual({ targets: [{ agent: 'codex', title: 'Codex' }] })
  const share = await server.get('/share')
  expect(share.headers.get('content-type')).toContain('text/markdown')
  expect(await share.text()).toContain('done with the tool')
  const log = await server.get('/export?format=jsonl')
  expect(log.headers.get('content-disposition')).toMatch(/^attachment; filename="[\w.-]+\.jsonl"$/)
  expect(JSON.parse((await log.text()).split('\n')[0]!)).toMatchObject({ type: 'session_start' })
  expect((await server.get('/export?format=exe')).status).toBe(422)
  expect(await (await server.get('/sessions')).json()).toEqual({
    sessions: [{ id: expect.any(String), title: 'tool 9000', updated_at: time, messages: expect.any(Number) }],
  })
  expect(await (await server.get('/search?q=THE+tool')).json()).toEqual([
    { id: 1, role: 'agent', snippet: expect.stringContaining('the tool') },
  ])
})

test('two starts at the same instant: one server, whose address both print', async () => {
  const { ion, where } = serveWorld()
  const both = await Promise.all([1, 2, 3].map(() => ion('serve', 'claude', '--detach', '--port', '0', 'go')))
  expect(both.filter(({ code, err }) => code !== 0 || err.includes('refused'))).toEqual([])
  const [entry, ...others] = knownServers(ioOf(where))
  expect(others).toEqual([])
  const words = both.map(({ out }) => out.replace(/\?token=\S+/, ''))
  const already = `already serving claude: ${entry!.url}\n`
  expect(words.sort()).toEqual([already, already, `serving claude: ${entry!.url}\n`])
})

test('two agents at once: each has its port, and a requested port that is taken is refused', async () => {
  const { ion, serve, where } = serveWorld()
  const one = await serve('go')
  const port = new URL(one.url).port
  expect(await ion('serve', 'claude', '--task', 'two', '--detach', '--port', port)).toMatchObject({ code: 1, out: '' })
  const two = await ion('serve', 'claude', '--task', 'two', '--detach', '--port', '0')
  expect(two).toMatchObject({ code: 0, out: expect.stringContaining('serving claude-two: http://127.0.0.1:') })
  expect(
    knownServers(ioOf(where))
      .map(({ task }) => task)
      .sort(),
  ).toEqual(['main', 'two'])
})

test('an AgentAPI state file: its history comes first; a damaged one is kept and reported', async () => {
  const { serve, ion, where } = serveWorld()
  const file = join(where.root, 'state.json')
  const old = { id: 0, message: 'said under agentapi', role: 'user', time: '2026-01-01T00:00:00Z' }
  writeFileSync(file, JSON.stringify({ version: 1, messages: [old], initial_prompt: 'x', initial_prompt_sent: true }))
  const server = await serve('--state-file', file, 'fix it')
  await until(async () =>
    expect((await server.messages()).map(({ id, content }) => [id, content])).toEqual([
      [0, 'said under agentapi'],
      [1, 'fix it'],
      [2, 'done: fix it'],
    ]),
  )
  await ion('stop')
  writeFileSync(file, 'nonsense')
  writeFileSync(`${file}.previous`, 'nonsense')
  const again = await serve('--state-file', file)
  const stream = readEvents(`${again.url}/events?full=true`, again.auth)
  await until(() =>
    expect(stream.events.find(({ event }) => event === 'agent_error')?.data).toEqual({
      message: expect.stringContaining('Failed to restore previous session'),
      level: 'warning',
      time,
    }),
  )
})
