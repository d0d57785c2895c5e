import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { play } from '../../../test/fake-agent/play.ts'
import { testStart } from '../../../test/suites/test-start.ts'
import { scratchIo } from '../../../test/support/scratch.ts'
import { readContext } from '../../native/read-context.ts'
import type { Io } from '../../platform/io.ts'
import type { StartRequest } from '../start.ts'
import agent from './index.ts'
import { fixtures } from './test/fixture-session.ts'

const SESSION = '01a1e086-39e7-7601-bae1-7a18802c8b21'

testStart(agent, new URL('./', import.meta.url), { session: SESSION, args: ['--model', 'gpt-5'] })

const start = agent.start!

function requestOf(io: Io, changes: Partial<StartRequest> = {}): StartRequest {
  return {
    session: SESSION,
    prompt: undefined,
    headless: true,
    args: [],
    cwd: io.cwd,
    folder: '/none',
    version: '0.166.0',
    io,
    ...changes,
  }
}

function withConfig(config: string, env: Record<string, string> = {}, fixture?: string): Io {
  const io = scratchIo(fixture && join(fixtures, fixture), env)
  const folder = join(io.home, '.codex')
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'config.toml'), config)
  return io
}

const STUB = 'model_provider = "stub"\n\n[model_providers.stub]\nenv_key = "STUB_KEY"\n'

describe('output lines', () => {
  test('of a turn with a tool', () => {
    const lines = [
      '{"type":"thread.started","thread_id":"01a1e198-2d24-7e30-afe2-8c436fdc0fb9"}',
      '{"type":"item.completed","item":{"id":"item_0","type":"error","message":"Model metadata for `stub-model` not found."}}',
      '{"type":"turn.started"}',
      '{"type":"item.started","item":{"id":"item_2","type":"command_execution","command":"/bin/bash -lc \'echo tool-ran\'","aggregated_output":"","exit_code":null,"status":"in_progress"}}',
      '{"type":"item.completed","item":{"id":"item_2","type":"command_execution","command":"/bin/bash -lc \'echo tool-ran\'","aggregated_output":"tool-ran\\n","exit_code":0,"status":"completed"}}',
      '{"type":"item.completed","item":{"id":"item_3","type":"agent_message","text":"tool said: tool-ran"}}',
      '{"type":"turn.completed","usage":{"input_tokens":500,"cached_input_tokens":0,"cache_write_input_tokens":0,"output_tokens":60,"reasoning_output_tokens":0}}',
      '{"type":"turn.comp',
      'Reading additional input from stdin...',
    ]
    expect(lines.flatMap((line) => start.parseOutputLine!(line) ?? [])).toEqual([
      { session: '01a1e198-2d24-7e30-afe2-8c436fdc0fb9' },
      { text: 'tool said: tool-ran' },
    ])
  })

  test('of failed turns: one error, with the message of the service', () => {
    const lines = [
      '{"type":"error","message":"Reconnecting... 2/5 (stream disconnected before completion)"}',
      '{"type":"error","message":"{\\"error\\":{\\"message\\":\\"stub error 400\\",\\"type\\":\\"invalid_request_error\\"}}"}',
      '{"type":"turn.failed","error":{"message":"{\\"error\\":{\\"message\\":\\"stub error 400\\",\\"type\\":\\"invalid_request_error\\"}}"}}',
      '{"type":"turn.failed","error":{"message":"Missing environment variable: `STUB_KEY`."}}',
    ]
    expect(lines.flatMap((line) => start.parseOutputLine!(line) ?? [])).toEqual([
      { error: 'stub error 400' },
      { error: 'Missing environment variable: `STUB_KEY`.' },
    ])
  })
})

