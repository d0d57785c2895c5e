import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { play } from '../../../test/fake-agent/play.ts'
import { testStart } from '../../../test/suites/test-start.ts'
import { filesBelow, scratchIo } from '../../../test/support/scratch.ts'
import { readContext } from '../../native/read-context.ts'
import type { Io } from '../../platform/io.ts'
import { removeLeftovers, saveSafetyCopies } from '../../run/safety-copies.ts'
import type { StartRequest } from '../start.ts'
import agent from './index.ts'
import { isWritableByRootOnly } from './settings.ts'
import { fixtureIo } from './test/open-session.ts'

testStart(agent, new URL('./', import.meta.url), {
  session: '44026c87-f967-458a-8efd-2c850cd749f0',
  args: ['--model', 'gemini-2.5-flash'],
})

const start = agent.start!

function orderIn(io: Io, order: Partial<StartRequest> = {}): StartRequest {
  return {
    session: '44026c87-f967-458a-8efd-2c850cd749f0',
    prompt: undefined,
    headless: true,
    args: [],
    cwd: '/home/dev/shop',
    folder: join(io.home, 'task'),
    version: '0.61.0',
    io,
    ...order,
  }
}

/** Writes the user's settings file. */
function settings(io: Io, content: unknown, name = 'settings.json'): string {
  mkdirSync(join(io.home, '.gemini'), { recursive: true })
  const file = join(io.home, '.gemini', name)
  writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content))
  return file
}

describe('gemini: the id of a cold start', () => {
  const prompt = { text: 'do it', argument: 'do it', file: '/task/prompts/1.txt' }

  test('is assigned where the version accepts one', () => {
    const io = scratchIo()
    expect(start.cold(orderIn(io, { version: '0.41.2', session: 'chosen' })).args).toEqual(['--session-id', 'chosen'])
    expect(start.cold(orderIn(io, { version: undefined, session: 'chosen' })).args).toEqual(['--session-id', 'chosen'])
  })

  test('is searched for where it does not accept one', () => {
    const { args, stdin, sessionId } = start.cold(orderIn(scratchIo(), { version: '0.33.0', prompt }))
    expect({ args, stdin, sessionId }).toEqual({ args: [], stdin: 'prompt', sessionId: 'reported' })
  })

  test('quotes around a prompt are preserved', () => {
    const argsOf = (argument: string): readonly string[] =>
      start
        .cold(orderIn(scratchIo(), { headless: false, session: 's', prompt: { ...prompt, text: argument, argument } }))
        .args.slice(2)
    expect(argsOf('"do it"')).toEqual(['--prompt-interactive="do it" '])
    expect(argsOf("'do' it")).toEqual(["--prompt-interactive='do' it"])
    expect(argsOf('"')).toEqual(['--prompt-interactive="'])
  })
})

test('gemini: the folder of a prompt file is added to the workspace', () => {
  const prompt = { text: 'long', argument: 'The task is in the file /task/prompts/1.txt.', file: '/task/prompts/1.txt' }
  expect(start.cold(orderIn(scratchIo(), { headless: false, session: 's', prompt })).args).toEqual([
    '--session-id',
    's',
    '--include-directories=/task/prompts',
    '--prompt-interactive=The task is in the file /task/prompts/1.txt.',
  ])
})

describe('gemini: retention is off for our runs', () => {
  test("by system settings that keep the values of the machine's", () => {
    const io = scratchIo()
    const system = join(io.home, 'system.json')
    writeFileSync(system, '{ // of the admin\n  "tools": { "core": ["a"] }, "general": { "vimMode": true } }')
    const env = { ...io.env, GEMINI_CLI_SYSTEM_SETTINGS_PATH: system }
    const command = start.warm(orderIn({ ...io, env }, { version: '0.58.0', headless: false }))
    const path = join(io.home, 'task', 'system-settings.json')
    const content = {
      tools: { core: ['a'] },
      general: { vimMode: true, sessionRetention: { enabled: false } },
    }
    expect(command).toEqual({
      args: ['--resume', '44026c87-f967-458a-8efd-2c850cd749f0'],
      env: {
        GEMINI_CLI_SYSTEM_SETTINGS_PATH: path,
        GEMINI_CLI_SYSTEM_DEFAULTS_PATH: join(io.home, 'system-defaults.json'),
      },
      files: [{ path, content: `${JSON.stringify(content, null, 2)}\n` }],
    })
  })

  test('system settings that are not JSON prevent the start, since they would be lost', () => {
    const io = scratchIo()
    const system = settings(io, '{ broken', 'system.json')
    const env = { ...io.env, GEMINI_CLI_SYSTEM_SETTINGS_PATH: system }
    expect(() => start.warm(orderIn({ ...io, env }, { version: '0.58.0' }))).toThrow(`${system} is not JSON`)
  })

  test('newer versions accept such a file only where nobody but root can write', () => {
    // Everybody can write to /tmp, whoever runs this.
    expect(start.warm(orderIn(scratchIo(), { headless: false }))).toEqual({
      args: ['--resume', '44026c87-f967-458a-8efd-2c850cd749f0'],
    })
    expect(isWritableByRootOnly('/etc/gemini-cli/not-there')).toBe(process.getuid?.() === 0)
  })
})

