import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { testStart } from '../../../test/suites/test-start.ts'
import { scratchIo } from '../../../test/support/scratch.ts'
import { readContext } from '../../native/read-context.ts'
import agent from './index.ts'

testStart(agent, new URL('./', import.meta.url), {
  session: '82ee4128-c9d8-45b8-a5c6-1f3a7ccebcc8',
  args: ['--model', 'opus'],
})

const start = agent.start!

test('dialogs are read from the settings, and --prepare answers them', () => {
  const io = { ...scratchIo(undefined, { ANTHROPIC_API_KEY: 'sk-test-1234' }), cwd: '/home/dev/shop' }
  const ids = (): string[] => start.dialogs!({ cwd: io.cwd, io, args: [] }).map(({ id }) => id)
  expect(ids()).toEqual(['onboarding', 'trust', 'api-key'])
  const file = join(io.home, '.claude.json')
  writeFileSync(file, JSON.stringify({ numStartups: 3, customApiKeyResponses: { approved: ['1234'] } }))
  expect(ids()).toEqual(['onboarding', 'trust'])
  for (const [name, make] of Object.entries(start.prepare!)) {
    const { content, sets, ...done } = make({ cwd: io.cwd, io })
    expect([done, sets]).toEqual([
      { file },
      name === 'trust' ? 'hasTrustDialogAccepted of /home/dev/shop' : 'hasCompletedOnboarding',
    ])
    writeFileSync(file, content)
  }
  expect(ids()).toEqual([])
  expect(start.prepare!.trust!({ cwd: io.cwd, io }).content).toBe(
    `${JSON.stringify(
      {
        numStartups: 3,
        customApiKeyResponses: { approved: ['1234'] },
        projects: { '/home/dev/shop': { hasTrustDialogAccepted: true } },
        hasCompletedOnboarding: true,
      },
      null,
      2,
    )}\n`,
  )
})

test('CLAUDE_CONFIG_DIR moves the settings too', () => {
  const io = scratchIo(undefined, { CLAUDE_CONFIG_DIR: '' })
  const folder = join(io.home, 'elsewhere')
  mkdirSync(folder)
  const moved = { ...io, env: { ...io.env, CLAUDE_CONFIG_DIR: folder } }
  expect(start.prepare!.trust!({ cwd: '/x', io: moved }).file).toBe(join(folder, '.claude.json'))
})

test('what makes it store no session is named', () => {
  const cwd = '/home/dev/shop'
  const by = (args: readonly string[], env: Record<string, string> = {}): string | undefined =>
    start.storingDisabledBy!({ args, cwd, io: scratchIo(undefined, env) })
  expect(by(['--model', 'opus'])).toBeUndefined()
  expect(by(['--no-session-persistence'])).toBe('--no-session-persistence')
  expect(by([], { CLAUDE_CODE_SKIP_PROMPT_HISTORY: '1' })).toBe('CLAUDE_CODE_SKIP_PROMPT_HISTORY')
})

test('a prompt that begins with one of its commands is refused, in both modes', () => {
  const io = scratchIo()
  const refusal = (text: string, headless: boolean): unknown => {
    const prompt = { text, argument: text, file: '/prompt.txt' }
    const request = { session: 'x', prompt, headless, args: [], cwd: io.cwd, folder: '/x', version: undefined, io }
    return start.preflight!('cold', request, readContext(io))
  }
  const expected = {
    why: expect.stringContaining('begins with "/clear"'),
    hint: 'put another word in front',
    isCommand: true,
  }
  expect([refusal('/clear it', true), refusal('/clear it', false)]).toEqual([expected, expected])
  expect([refusal('/etc/hosts', true), refusal('!ls', false)]).toEqual([undefined, undefined])
})

test.each([
  ['Write(note.txt)', ['● Write(note.txt)', '  ⎿  Wrote 3 lines to note.txt', '      1 hello']],
  ['a call without a mark', ['  Reading 1 file…']],
  ['a call with a clock', ['  Running a command · 3s', '  ⎿  $ sleep 5 (4s)']],
  ['a call in words', ['● Running a command', '  ⎿  $ sleep 5']],
  ['a call that begins', ['● Running 1 shell command…']],
])('what the agent says is not %s below it', (_, call) => {
  const rows = ['❯ look at the shop', '', '● I will look.', '', '  - at once', '', ...call, '', '✻ Computing… (2s)']
  expect(start.readAnswer!(rows.map((text) => ({ text, vivid: text })))).toEqual({
    rows: ['I will look.', '', '- at once'],
    begins: true,
  })
})