describe('preflight', () => {
  const preflightOf = (kind: 'cold' | 'warm', io: Io, changes: Partial<StartRequest> = {}) =>
    start.preflight!(kind, requestOf(io, changes), readContext(io))

  test('a session of another provider', () => {
    const io = withConfig('model_provider = "other"', {}, '0.166.0')
    expect(preflightOf('warm', io)).toEqual({
      why: 'the session was made with the provider stub, but Codex is set to other and would refuse to resume it',
      hint: 'add -- -c model_provider=stub, or set model_provider in config.toml',
    })
    expect([
      preflightOf('cold', io),
      preflightOf('warm', io, { args: ['-c', 'model_provider=stub'] }),
      preflightOf('warm', io, { args: ['--profile', 'work'] }),
      preflightOf('warm', withConfig(STUB, { STUB_KEY: 'sk-test' }, '0.166.0')),
    ]).toEqual([undefined, undefined, undefined, undefined])
  })

  test("nothing is refused when the project's settings may decide", () => {
    const io = withConfig('model_provider = "other"', {}, '0.166.0')
    const cwd = join(io.home, 'shop')
    mkdirSync(join(cwd, '.codex'), { recursive: true })
    writeFileSync(join(cwd, '.codex/config.toml'), '')
    expect(preflightOf('warm', io, { cwd })).toBeUndefined()
  })

  test('without a key for the provider the prompt would be stored and the turn fail', () => {
    expect(preflightOf('cold', withConfig(STUB))).toEqual({
      why: 'STUB_KEY is not set, the key of the provider stub',
      hint: 'set STUB_KEY',
    })
  })

  test('not logged in: refused without a terminal, a dialog in one', () => {
    const io = withConfig('')
    expect([preflightOf('cold', io), preflightOf('cold', io, { headless: false })]).toEqual([
      { why: 'Codex is not logged in', hint: 'codex login' },
      undefined,
    ])
    expect(start.dialogs!(requestOf(io))).toEqual([{ id: 'login', asks: 'asks you to sign in', certain: true }])
    writeFileSync(join(io.home, '.codex/auth.json'), '')
    expect([preflightOf('cold', io), start.dialogs!(requestOf(io))]).toEqual([undefined, []])
    const others = [
      withConfig('', { CODEX_API_KEY: 'sk-test' }),
      withConfig('cli_auth_credentials_store = "keyring"'),
      withConfig('openai_base_url = "http://127.0.0.1:1"'),
    ]
    expect(others.map((each) => preflightOf('cold', each))).toEqual([undefined, undefined, undefined])
  })
})

describe('the trust dialog', () => {
  function repository(config: string): { io: Io; shop: string; cwd: string } {
    const io = withConfig(config, { STUB_KEY: 'sk-test' })
    const shop = join(io.home, 'shop')
    const cwd = join(shop, 'src')
    mkdirSync(join(shop, '.git'), { recursive: true })
    mkdirSync(cwd)
    return { io, shop, cwd }
  }
  const asked = { id: 'trust', asks: 'asks whether you trust this folder', certain: true }

  test('is shown in repositories, and --prepare answers it for the whole repository', () => {
    const { io, shop, cwd } = repository(STUB)
    expect(start.dialogs!({ io, cwd: io.home, args: [] })).toEqual([])
    expect(start.dialogs!({ io, cwd, args: [] })).toEqual([asked])
    const file = join(io.home, '.codex/config.toml')
    const prepared = start.prepare!.trust!({ io, cwd })
    expect(prepared).toEqual({
      file,
      sets: `trust_level of ${shop}`,
      content: `${STUB}\n[projects.${JSON.stringify(shop)}]\ntrust_level = "trusted"\n`,
    })
    writeFileSync(file, prepared.content)
    expect(start.dialogs!({ io, cwd, args: [] })).toEqual([])
    expect(start.prepare!.trust!({ io, cwd }).content).toBe(prepared.content)
  })

  test('is not certain in a worktree', () => {
    const { io, cwd } = repository(STUB)
    const worktree = join(io.home, 'worktree')
    mkdirSync(worktree)
    writeFileSync(join(worktree, '.git'), `gitdir: ${cwd}`)
    expect(start.dialogs!({ io, cwd: worktree, args: [] })).toEqual([{ ...asked, certain: false }])
  })

  test('CODEX_HOME moves the settings too; none exist yet', () => {
    const io = scratchIo()
    const moved = { ...io, env: { ...io.env, CODEX_HOME: join(io.home, 'elsewhere') } }
    expect(start.prepare!.folder!({ io: moved, cwd: io.home })).toEqual({
      file: join(io.home, 'elsewhere/config.toml'),
      sets: 'resume_cwd of tui',
      content: '[tui]\nresume_cwd = "session"\n',
    })
  })
})

test('versions before the background process do not get --no-daemon', () => {
  const order = requestOf(scratchIo(), { headless: false })
  const argsOf = (version: string | undefined): readonly string[] => start.warm({ ...order, version }).args
  expect([argsOf('0.155.0'), argsOf('0.156.0'), argsOf(undefined)]).toEqual([
    ['resume', SESSION],
    ['--no-daemon', 'resume', SESSION],
    ['--no-daemon', 'resume', SESSION],
  ])
})