describe('gemini: safety copies', () => {
  const io = (): Io => fixtureIo('0.61.0')
  const kept = (world: Io, order: Partial<StartRequest>, kind: 'cold' | 'warm' = 'warm'): unknown[] =>
    [
      ...start.filesToBackUp!(kind, orderIn(world, { cwd: '/home/dev3/projects/shop', ...order }), readContext(world)),
    ].map((one) => ({ ...one, append: undefined, path: 'path' in one ? one.path.slice(world.home.length + 1) : '' }))

  test('the session is copied, and empty files beside sessions of this project are moved away', () => {
    const world = io()
    const chats = '.gemini/tmp/shop/chats'
    const names = readdirSync(join(world.home, chats)).filter((name) => name.endsWith('-aaaaaaaa.jsonl'))
    const shells = kept(world, {}, 'cold')
    const copies = kept(world, { session: 'aaaaaaaa-0000-4000-8000-000000000001' }).filter(
      (one) => !shells.some((shell) => JSON.stringify(shell) === JSON.stringify(one)),
    )
    expect(copies).toEqual(names.map((name) => ({ name, path: `${chats}/${name}` })))
    expect(shells.length).toBeGreaterThan(0)
    for (const shell of shells) {
      expect(shell).toEqual({
        name: expect.stringMatching(/^shell-session-.*\.jsonl$/),
        path: expect.any(String),
        move: true,
      })
      expect(readFileSync(join(world.home, (shell as { path: string }).path), 'utf8')).not.toContain('"type":"gemini"')
    }
  })

  test('results that Gemini would send twice are emptied, once the session is copied', () => {
    const world = io()
    const session = 'cccccccc-0000-4000-8000-000000000003'
    const order = orderIn(world, { cwd: '/home/dev3/projects/shop', session })
    const path = join(world.home, '.gemini/tmp/shop/chats', 'session-2026-11-15T18-44-cccccccc.jsonl')
    const before = readFileSync(path, 'utf8')
    const folder = saveSafetyCopies(agent, 'warm', order, 'run', world)
    expect(readFileSync(join(folder!, 'session-2026-11-15T18-44-cccccccc.jsonl'), 'utf8')).toBe(before)
    const added = readFileSync(path, 'utf8').slice(before.length)
    expect(added).toMatch(/^\{"id":"[^"]+","timestamp":"[^"]+","type":"user","content":\[\]\}\n$/)
    saveSafetyCopies(agent, 'warm', order, 'run2', world)
    expect(readFileSync(path, 'utf8')).toBe(before + added)
  })

  test('another project is not touched', () => {
    expect(kept(io(), { cwd: '/home/dev3/elsewhere' }, 'cold')).toEqual([])
  })
})

