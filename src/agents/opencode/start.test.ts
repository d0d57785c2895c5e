import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { play } from '../../../test/fake-agent/play.ts'
import { testStart } from '../../../test/suites/test-start.ts'
import { scratchIo } from '../../../test/support/scratch.ts'
import { readContext } from '../../native/read-context.ts'
import type { Io } from '../../platform/io.ts'
import { SessionLookup } from '../../run/session-lookup.ts'
import type { AgentCommand, StartRequest } from '../start.ts'
import agent from './index.ts'

testStart(agent, new URL('./', import.meta.url), {
  session: 'ses_e1e671894ffeYb1KvYFtO1mT1o',
  args: ['--model', 'stub/stub-model'],
})

const start = agent.start!

function requestOf(io: Io, changes: Partial<StartRequest> = {}): StartRequest {
  return {
    session: 'ses_none',
    prompt: undefined,
    headless: false,
    args: [],
    cwd: io.cwd,
    folder: '/none',
    version: '1.18.33',
    io,
    ...changes,
  }
}

function promptOf(text: string): StartRequest['prompt'] {
  return { text, argument: text, file: '/none' }
}

describe('output lines', () => {
  const session = 'ses_e1e671894ffeYb1KvYFtO1mT1o'

  test('of a turn with a tool', () => {
    const lines = [
      `{"type":"step_start","timestamp":1794786265327,"sessionID":"${session}","part":{"id":"prt_1","type":"step-start"}}`,
      `{"type":"tool_use","timestamp":1794786265618,"sessionID":"${session}","part":{"type":"tool","tool":"bash","callID":"call_063dd154_3","state":{"status":"completed","output":"tool-ran\\n"}}}`,
      `{"type":"text","timestamp":1794786265964,"sessionID":"${session}","part":{"id":"prt_2","type":"text","text":"tool said: tool-ran","time":{"start":1794786265954,"end":1794786265959}}}`,
      `{"type":"step_finish","timestamp":1794786266100,"sessionID":"${session}","part":{"id":"prt_3","reason":"stop","type":"step-finish"}}`,
    ]
    expect(lines.map((line) => start.parseOutputLine!(line))).toEqual([
      { session },
      { session },
      { session, text: 'tool said: tool-ran' },
      { session },
    ])
  })

  test('of a failed turn, and of other lines', () => {
    const lines = [
      `{"type":"error","timestamp":1794786277894,"sessionID":"${session}","error":{"name":"APIError","data":{"message":"stub error 400","statusCode":400,"isRetryable":false}}}`,
      `{"type":"error","timestamp":1794786277894,"sessionID":"${session}","error":{"name":"MessageAbortedError"}}`,
      '{"type":"text","sessi',
      'EPIPE: broken pipe, write',
    ]
    expect(lines.map((line) => start.parseOutputLine!(line))).toEqual([
      { session, error: 'stub error 400' },
      { session, error: 'MessageAbortedError' },
      undefined,
      undefined,
    ])
  })
})

describe('a prompt in a terminal', () => {
  const texts = [
    '"all of it quoted"',
    "'all of it quoted'",
    'two  blanks, a "word" and 007',
    '--help\n-v\n\n  indented ',
    '/init is where it fails',
    'one',
  ]

  test.each(texts)('%j arrives as it is, cold and warm', async (text) => {
    const io = scratchIo()
    const prompt = promptOf(text)!
    await played(start.cold(requestOf(io, { prompt })), io)
    const store = new SessionLookup(agent, io, '/none')
    const wanted = {
      session: '',
      naming: undefined,
      cwd: io.cwd,
      since: undefined,
      prompt: text,
      not: new Set<string>(),
    }
    const { head } = store.findNew(wanted)!
    expect(store.countPrompt(head, text, 9)).toBe(1)
    await played(start.warm(requestOf(io, { session: head.native_id, prompt })), io)
    const users = [...store.events(store.find(head.native_id)!.head)].filter((event) => event.type === 'user')
    // Blanks around the text keep it from treating a slash as a command, and from stripping quotes.
    expect(users.map((event) => event.content)).toEqual([start.cold(requestOf(io, { prompt })).args[0]!.slice(9), text])
    expect((users[0]!.content as string).trim()).toBe(text.trim())
  })

  test('is a separate turn when the session already exists', () => {
    const io = scratchIo()
    const order = requestOf(io, {
      session: 'ses_1',
      prompt: promptOf('-x one\n"two"  three')!,
      args: ['-m', 'stub/stub'],
    })
    expect(start.warm(order)).toEqual({
      args: ['run', '--session', 'ses_1', '-m', 'stub/stub', '--', '-x', 'one\n"two"', '', 'three'],
      env: { PWD: io.cwd },
      endsAfterPrompt: true,
      notes: [
        'OpenCode accepts a prompt for an existing session only without its screen, which opens after the answer',
      ],
    })
  })
})

