import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { play } from '../../../test/fake-agent/play.ts'
import { testStart } from '../../../test/suites/test-start.ts'
import { listAll, readAll } from '../../../test/support/read-all.ts'
import { scratchIo } from '../../../test/support/scratch.ts'
import type { Io } from '../../platform/io.ts'
import agent from './index.ts'

testStart(agent, new URL('./', import.meta.url), {
  session: '9c5a3a4e-7a0a-4e0e-9c52-0f4b7d0a0001',
  args: ['--model', 'gpt-5.4'],
})

const start = agent.start!
const COMMENTS = '// User settings belong in settings.json.\n// This file is managed automatically.\n'

test('trust is read from the settings; --prepare sets it and keeps the rest', () => {
  const io = { ...scratchIo(), cwd: '/home/dev/shop' }
  const asked = [{ id: 'trust', asks: 'asks whether you trust this folder', certain: true }]
  const dialogs = (cwd: string) => start.dialogs!({ cwd, io, args: [] })
  expect(dialogs(io.cwd)).toEqual(asked)
  const file = join(io.home, '.copilot/config.json')
  mkdirSync(join(io.home, '.copilot'))
  writeFileSync(file, `${COMMENTS}{ "appTipShown": true, "trustedFolders": ["/home/dev/notes"] }\n`)
  expect([dialogs(io.cwd), dialogs('/home/dev/notes')]).toEqual([asked, []])
  const prepared = start.prepare!.trust!({ cwd: io.cwd, io })
  const settings = { appTipShown: true, trustedFolders: ['/home/dev/notes', '/home/dev/shop'] }
  expect(prepared).toEqual({
    file,
    sets: '/home/dev/shop in trustedFolders',
    content: `${COMMENTS}${JSON.stringify(settings, null, 2)}\n`,
  })
  writeFileSync(file, prepared.content)
  expect([dialogs(io.cwd), start.prepare!.trust!({ cwd: io.cwd, io })]).toEqual([[], prepared])
})

test('a folder inside a trusted one is trusted', () => {
  const io = scratchIo()
  mkdirSync(join(io.home, '.copilot'))
  writeFileSync(join(io.home, '.copilot/config.json'), '{ "trustedFolders": ["/home/dev/shop"] }')
  const folders = ['/home/dev/shop/src', '/home/dev/shop2', '/home/dev']
  expect(folders.map((cwd) => start.dialogs!({ cwd, io, args: [] }).length)).toEqual([0, 1, 1])
  const all = { ...io, env: { ...io.env, COPILOT_ALLOW_ALL: 'true' } }
  expect(start.dialogs!({ cwd: '/home/dev', io: all, args: [] }).map(({ certain }) => certain)).toEqual([false])
})

test('COPILOT_HOME moves the settings too; none exist yet', () => {
  const io = scratchIo()
  const moved = { ...io, env: { ...io.env, COPILOT_HOME: join(io.home, 'elsewhere') } }
  expect(start.prepare!.trust!({ cwd: '/x', io: moved })).toEqual({
    file: join(io.home, 'elsewhere/config.json'),
    sets: '/x in trustedFolders',
    content: '{\n  "trustedFolders": [\n    "/x"\n  ]\n}\n',
  })
})

test.each([
  ['trust', '│ Confirm folder trust'],
  ['trust', '│ Do you trust the files in this folder?'],
  ['login', 'Please use /login to sign in to use Copilot'],
  ['in-use', '│ Session in use'],
])('recognises the %s dialog on the screen', (id, screen) => {
  expect(start.screens!.filter(({ pattern }) => pattern.test(screen)).map((one) => one.id)).toEqual([id])
})

describe('the fake one', () => {
  const ID = '22222222-2222-4222-8222-222222222222'

  async function played(argv: readonly string[], io: Io): Promise<{ code: number; complaint: string; out: string }> {
    const said = { complaint: '', out: '' }
    const stage = {
      print: (text: string) => void (said.out += text),
      complain: (text: string) => void (said.complaint += text),
      input: process.stdin,
    }
    return { code: await play(agent.id, argv, io, stage, 'Hello'), ...said }
  }

  test('opens a session again by --session-id, as the real one', async () => {
    const io = scratchIo()
    const once = { code: 0, complaint: '', out: 'I have done it: Hello\n\n' }
    expect([await played(['-s', `--session-id=${ID}`], io), await played(['-s', `--session-id=${ID}`], io)]).toEqual([
      once,
      once,
    ])
    const { heads } = listAll(agent, io)
    const { events } = readAll(agent, heads[0]!, io)
    expect([heads.map((head) => head.native_id), events.map(({ type }) => type)]).toEqual([
      [ID],
      ['session_start', 'user', 'assistant', 'user', 'assistant'],
    ])
  })

  test.each([
    ['-s --session-id=nope', "Error: No session or task matched 'nope'."],
    ['-s --resume=nope', "Error: No session, task, or name matched 'nope'."],
  ])('%s: refused, as by the real one', async (line, complaint) => {
    const refused = await played(line.split(' '), scratchIo())
    expect([refused.code, refused.complaint.split('\n')[0], refused.out]).toEqual([1, complaint, ''])
  })
})

test.each(['!ls', '/init'])('a prompt that begins as %s does is text on the screen too', (text) => {
  const io = scratchIo()
  const prompt = { text, argument: text, file: '/prompt.txt' }
  const request = { session: 'x', prompt, headless: false, args: [], cwd: io.cwd, folder: '/x', version: undefined, io }
  expect([start.cold(request).args.at(-1), start.warm(request).args.at(-1)]).toEqual([
    `--interactive= ${text}`,
    `--interactive= ${text}`,
  ])
})

describe('what the agent says', () => {
  /** As 1.0.102 draws it, with a scroll bar; marks of text are blue, those of calls green. */
  const read = (...lines: readonly (readonly [string, string?])[]) =>
    start.readAnswer!(
      [[' [Current]  Sessions'] as const, ...lines].map(([line, colour]) => {
        const text = `${line.padEnd(60)} ┃`
        return { text, vivid: text, ...(colour === undefined ? {} : { colour }) }
      }),
    )

  test('is below the prompt, and neither a call nor a thought', () => {
    const said = [
      [' ❯ look at the shop          02:09'],
      [''],
      [' ● I will look.', '4'],
      ['   At once.'],
      [''],
    ] as const
    const text = { rows: ['I will look.', 'At once.'], begins: true }
    expect(read(...said)).toEqual(text)
    expect(read(...said, [' ● Create note +1', '2'])).toEqual(text)
    expect(read(...said, [' ○ Edit note', '3'])).toEqual(text)
    expect(read(...said, [' $ Shell Run a command 3 lines…', '3'], ['   ls'])).toEqual(text)
    expect(read(...said, [' ● Shell "Run a command" completed', '4'])).toEqual(text)
    expect(read(...said, [' ● Operation cancelled by user', '4'])).toEqual(text)
    expect(read(...said, [' ❯ Thinking…'])).toEqual(text)
    expect(read(...said, [' ❯ later'], ['   └ [pending · ↑ recall]'])).toEqual(text)
    expect(read(...said, [' ❯ and now?          02:10'])).toBeUndefined()
  })

  test('is not a notice below the logo', () => {
    const notice = [' ● No copilot-instructions.md found. Run /init to generate.', '4'] as const
    expect(read(['  ╭─╮╭─╮'], [''], notice)).toBeUndefined()
  })

  test('may have scrolled away', () => {
    expect(read([''], ['   the rest'])).toEqual({ rows: ['the rest'], begins: false })
  })
})
