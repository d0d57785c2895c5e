import { execFileSync } from 'node:child_process'
import { copyFileSync, cpSync, existsSync, mkdirSync, readdirSync, symlinkSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { PassThrough } from 'node:stream'
import { fileURLToPath } from 'node:url'
import width from 'fast-string-width'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { samples } from '../../../../scripts/samples/samples.ts'
import { builtFolder } from '../../../../test/support/built.ts'
import { scratchFolder, scratchIo, treeState } from '../../../../test/support/scratch.ts'
import { CATALOG_VERSION } from '../../../catalog/schema.ts'
import { noConfig } from '../../../config/config.ts'
import type { Context } from '../../command.ts'
import { keyPause, run } from './run.ts'

/** The samples, and the session that the tour itself makes, and hands over. */
const searched = [...(await samples()).values()].reduce((sum, { sessions }) => sum + sessions.length, 2)

const root = fileURLToPath(new URL('../../../../', import.meta.url))

/** A world with a folder of its own for temporary files, so that what is left behind can be seen. */
function world(terminal: Partial<Context['out']> = {}): { context: Context; said: () => string; temporary: string } {
  const io = scratchIo()
  const temporary = scratchFolder()
  vi.stubEnv('TMPDIR', temporary)
  // The tour starts the program again.
  process.argv[1] = join(builtFolder(), 'ion.cjs')
  onTestFinished(() => void vi.unstubAllEnvs())
  let text = ''
  const out = {
    isTTY: false,
    columns: 80,
    rows: 24,
    colour: false,
    ...terminal,
    write: (piece: string) => void (text += piece),
  }
  return { context: { io, out, err: out, config: noConfig }, said: () => text, temporary }
}

test('runs the real commands, shows a screenful of each, and removes its files', async () => {
  const { context, said, temporary } = world()
  const before = treeState(context.io.home)
  expect(await run([], { keep: false, pause: true }, context)).toBe('ok')
  const text = said()
  const start = "$ ion run claude --headless 'Show customers their refunds'"
  expect(text.match(/^\$ .*/gm)).toEqual([
    start,
    start,
    '$ ion run claude --headless --nudge',
    start,
    expect.stringMatching(/^\$ ion show [0-9a-f]{8}$/),
    expect.stringMatching(/^\$ ion handover [0-9a-f]{8} --in codex$/),
    '$ ion sessions --all --plain',
    '$ ion search refund',
    '$ ion show 2d67d85a',
    '$ ion export 2d67d85a --format md',
    '$ ion share 2d67d85a',
    '$ ion usage agents',
    '$ ion agents',
  ])
  const [, cold, cut, nudged, warm, made, handover, sessions, search, show, markdown, share, usage, agents] =
    text.split(/^\$ .*\n/m) as string[]
  expect(cold).toMatch(/ion: claude: starting a new session\n.*killed\n/s)
  expect(cut).toMatch(/the last turn of session [0-9a-f-]{36} was interrupted\n/)
  expect(nudged).toMatch(
    /resuming session [0-9a-f-]{36}, asking the agent to continue\nI have done it: Please continue/,
  )
  expect(warm).toMatch(/nothing started \(session [0-9a-f-]{36}, prompt delivered\s.*last\s+answer\s+I have done it/s)
  expect(made!.match(/Show customers their refunds/g)).toHaveLength(2)
  expect(handover).toMatch(/^wrote session [0-9a-f]{8} of Claude Code to Codex as [0-9a-f-]{36}\n/)
  expect(handover).toMatch(/mode {4}native .*\n.*\n {2}events {2}3 kept\n/)
  expect(sessions!.match(/2d67d85a|Fix the checkout test|Spec for gift cards|~\/projects\/shop/g)).toHaveLength(5)
  expect(search).toContain(`searched ${searched} sessions`)
  expect(show).toContain('▸ Bash grep -rn "refund"')
  expect(markdown).toMatch(/^# Customers get their refund twice\n/)
  expect(share).toContain('PAYMENTS_API_KEY=[redacted:secret-1]')
  expect(share).toMatch(/^masked: .*1 assigned secret$/m)
  expect(usage).toMatch(/^Claude Code .*\$0\.\d\d/m)
  expect(text).toMatch(/Try it on your own sessions \(add "web" for a browser\):\s+node\s+.*\n$/s)
  expect(agents!.match(/MB/g)!.length).toBeGreaterThan(11)
  expect(text).not.toContain('pay_4f9c21e7ab3058d6f1c4e2b79a60d813')
  expect(text.split('\n').length).toBeLessThan(190)
  expect(readdirSync(temporary)).toEqual([])
  expect(treeState(context.io.home)).toEqual(before)
})

test('says so when the fake agent is missing', async () => {
  const alone = join(scratchFolder(), 'ion.cjs')
  const { context, temporary } = world()
  copyFileSync(process.argv[1]!, alone)
  process.argv[1] = alone
  await expect(run([], { keep: false, pause: true }, context)).rejects.toMatchObject({
    message: `the fake agent of the demo is missing: ${join(dirname(alone), 'fake-agent.cjs')}`,
    hint: 'reinstall Ion',
  })
  expect(readdirSync(temporary)).toEqual([])
})

test('--keep keeps the samples and prints how to use them', async () => {
  const { context, said, temporary } = world()
  expect(await run([], { keep: true, pause: true }, context)).toBe('ok')
  const home = join(temporary, readdirSync(temporary)[0]!)
  expect(said()).toContain(`  HOME=${home} ION_HOME=${home}/.ion node ${process.argv[1]} sessions --all\n`)
  expect(existsSync(join(home, '.ion', `catalog.${CATALOG_VERSION}.db`))).toBe(true)
})

test('fits a small terminal', async () => {
  const { context, said } = world({ isTTY: true, columns: 60, rows: 18 })
  await run([], { keep: false, pause: false }, context)
  for (const line of said().split('\n')) expect(width(line), line).toBeLessThanOrEqual(60)
  for (const part of said()
    .split(/^\$ .*\n/m)
    .slice(1))
    expect(part.split('\n').length).toBeLessThan(18)
})

test('no variable of the user points outside the temporary home', async () => {
  const other = scratchFolder()
  const { context, said } = world()
  const env = { ...context.io.env, CLAUDE_CONFIG_DIR: other, CODEX_HOME: other, XDG_DATA_HOME: other, ION_HOME: other }
  await run([], { keep: false, pause: true }, { ...context, io: { ...context.io, env } })
  expect(said()).toContain(`searched ${searched} sessions`)
  expect(readdirSync(other)).toEqual([])
})

describe('the pause', () => {
  /** What comes of a key, and whether the terminal was given back. */
  async function press(key: string | undefined): Promise<unknown> {
    const modes: boolean[] = []
    const input = Object.assign(new PassThrough(), { setRawMode: (on: boolean) => void modes.push(on) })
    const { context, said } = world({ isTTY: true })
    const answer = keyPause(context, input as unknown as NodeJS.ReadStream)()
    if (key === undefined) input.end()
    else input.write(key)
    return [await answer, modes, said().endsWith('\r'), input.listenerCount('data')]
  }

  test.each([' ', '\r', 'x', '\x1b[B'])('%j continues', async (key) => {
    expect(await press(key)).toEqual([true, [true, false], true, 0])
  })

  test.each(['q', 'Q', '\x03', '\x04', '\x1b', undefined])('%j ends', async (key) => {
    expect(await press(key)).toEqual([false, [true, false], true, 0])
  })
})

test('the built program finds its samples and its fake agent where a package manager puts them', () => {
  const folder = scratchFolder()
  const package_ = join(folder, 'lib', 'ion')
  cpSync(builtFolder(), join(package_, 'dist'), { recursive: true })
  cpSync(join(root, 'samples'), join(package_, 'samples'), { recursive: true })
  symlinkSync(join(root, 'node_modules'), join(package_, 'node_modules'))
  // A link, as in node_modules/.bin.
  symlinkSync(join(package_, 'dist/ion.cjs'), join(folder, 'lib', 'command'))
  const temporary = join(folder, 'tmp')
  mkdirSync(temporary)
  const env = { PATH: process.env.PATH, HOME: folder, TMPDIR: temporary, NO_COLOR: '1' }
  const text = execFileSync(process.execPath, [join(folder, 'lib', 'command'), 'demo'], {
    env,
    cwd: '/',
    encoding: 'utf8',
  })
  expect(text).toContain('PAYMENTS_API_KEY=[redacted:secret-1]')
  expect(text).toMatch(/Try it on your own sessions \(add "web" for a browser\): ion\n$/)
  expect(readdirSync(temporary)).toEqual([])
  expect(readdirSync(folder).sort()).toEqual(['lib', 'tmp'])
})

test.each(['head -2', 'sleep 1'])('a reader that goes away (%s) leaves nothing behind', (reader) => {
  const temporary = scratchFolder()
  const env = { PATH: process.env.PATH, HOME: temporary, TMPDIR: temporary }
  execFileSync('sh', ['-c', `"$0" "$1" demo | ${reader}`, process.execPath, join(builtFolder(), 'ion.cjs')], { env })
  expect(readdirSync(temporary)).toEqual([])
})