test('it runs in the folder of the plan, whatever PWD says', async () => {
  const io = scratchIo()
  const shop = join(io.home, 'shop')
  mkdirSync(shop)
  const from = { ...io, env: { ...io.env, PWD: io.home } }
  const store = new SessionLookup(agent, io, '/none')
  const headless = { headless: true, prompt: promptOf('hello')!, cwd: shop }
  await played(start.cold(requestOf(from, headless)), { ...from, cwd: shop }, 'hello')
  const wanted = {
    session: '',
    naming: undefined,
    cwd: shop,
    since: undefined,
    prompt: 'hello',
    not: new Set<string>(),
  }
  const { head } = store.findNew(wanted)!
  expect(head.cwd).toBe(shop)
  const warm = start.warm(requestOf(from, { ...headless, session: head.native_id }))
  await played(warm, { ...from, cwd: shop }, 'hello again')
  await expect(played({ args: warm.args }, { ...from, cwd: shop }, 'lost')).rejects.toThrow('it hangs')
})

describe('preflight', () => {
  const fixture = fileURLToPath(new URL('fixtures/1.18.33', import.meta.url))
  // Its last prompt went to the provider "stub".
  const session = 'ses_e1f706ee7ffeXEyR76MOi5oSP3'
  const prompt = promptOf('go on')!

  function withSettings(settings: object, env: Record<string, string> = {}): Io {
    const io = scratchIo(fixture, env)
    const folder = join(io.home, '.config', 'opencode')
    mkdirSync(folder, { recursive: true })
    writeFileSync(join(folder, 'opencode.json'), JSON.stringify(settings))
    return io
  }

  function preflightOf(io: Io, changes: Partial<StartRequest>): unknown {
    return start.preflight!('warm', requestOf(io, { session, prompt, ...changes }), readContext(io))
  }

  test('a provider that is no longer enabled', () => {
    const io = withSettings({ enabled_providers: ['other'] })
    expect(preflightOf(io, {})).toEqual({
      why: "the session uses the provider stub, which OpenCode's settings do not enable",
      hint: 'choose a model of another provider: … -- --model <provider>/<model>',
    })
    expect(preflightOf(io, { args: ['--model', 'other/model'] })).toBeUndefined()
    expect(preflightOf(io, { prompt: undefined })).toBeUndefined()
    expect(preflightOf(io, { session: 'ses_none' })).toBeUndefined()
  })

  test('nothing is refused where the settings do not decide', () => {
    expect(preflightOf(withSettings({}), {})).toBeUndefined()
    expect(preflightOf(withSettings({ enabled_providers: ['other', 'stub'] }), {})).toBeUndefined()
    expect(
      preflightOf(withSettings({ enabled_providers: ['other'] }, { OPENCODE_CONFIG_CONTENT: '{}' }), {}),
    ).toBeUndefined()
    const io = withSettings({ enabled_providers: ['other'] })
    writeFileSync(join(io.cwd, 'opencode.json'), '{ "enabled_providers": ["stub"], }')
    expect(preflightOf(io, {})).toBeUndefined()
  })

  test('arguments that select another session', () => {
    const io = scratchIo()
    const whys = ['--dir', '--attach', '--fork', '--continue', '-c'].map(
      (name) => start.preflight!('cold', requestOf(io, { args: [`${name}=x`] }), readContext(io))?.why,
    )
    expect(whys).toEqual(
      ['--dir', '--attach', '--fork', '--continue', '-c'].map(
        (name) => `with ${name} the session would not be found again`,
      ),
    )
    expect(start.preflight!('cold', requestOf(io, { args: ['--agent', 'plan'] }), readContext(io))).toBeUndefined()
  })
})

/** What a command does with the fake agent, in a terminal where nobody types. */
async function played({ args, env }: AgentCommand, io: Io, stdin = ''): Promise<void> {
  let complaint = ''
  const stage = { print: () => {}, complain: (text: string) => void (complaint += text), input: Readable.from([]) }
  const all = { ...io.env, ...(env as Record<string, string>) }
  const code = await play(agent.id, args, { ...io, env: all }, stage, stdin)
  if (code !== 0) throw new Error(`exit ${code}: ${complaint}`)
}
