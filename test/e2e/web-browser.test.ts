import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { runningWeb } from '../../src/server/browse/registry.ts'
import { until } from '../support/wait-until.ts'
import { ioOf } from './fake-agent.ts'
import { type Machine, machine, type Outcome, runIon } from './run-ion.ts'

interface World {
  readonly where: Machine
  /** The PATH: nothing of this machine is on it. */
  readonly bin: string
  ion(args: readonly string[], env?: Record<string, string>): Promise<Outcome>
}

function world(): World {
  const where = machine('claude/fixtures/2.1.325')
  const bin = join(where.root, 'bin')
  mkdirSync(bin)
  const ion: World['ion'] = (args, env = {}) => runIon(where, args, { env: { PATH: bin, ...env } })
  onTestFinished(async () => void (await ion(['web', '--stop'])))
  return { where, bin, ion }
}

interface Browser {
  readonly program: string
  /** What it was opened with, once it was. */
  opened(): Promise<string[]>
  readonly isOpened: () => boolean
}

/** A browser that records its arguments. */
function browser(folder: string, name: string, then = 'exit 0'): Browser {
  const [program, file] = [join(folder, name), join(folder, `${name}.opened`)]
  writeFileSync(
    program,
    `#!/bin/sh\nPATH=/usr/bin:/bin\nprintf '%s\\n' "$@" > "${file}.part"\nmv "${file}.part" "${file}"\n${then}\n`,
  )
  chmodSync(program, 0o755)
  const isOpened = (): boolean => existsSync(file)
  const opened = async (): Promise<string[]> => {
    await until(() => expect(isOpened()).toBe(true))
    return readFileSync(file, 'utf8').trimEnd().split('\n')
  }
  return { program, opened, isOpened }
}

const LINK = /^http:\/\/127\.0\.0\.1:\d+\/\?token=[\w-]{32}\n$/
const NO_BROWSER = 'no browser can be opened here: open the link on a machine that reaches this port'

test('the printed link is opened in $BROWSER, by its name, its path, or with a place for the address', async () => {
  const { bin, ion } = world()
  expect((await ion(['web', '--detach', '--port', '0', '--no-open'])).code).toBe(0)
  const cases: [string, (program: string, name: string) => string, (link: string) => string[]][] = [
    ['named', (_, name) => name, (link) => [link]],
    ['by-path', (program) => program, (link) => [link]],
    ['with-arguments', (_, name) => `${name} --new-window`, (link) => ['--new-window', link]],
    ['with-place', (_, name) => `${name} -new-tab %s -P work`, (link) => ['-new-tab', link, '-P', 'work']],
    ['in-a-word', (_, name) => `${name} --app=%s`, (link) => [`--app=${link}`]],
    ['first-installed', (_, name) => `nothing %s: :/nowhere/browser:${name}:xdg-open`, (link) => [link]],
    ['no-shell', (_, name) => `${name} $(id) ;`, (link) => ['$(id)', ';', link]],
  ]
  for (const [name, setting, args] of cases) {
    const one = browser(bin, name)
    // A display is not needed: it may be a browser in the terminal.
    const { code, out, err } = await ion(['web'], { BROWSER: setting(one.program, name) })
    expect([name, code, out, err]).toEqual([name, 0, expect.stringMatching(LINK), ''])
    expect([name, await one.opened()]).toEqual([name, args(out.trim())])
  }
})

test('without $BROWSER the desktop opens the link; --no-open opens nothing', async () => {
  const { bin, ion } = world()
  const opener = browser(bin, 'xdg-open')
  const started = await ion(['web', '--detach', '--port', '0', '--no-open'], { DISPLAY: ':99' })
  expect([started.out, opener.isOpened()]).toEqual([expect.stringMatching(LINK), false])
  const again = await ion(['web'], { WAYLAND_DISPLAY: 'wayland-0', BROWSER: 'nothing' })
  expect(again).toMatchObject({ code: 0, out: expect.stringMatching(LINK), err: '' })
  expect(await opener.opened()).toEqual([again.out.trim()])
})

test('ion web --detach and ion open open what they print', async () => {
  const { bin, ion } = world()
  const [first, second] = [browser(bin, 'first'), browser(bin, 'second')]
  const started = await ion(['web', '--detach', '--port', '0'], { BROWSER: 'first' })
  expect([started.code, await first.opened()]).toEqual([0, [started.out.trim()]])
  const [row] = (await ion(['sessions', '--all', '--json', '--limit', '1'])).out.split('\n')
  const opened = await ion(['open', (JSON.parse(row!) as { id: string }).id], { BROWSER: 'second' })
  expect([opened.code, await second.opened()]).toEqual([0, [opened.out.trim()]])
})

test('without a display the link is only printed', async () => {
  const { bin, ion } = world()
  const opener = browser(bin, 'xdg-open')
  const { code, out, err } = await ion(['web', '--detach', '--port', '0'], { BROWSER: 'nothing:/nowhere/browser' })
  expect([code, out, err.split('\n')[0]]).toEqual([0, expect.stringMatching(LINK), NO_BROWSER])
  // With one, but without a program that opens links.
  const other = await world().ion(['web', '--detach', '--port', '0'], { DISPLAY: ':99' })
  expect([other.out, other.err.split('\n')[0]]).toEqual([expect.stringMatching(LINK), NO_BROWSER])
  expect(opener.isOpened()).toBe(false)
})

test('a browser that fails does not end the server', async () => {
  const { where, bin, ion } = world()
  const failing = browser(bin, 'failing', 'exit 7')
  // Found, but it cannot be started.
  writeFileSync(join(bin, 'broken'), '#!/nowhere/sh\n')
  chmodSync(join(bin, 'broken'), 0o755)
  for (const BROWSER of ['failing', 'broken']) {
    let pid: number | undefined
    const running = runIon(where, ['web', '--port', '0'], {
      env: { PATH: bin, BROWSER },
      onStart: (started) => (pid = started),
    })
    await until(() => expect(runningWeb(ioOf(where))?.pid).toBe(pid))
    const { url } = runningWeb(ioOf(where))!
    if (BROWSER === 'failing') await failing.opened()
    const link = (await ion(['web', '--no-open'])).out.trim()
    expect([BROWSER, (await fetch(link, { redirect: 'manual' })).status]).toEqual([BROWSER, 302])
    process.kill(pid!, 'SIGTERM')
    const { code, out } = await running
    expect([BROWSER, code, out]).toEqual([BROWSER, 0, expect.stringMatching(/^http\S+\/\?token=[\w-]{32}\nstopped\n$/)])
    expect(out.startsWith(url)).toBe(true)
  }
})
