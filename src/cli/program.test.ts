import { describe, expect, test } from 'vitest'
import { fakeContext } from '../testing/fake-terminal.ts'
import { scratchIo } from '../testing/scratch.ts'
import { main } from './main.ts'

async function ion(...argv: string[]): Promise<{ code: number; out: string; err: string }> {
  const context = fakeContext(scratchIo())
  const code = await main(argv, context)
  return { code, out: context.out.text, err: context.err.text }
}

describe('wrong usage gets exit code 2 and a next step', () => {
  test.each([
    [['frobnicate'], 'ion: there is no command "frobnicate"\n  -> ion --help\n'],
    [['session'], 'ion: there is no command "session"\n  -> ion sessions\n'],
    [['3f2a91bc'], 'ion: there is no command "3f2a91bc"\n  -> ion show 3f2a91bc\n'],
    [['show'], "ion: missing required argument 'id'\n  -> ion show --help\n"],
    [['sessions', '--nope'], "ion: unknown option '--nope'\n  -> ion sessions --help\n"],
  ])('%j', async (argv, err) => {
    expect(await ion(...argv)).toEqual({ code: 2, out: '', err })
  })
})

test('plain "ion" on a machine with nothing says so kindly', async () => {
  const { code, out, err } = await ion()
  expect({ code, err }).toEqual({ code: 0, err: '' })
  expect(out).toContain('ion demo')
})

test('help names every command that is not internal', async () => {
  const { code, out } = await ion('--help')
  expect(code).toBe(0)
  for (const name of ['sessions', 'show', 'search', 'export', 'share', 'agents', 'doctor', 'reindex', 'demo']) {
    expect(out).toContain(`\n  ${name} `)
  }
})
