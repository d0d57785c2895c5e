import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { givenPin } from './given-program.ts'
import { builds, type Unavailable } from './pins.ts'

const givable = builds().find((build) => 'unavailable' in build.pin && givenPin(build))!.name
const script = fileURLToPath(new URL('prove.ts', import.meta.url))

function prove(...args: string[]): { code: number | null; out: string; err: string } {
  const { status, stdout, stderr } = spawnSync(process.execPath, ['--import', 'tsx', script, ...args], {
    encoding: 'utf8',
  })
  return { code: status, out: stdout, err: stderr }
}

test('--help prints the options and installs nothing', () => {
  const { code, out, err } = prove('--help')
  expect({ code, err }).toEqual({ code: 0, err: '' })
  expect(out).toMatch(/^npm run prove .*--latest.*--story <name>/s)
})

test.each([
  [['--lates'], "Unknown option '--lates'"],
  [['--story', 'nothing'], 'no story "nothing"; known: retention, life,'],
  [['--until', 'noon'], '--until takes seconds since 1970'],
  [['--with', 'nothing'], '--with takes agent=program, not "nothing"'],
  [['nobody'], 'no agent "nobody" has a test/pin.json; known: '],
])('%j is an error', (args, message) => {
  const { code, out, err } = prove(...args)
  expect({ code, out }).toEqual({ code: 2, out: '' })
  expect(err).toContain(`prove: ${message}`)
  expect(err).toMatch(/-> npm run prove -- --help\n$/)
})

test('an agent that is in no registry is skipped, saying how to prove it', () => {
  const { code, out } = prove(givable, '--check')
  expect({ code, out }).toEqual({
    code: 0,
    out: expect.stringContaining(`skipped without --with ${givable}=<program>`),
  })
})

test('--latest with nothing to run says so, and does not count it as passed', () => {
  const { name, pin } = builds().find((build) => 'unavailable' in build.pin)!
  const { code, out } = prove(name, '--latest')
  expect({ code, out }).toEqual({
    code: 1,
    out: expect.stringMatching(/^prove: nothing ran: .*\n$/m),
  })
  expect(out).toContain(`${name}: ${(pin as Unavailable).unavailable}`)
  expect(out).not.toContain('passed')
})
