import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { Readable } from 'node:stream'
import { describe, expect, test } from 'vitest'
import { play } from '../../../test/fake-agent/play.ts'
import { testStart } from '../../../test/suites/test-start.ts'
import { scratchIo } from '../../../test/support/scratch.ts'
import { readContext } from '../../native/read-context.ts'
import type { Io } from '../../platform/io.ts'
import { SessionLookup } from '../../run/session-lookup.ts'
import type { StartRequest } from '../start.ts'
import agent from './index.ts'
import { fake } from './test/fake.ts'

testStart(agent, new URL('./', import.meta.url), {
  session: '09432af9-dc45-46b0-8c55-1bef0f4d99ee',
  args: ['--model', 'sonnet4.5'],
})

const start = agent.start!

function requestOf(io: Io, changes: Partial<StartRequest> = {}): StartRequest {
  return {
    session: '09432af9-dc45-46b0-8c55-1bef0f4d99ee',
    prompt: undefined,
    headless: true,
    args: [],
    cwd: io.cwd,
    folder: '/none',
    version: '0.36.0',
    io,
    ...changes,
  }
}

test('its only line of output has the session and the answer', () => {
  const lines = [
    '{"type":"result","result":"answer 1 to: hello","is_error":false,"subtype":"success","session_id":"09432af9-dc45-46b0-8c55-1bef0f4d99ee","num_turns":0,"request_id":"7fe79013-48fe-4d24-be23-a147c4a0b68f"}',
    '{"type":"result","result":"too many turns","is_error":true,"subtype":"error","session_id":"09432af9-dc45-46b0-8c55-1bef0f4d99ee"}',
    '{"type":"resu',
    'Request ID: 7fe79013-48fe-4d24-be23-a147c4a0b68f',
  ]
  const session = '09432af9-dc45-46b0-8c55-1bef0f4d99ee'
  expect(lines.map((line) => start.parseOutputLine!(line))).toEqual([
    { session, text: 'answer 1 to: hello' },
    { session, error: 'too many turns' },
    undefined,
    undefined,
  ])
})

test('a prompt that begins with a slash is sent without the screen', () => {
  const io = scratchIo()
  const prompt = { text: ' /etc/hosts is wrong', argument: '', file: '/home/dev/prompt.txt' }
  expect(start.cold(requestOf(io, { prompt, headless: false, args: ['--model', 'x'] }))).toEqual({
    args: ['--print', '--instruction-file', '/home/dev/prompt.txt', '--model', 'x'],
    endsAfterPrompt: true,
    notes: ['Auggie accepts a prompt that begins with / only without its screen, which opens after the answer'],
  })
})

test('a session started in a subfolder is found at the top of the repository', async () => {
  const io = scratchIo()
  const shop = join(io.home, 'shop')
  const cwd = join(shop, 'src')
  mkdirSync(join(shop, '.git'), { recursive: true })
  mkdirSync(cwd)
  const file = join(io.home, 'prompt.txt')
  writeFileSync(file, 'hello')
  const { args } = start.cold(
    requestOf(io, { cwd, headless: false, prompt: { text: 'hello', argument: 'hello', file } }),
  )
  const stage = { print: () => {}, complain: () => {}, input: Readable.from([]) }
  expect(await play(agent.id, args, { ...io, cwd }, stage)).toBe(0)
  const wanted = { session: '', naming: undefined, cwd, since: undefined, prompt: 'hello', not: new Set<string>() }
  expect(new SessionLookup(agent, io, '/none').findNew(wanted)?.head.cwd).toBe(shop)
})

test('killed during its first answer it has stored nothing, so the prompt is still pending', () => {
  const io = scratchIo()
  const world = { io, cwd: io.cwd, now: () => '2026-11-15T23:46:56.369Z' } as Parameters<typeof fake.prompt>[2]
  const session = fake.create({ interactive: false }, world)
  fake.prompt(session, 'hello', world)
  expect([...agent.sources(readContext(io))]).toEqual([])
  expect(fake.has(session, world)).toBe(false)
})