/** Like the real one, the fake agent deletes what it treats as damaged. */
describe('gemini: a session that was resumed survives the next start of another', () => {
  const stage = { print: () => undefined, complain: () => undefined, input: process.stdin }
  const at = (io: Io, time: string): Io => ({ ...io, now: () => new Date(time) })
  const [one, two] = ['11111111-aaaa-4aaa-8aaa-aaaaaaaaaaaa', '22222222-bbbb-4bbb-8bbb-bbbbbbbbbbbb']
  const names = (io: Io): string[] => filesBelow(io.home).flatMap((path) => path.match(/session-.*/) ?? [])

  async function resumedOnce(): Promise<Io> {
    const io = at({ ...scratchIo(), cwd: '/home/dev/shop' }, '2026-11-16T10:00:00Z')
    await play(agent.id, ['--session-id', one], io, stage, 'begin')
    const later = at(io, '2026-11-16T10:05:00Z')
    await play(agent.id, ['--resume', one], later, stage, 'go on')
    expect(names(io)).toEqual(['session-2026-11-16T10-00-11111111.jsonl', 'session-2026-11-16T10-05-11111111.jsonl'])
    return later
  }

  test('without Ion it is deleted', async () => {
    const io = await resumedOnce()
    await play(agent.id, ['--session-id', two], io, stage, 'another')
    expect(names(io)).toEqual(['session-2026-11-16T10-05-22222222.jsonl'])
  })

  test.each([
    ['the empty file is moved away at the end', 'end'],
    ['or before the next start, when Ion was killed', 'start'],
  ])('%s', async (_, when) => {
    const io = await resumedOnce()
    const order = orderIn(io, { session: when === 'end' ? one : two })
    const folder =
      when === 'end' ? removeLeftovers(agent, order, 'run', io) : saveSafetyCopies(agent, 'cold', order, 'run', io)
    expect(readdirSync(folder!)).toEqual(['shell-session-2026-11-16T10-05-11111111.jsonl'])
    await play(agent.id, ['--session-id', two], io, stage, 'another')
    expect(names(io)).toEqual(['session-2026-11-16T10-00-11111111.jsonl', 'session-2026-11-16T10-05-22222222.jsonl'])
  })

  test('a session that waits for its first prompt is not a leftover', async () => {
    const io = await resumedOnce()
    removeLeftovers(agent, orderIn(io, { session: one }), 'run', io)
    const chats = join(io.home, '.gemini/tmp/shop/chats')
    writeFileSync(
      join(chats, 'session-2026-11-16T10-06-33333333.jsonl'),
      '{"sessionId":"33333333-c","projectHash":"x"}\n',
    )
    expect(saveSafetyCopies(agent, 'cold', orderIn(io, { session: two }), 'run2', io)).toBeUndefined()
  })
})

describe('gemini: preflight', () => {
  const ready = { security: { auth: { selectedType: 'gemini-api-key' } } }

  test('without a terminal a folder must be trusted', () => {
    const io = scratchIo()
    settings(io, ready)
    const untrusted = {
      why: 'without a terminal Gemini works only in trusted folders: /home/dev/shop',
      hint: 'ion run gemini --prepare trust',
    }
    const why = (order: Partial<StartRequest> = {}): unknown =>
      start.preflight!('cold', orderIn(io, order), readContext(io))
    expect(why()).toEqual(untrusted)
    expect(why({ version: undefined })).toEqual(untrusted)
    expect(why({ version: '0.33.0' })).toBeUndefined()
    expect(why({ headless: false })).toBeUndefined()
    expect(why({ args: ['--skip-trust'] })).toBeUndefined()
    expect(why({ io: { ...io, env: { ...io.env, GEMINI_CLI_TRUST_WORKSPACE: 'true' } } })).toBeUndefined()
    const { file, content } = start.prepare!.trust!({ cwd: '/home/dev/shop', io })
    writeFileSync(file, content)
    expect([JSON.parse(content), why(), why({ cwd: '/home/dev/shop/sub' })]).toEqual([
      { '/home/dev/shop': 'TRUST_FOLDER' },
      undefined,
      undefined,
    ])
    expect(why({ cwd: '/home/dev' })).toEqual({ ...untrusted, why: untrusted.why.replace('/shop', '') })
  })

  test('a prompt that begins with a command is refused, in both modes', () => {
    const io = scratchIo()
    const why = (text: string, headless: boolean): unknown => {
      const prompt = { text, argument: text, file: '/prompt.txt' }
      return start.preflight!('cold', orderIn(io, { prompt, headless, version: '0.33.0' }), readContext(io))
    }
    settings(io, ready)
    const expected = {
      why: 'Gemini treats text that begins with "/init" as a command, not as a prompt',
      hint: 'put another word in front',
      isCommand: true,
    }
    expect([why('/init', true), why('/init', false)]).toEqual([expected, expected])
    expect([why('!ls', false), why('/etc/hosts', true)]).toEqual([undefined, undefined])
  })

  test('the rule with the longest path wins, and a rule may trust the parent', () => {
    const io = scratchIo()
    settings(io, ready)
    settings(io, { '/home/dev/shop': 'TRUST_PARENT', '/home/dev/secret/x': 'DO_NOT_TRUST' }, 'trustedFolders.json')
    const trusts = (cwd: string): boolean =>
      start.preflight!('cold', orderIn(io, { cwd }), readContext(io)) === undefined
    expect(['/home/dev', '/home/dev/other', '/home/dev/secret/x/y', '/home'].map(trusts)).toEqual([
      true,
      true,
      false,
      false,
    ])
  })

  test('a login is looked up in settings and variables; files with secrets are not opened', () => {
    const io = { ...scratchIo(), cwd: '/home/dev/shop' }
    const cwd = join(io.home, 'shop')
    mkdirSync(cwd)
    const args = ['--skip-trust']
    const why = (world: Io): unknown => start.preflight!('cold', orderIn(world, { cwd, args }), readContext(world))
    expect(why(io)).toEqual({
      why: 'Gemini is not logged in',
      hint: 'set GEMINI_API_KEY, or start gemini once and choose how to log in',
    })
    expect(why({ ...io, env: { ...io.env, GEMINI_API_KEY: 'test' } })).toBeUndefined()
    writeFileSync(join(io.home, '.env'), 'GEMINI_API_KEY=test')
    expect(why(io)).toBeUndefined()
  })
})