test("a user's option with many values does not consume Ion's arguments", () => {
  const order = requestOf(scratchIo(), { args: ['--image', 'a.png'] })
  expect([start.warm(order).args, start.warm({ ...order, headless: false }).args]).toEqual([
    ['exec', '--image', 'a.png', '--json', 'resume', SESSION],
    ['--image', 'a.png', '--no-daemon', 'resume', SESSION],
  ])
})

test.each([
  ['trust', '  Trust this folder? Codex can read, edit, and run files here, subject to your permission settings.'],
  ['login', '> 1. Sign in with ChatGPT'],
])('the screen of %s is known', (id, screen) => {
  expect(start.screens!.filter(({ pattern }) => pattern.test(screen)).map((one) => one.id)).toEqual([id])
})

describe('the fake agent', () => {
  async function played(argv: readonly string[], io: Io): Promise<{ code: number; complaint: string; out: string }> {
    const said = { complaint: '', out: '' }
    const stage = {
      print: (text: string) => void (said.out += text),
      complain: (text: string) => void (said.complaint += text),
      input: process.stdin,
    }
    return { code: await play(agent.id, argv, io, stage, 'Hello'), ...said }
  }

  test('starts a new session for an unknown name, like the real one', async () => {
    const { code, out } = await played(['exec', '--json', 'resume', 'nope', '-'], scratchIo())
    expect([code, start.parseOutputLine!(out.split('\n')[0]!)]).toEqual([
      0,
      { session: expect.stringMatching(/^[0-9a-f-]{36}$/) },
    ])
  })

  test('refuses an archived session, like the real one', async () => {
    const id = '01a1e08a-f9d8-77e2-a31f-10d18f4908d0'
    const { code, complaint } = await played(
      ['exec', '--json', 'resume', id, '-'],
      scratchIo(join(fixtures, '0.166.0')),
    )
    expect([code, complaint]).toEqual([
      1,
      `Error: thread/resume: session ${id} is archived. Run \`codex unarchive ${id}\` to unarchive it first. (code -32600)\n`,
    ])
  })
})

test('a prompt that begins with ! is not run by the shell of the screen', () => {
  const io = scratchIo()
  const prompt = { text: '!ls', argument: '!ls', file: '/prompt.txt' }
  const words = (headless: boolean) => start.cold(requestOf(io, { prompt, headless })).args.at(-1)
  expect([words(false), words(true)]).toEqual([' !ls', '-'])
})

describe('what the agent says', () => {
  /** As 0.166.0 draws it: the mark of a text is faint, that of a command green. */
  const read = (...lines: readonly (readonly [string, string?])[]) =>
    start.readAnswer!(
      lines.map(([text, colour]) => ({
        text,
        vivid: text.replace(/^• /, '  ').replace(/^ {2}Worked .*/, ''),
        ...(colour === undefined ? {} : { colour }),
      })),
    )
  const SAID = [['› look at the shop'], [''], ['• I will look.'], [''], ['  At once.'], ['']] as const
  const TEXT = { rows: ['I will look.', '', 'At once.'], begins: true }
  const BOX = [[''], ['› and then'], [''], ['  stub-model default · /home/dev/shop']] as const

  test('is above the input box', () => {
    const rows = SAID.map(([text]) => ({ text, vivid: text }))
    const box = BOX.map(([text]) => ({ text, vivid: text }))
    expect(start.readAnswer!([...rows, { text: '  Worked for 2s • 02:02', vivid: '' }, ...box])).toEqual(TEXT)
    expect(read(...SAID, ['  └ Tip: Use /import'], ...BOX)).toEqual(TEXT)
  })

  test.each([
    [['• Working (1m 03s • esc to interrupt) · 1 background terminal running']],
    [['• What it thinks. (2s • esc to interrupt)']],
    [['• Messages to be submitted after next tool call'], ['  ↳ later']],
    [['• Running sleep 5']],
    [['• Ran ls', '2'], ['  └ README.md']],
    [['• Explored'], ['  └ List ls']],
    [['• Added note.txt (+3 -0)'], ['    1 +hello']],
  ] as const)('is not %s', (...other) => {
    expect(read(...SAID, ...other, ...BOX)).toEqual(TEXT)
  })

  test('continues below the prompt that stays at the top', () => {
    expect(read(['› look at the shop'], [''], ['  the rest'], ['  of it'], ...BOX)).toEqual({
      rows: ['the rest', 'of it'],
      begins: false,
    })
  })

  test('is nothing on the first screen', () => {
    expect(read([''], ['  >_ OpenAI Codex (v0.166.0)'], ['     /home/dev/shop'], ...BOX)).toBeUndefined()
  })
})
