import { existsSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { fakeContext } from '../../test/support/fake-terminal.ts'
import { scratchIo } from '../../test/support/scratch.ts'
import { commands } from './commands/index.ts'
import { main } from './main.ts'

async function ion(...argv: string[]): Promise<{ code: number; out: string; err: string }> {
  const context = fakeContext(scratchIo())
  const code = await main(argv, context)
  return { code, out: context.out.text, err: context.err.text }
}

describe('wrong usage gets exit code 2 and a next step', () => {
  test.each([
    [['frobnicate'], 'ion: unknown command "frobnicate"\n  -> ion --help\n'],
    [['session'], 'ion: unknown command "session"\n  -> did you mean "ion sessions"?\n'],
    [['help', 'session'], 'ion: unknown command "session"\n  -> did you mean "ion sessions"?\n'],
    [['ls'], 'ion: unknown command "ls"\n  -> did you mean "ion sessions"?\n'],
    [['list'], 'ion: unknown command "list"\n  -> did you mean "ion sessions"?\n'],
    [['lst'], 'ion: unknown command "lst"\n  -> did you mean "ion sessions"?\n'],
    [['help', 'histroy'], 'ion: unknown command "histroy"\n  -> did you mean "ion sessions"?\n'],
    [['aider', 'fix it'], 'ion: unknown command "aider"\n  -> did you mean "ion run aider"?\n'],
    [['serach', 'x'], 'ion: unknown command "serach"\n  -> did you mean "ion search"?\n'],
    [
      ['snapshot', 'x.tar.gz'],
      'ion: the subcommand is missing before "x.tar.gz"\n  -> ion snapshot create x.tar.gz; or: list, verify, restore\n',
    ],
    [
      ['snapshot', './x.tar.gz', '3f2a'],
      'ion: the subcommand is missing before "./x.tar.gz"\n  -> ion snapshot create ./x.tar.gz; or: list, verify, restore\n',
    ],
    [['snapshot', 'crate', 'x'], 'ion: unknown subcommand "crate"\n  -> did you mean "ion snapshot create"?\n'],
    [['3f2a91bc'], 'ion: unknown command "3f2a91bc"\n  -> ion show 3f2a91bc\n'],
    [['show'], "ion: missing required argument 'id'\n  -> ion show --help\n"],
    [['sessions', '--nope'], "ion: unknown option '--nope'\n  -> ion sessions --help\n"],
  ])('%j', async (argv, err) => {
    expect(await ion(...argv)).toEqual({ code: 2, out: '', err })
  })
})

test('plain "ion" without agents and sessions points to the demo', async () => {
  const { code, out, err } = await ion()
  expect({ code, err }).toEqual({ code: 0, err: '' })
  expect(out).toContain('ion demo')
})

const shown = commands.filter((command) => !command.internal)

test('help has one line for every public command and fits into 80 columns', async () => {
  const { code, out } = await ion('--help')
  expect(code).toBe(0)
  const lines = out.split('\n')
  expect(lines.filter((line) => line.length > 80)).toEqual([])
  expect(
    shown.filter(({ name, summary }) => !lines.some((line) => line === `  ${name.padEnd(14)}  ${summary}`)),
  ).toEqual([])
})

test('"ion help show" is "ion show --help", and "ion help" is "ion --help"', async () => {
  expect(await ion('help', 'show')).toEqual(await ion('show', '--help'))
  expect(await ion('help')).toEqual(await ion('--help'))
})

test('help names documents by their path in the package', async () => {
  const { out } = await ion('prune', '--help')
  const [path = ''] = /\S+\/docs\/prune\.md/.exec(out) ?? []
  expect(existsSync(path)).toBe(true)
})

test('every public command has a heading in help, and an example', () => {
  expect(shown.filter(({ group, examples }) => !group || !examples?.length).map(({ name }) => name)).toEqual([])
})