describe('gemini: dialogs', () => {
  const ids = (io: Io): string[] =>
    start.dialogs!({ cwd: '/home/dev/shop', io, args: [] }).map(({ id, certain }) => `${id} ${certain}`)

  test('are predicted from the settings, and --prepare answers them', () => {
    const io = scratchIo(undefined, { GEMINI_API_KEY: 'test' })
    const file = settings(io, { ui: { theme: 'Default' } })
    expect(ids(io)).toEqual(['trust true', 'auth true'])
    for (const make of Object.values(start.prepare!)) {
      const made = make({ cwd: '/home/dev/shop', io })
      writeFileSync(made.file, made.content)
    }
    expect(ids(io)).toEqual([])
    expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual({
      ui: { theme: 'Default' },
      security: { auth: { selectedType: 'gemini-api-key' } },
      general: { sessionRetention: { enabled: false } },
    })
    expect(start.prepare!.auth!({ cwd: '/x', io })).toEqual({
      file,
      sets: 'security.auth.selectedType',
      content: readFileSync(file, 'utf8'),
    })
  })

  test('comments of the user are not lost', () => {
    const io = scratchIo()
    const file = settings(io, '{ /* mine */ }')
    expect(() => start.prepare!.retention!({ cwd: '/x', io })).toThrow(`${file} has comments`)
  })

  test('auth cannot be prepared when no variable says how to log in', () => {
    expect(() => start.prepare!.auth!({ cwd: '/x', io: scratchIo() })).toThrow('no variable says how to log in')
  })
})

test('what the agent says, without calls, hints and what is typed', () => {
  const edge = '▄'.repeat(40)
  const read = (...lines: readonly string[]) => start.readAnswer!(lines.map((text) => ({ text, vivid: text })))
  const said = [edge, ' > look at the shop', edge, '✦ I will look.', '', '   - at once', '']
  const box = ['─'.repeat(40), ' YOLO Ctrl+Y', edge, ' > and then', edge, ' /home/dev/shop']
  const text = { rows: ['I will look.', '', ' - at once'], begins: true }
  expect(read(...said, ' ⠼ Thinking... (esc to cancel, 0s)', ...box)).toEqual(text)
  expect(read(...said, `${' '.repeat(60)}? for shortcuts`, ...box)).toEqual(text)
  expect(read(...said, '  ✓  WriteFile  note.txt → Accepted (+3, -0)', '', '      1 hello', ...box)).toEqual(text)
  expect(read(...said, '╭──────╮', '│ ⊶  Shell ls │', '│ README.md │', '╰──────╯', ...box)).toEqual(text)
  expect(read(...said, ' Thinking...', ' │', ' │ It may be empty.', ...box)).toEqual(text)
  expect(read('  the rest', '', '  of it', ...box)).toEqual({ rows: ['the rest', '', 'of it'], begins: false })
})