describe('preflight', () => {
  const why = (io: Io, changes: Partial<StartRequest> = {}): string | undefined =>
    start.preflight!('cold', requestOf(io, changes), readContext(io))?.why

  test('refuses a headless start without a login; in a terminal Auggie asks', () => {
    const io = scratchIo()
    expect(start.preflight!('cold', requestOf(io), readContext(io))).toEqual({
      why: 'Auggie is not logged in',
      hint: 'auggie login',
    })
    expect(why(io, { headless: false })).toBeUndefined()
    expect(why(io, { args: ['--augment-session-json', 'session.json'] })).toBeUndefined()
    expect(why(scratchIo(undefined, { AUGMENT_SESSION_AUTH: '{}' }))).toBeUndefined()
    put(io, 'session.json', 'a secret that is not JSON and not looked at')
    expect(why(io)).toBeUndefined()
  })

  test('refuses options after which the session would not be found', () => {
    const io = scratchIo(undefined, { AUGMENT_SESSION_AUTH: '{}' })
    const names = ['--augment-cache-dir', '--dont-save-session', '--workspace-root', '-w', '--continue', '-c']
    expect(names.map((name) => why(io, { args: [name] }))).toEqual(
      names.map((name) => `with ${name} the session would not be found again`),
    )
    expect(why(io, { args: ['--model', 'x', '--rules=r.md'] })).toBeUndefined()
  })
})

describe('dialogs before the first turn', () => {
  const login = { id: 'login', asks: 'asks you to log in', certain: true }
  const onboarding = { id: 'onboarding', asks: 'shows its first-run pages', certain: true }
  const indexing = { id: 'indexing', asks: 'asks whether it may index this folder', certain: true }
  const cwd = '/home/dev/shop'

  test('are read from the settings, and --prepare answers them', () => {
    const io = scratchIo()
    const dialogs = (args: string[] = []): unknown => start.dialogs!({ cwd, io, args })
    expect(dialogs()).toEqual([login, onboarding, indexing])
    expect(dialogs(['--allow-indexing', '--augment-session-json', '{}'])).toEqual([onboarding])
    put(io, '.auggie.json', '{"sessionCount":1}')
    put(io, 'settings.json', '{"vimMode":true,"indexingAllowDirs":["/home/dev/other"]}')
    const made = Object.values(start.prepare!).map((prepare) => prepare({ cwd, io }))
    expect(made).toEqual([
      {
        file: join(io.home, '.augment', '.auggie.json'),
        sets: 'onboardingVersion',
        content: '{\n  "sessionCount": 1,\n  "onboardingVersion": "1.0.0"\n}\n',
      },
      {
        file: join(io.home, '.augment', 'settings.json'),
        sets: 'indexingAllowDirs: /home/dev/shop',
        content:
          '{\n  "vimMode": true,\n  "indexingAllowDirs": [\n    "/home/dev/other",\n    "/home/dev/shop"\n  ]\n}\n',
      },
    ])
    for (const { file, content } of made) writeFileSync(file, content)
    expect(dialogs()).toEqual([login])
    expect(Object.values(start.prepare!).map((prepare) => prepare({ cwd, io }).content)).toEqual(
      made.map(({ content }) => content),
    )
  })

  test('an answer for a parent folder counts, one for a sibling does not; a home is never indexed', () => {
    const io = scratchIo(undefined, { AUGMENT_SESSION_AUTH: '{}' })
    put(io, '.auggie.json', '{"onboardingVersion":"1.0.0"}')
    put(io, 'settings.json', '{"indexingDenyDirs":["/home/dev"]}')
    expect(start.dialogs!({ cwd, io, args: [] })).toEqual([])
    expect(start.dialogs!({ cwd: '/home/develop', io, args: [] })).toEqual([indexing])
    expect(start.dialogs!({ cwd: io.home, io, args: [] })).toEqual([])
  })

  test.each([
    ['login', ' → Login to continue\n   Press return to open your browser'],
    ['onboarding', ' │ ✨ Welcome to Augment Code! A bit of housekeeping before we get started      │'],
    ['indexing', ' │ 🔍 Workspace Indexing Permission                                             │'],
  ])('recognises the %s dialog on the screen', (id, screen) => {
    expect(start.screens!.filter(({ pattern }) => pattern.test(screen)).map((one) => one.id)).toEqual([id])
  })
})

function put(io: Io, name: string, content: string): void {
  const file = join(io.home, '.augment', name)
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, content)
}
