import { spawn } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { builtFolder } from '../support/built.ts'
import { until } from '../support/wait-until.ts'
import { promptsOf } from './fake-agent.ts'
import { claude as agent, installFakeClaude } from './fake-claude.ts'
import { type Machine, machine, type Outcome, runIon } from './run-ion.ts'
import { ionWindow, type Window } from './terminal.ts'

interface World {
  readonly where: Machine
  readonly path: string
  ion(...args: string[]): Promise<Outcome>
}

/** A machine on which the fake agent runs in the background with a prompt. */
async function world(): Promise<World> {
  const where = machine()
  const path = installFakeClaude(where, 'serve-agent.mjs')
  const ion = (...args: string[]): Promise<Outcome> => runIon(where, args, { env: { PATH: path } })
  onTestFinished(async () => {
    await ion('stop', '--all', '--grace', '0')
  })
  expect(await ion('run', 'claude', '--detach', 'fix the cart')).toMatchObject({ code: 0 })
  return { where, path, ion }
}

const shown = (window: Window, part: string): Promise<unknown> => until(() => expect(window.text()).toContain(part))

describe('ion attach --chat', () => {
  test('shows the messages, sends what is typed, writes the session, and leaves the agent running', async () => {
    const { where, path, ion } = await world()
    const window = ionWindow(where, ['attach', '--chat'], { path })
    await shown(window, 'fix the cart')
    await shown(window, 'done: fix the cart')
    await shown(window, 'claude>')
    window.type('and the tax\r')
    await shown(window, 'done: and the tax')
    // It appears once: as it was typed.
    expect(window.text().match(/^.*(?<!: )and the tax$/gm)).toEqual([expect.stringContaining('> and the tax')])
    expect(Object.values(promptsOf(where, agent))).toEqual([['fix the cart', 'and the tax']])

    window.type('/help\r')
    await shown(window, '/export [fmt] [file]')
    window.type('/share shared.md\r')
    await shown(window, 'wrote ~/shared.md')
    window.type('/export jsonl all.jsonl\r')
    await shown(window, 'wrote ~/all.jsonl')
    expect(readFileSync(join(where.home, 'shared.md'), 'utf8')).toContain('and the tax')
    expect(readFileSync(join(where.home, 'all.jsonl'), 'utf8').split('\n')[0]).toContain('"session_start"')
    window.type('/share\r')
    await until(() => expect(readdirSync(where.home).filter((name) => /claude.*\.md$/.test(name))).toHaveLength(1))

    window.type('/quit\r')
    expect(await window.exit).toBe(0)
    expect((await ion('ps', '--json')).out).toContain('"agent":"claude"')
  })

  test('in a pipe: line by line, each after the answer to the previous one; then it exits', async () => {
    const { where, path } = await world()
    await until(() => expect(Object.values(promptsOf(where, agent))).toEqual([['fix the cart']]))
    const child = spawn(process.execPath, [join(builtFolder(), 'ion.cjs'), 'attach', '--chat', 'claude'], {
      cwd: where.home,
      env: { PATH: path, HOME: where.home, ION_HOME: where.ionHome, TMPDIR: where.root },
      stdio: ['pipe', 'pipe', 'pipe'],
    })
    let said = ''
    for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (words) => (said += words))
    child.stdin.end('one more\n/export jsonl between.jsonl\nand a last one\n')
    expect(await new Promise((resolve) => child.on('close', resolve))).toBe(0)
    expect(Object.values(promptsOf(where, agent))).toEqual([['fix the cart', 'one more', 'and a last one']])
    expect(said).toContain('  done: and a last one\n')
    const between = readFileSync(join(where.home, 'between.jsonl'), 'utf8')
    expect([between.includes('done: one more'), between.includes('and a last one')]).toEqual([true, false])
    expect(said).not.toContain('\x1b')
  })

  test('shows the end of an answer while it is written, and then all of it, once', async () => {
    const { where, path } = await world()
    const window = ionWindow(where, ['attach', '--chat'], { path, size: { columns: 80, rows: 50 } })
    await shown(window, 'done: fix the cart')
    window.type('write 20\r')
    await shown(window, 'line 4 of the answer')
    window.type('next\r')
    // Not more than its last rows, above the line for typing.
    await until(() => expect(window.text()).toMatch(/line 15 of the answer\s+(?:line .*\s+)*claude[^\n]*> *$/))
    expect(window.text()).not.toContain('line 1 of')
    await shown(window, 'line 20 of the answer')
    await shown(window, 'done: next')
    await until(() => expect(window.text()).toMatch(/claude> *$/))
    expect(window.text().match(/line \d+ of the answer/g)).toHaveLength(20)
    expect(window.text()).toMatch(/^claude .*> next$/m)
  })

  test('shows an answer while it is written also where the agent stores its prompt only with it', async () => {
    const { where, path } = await world()
    const window = ionWindow(where, ['attach', '--chat'], { path, size: { columns: 80, rows: 90 } })
    await shown(window, 'done: fix the cart')
    window.type('late 60\r')
    // Its last rows only.
    await until(() => expect(window.text()).toMatch(/> late 60\n(?:ion: .*\n)? +line \d\d of late 60/))
    await shown(window, 'line 60 of late 60')
    await until(() => expect(window.text()).toMatch(/claude> *$/))
    expect(window.text().match(/line \d+ of late 60/g)).toHaveLength(60)
    expect(window.text().match(/late 60$/gm)).toHaveLength(61)
  })

  test('a line of several rows that is being typed stays as it is when an answer arrives', async () => {
    const { where, path } = await world()
    const window = ionWindow(where, ['attach', '--chat'], { path })
    await shown(window, 'done: fix the cart')
    window.type('write 8\r')
    const typed = Array.from({ length: 60 }, (_, at) => `word${at}`).join(' ')
    window.type(typed)
    await until(() => expect(window.text()).toMatch(/line 1 of the answer[\s\S]*line 8 of the answer\s+claude> word0 /))
    const joined = window.text().replaceAll('\n', '')
    expect(joined.split(typed.replaceAll('\n', '')).length - 1).toBe(1)
    expect(joined.match(/line \d of the answer/g)).toHaveLength(8)
    expect(joined.match(/write 8/g)).toHaveLength(1)
  })

  test('shows what the agent asks, and the number of a choice answers it', async () => {
    const { where, path } = await world()
    const window = ionWindow(where, ['attach', '--chat'], { path })
    await shown(window, 'claude>')
    window.type('ask\r')
    await shown(window, '? Do you want to proceed?')
    await shown(window, 'rm -rf build')
    await shown(window, '2. Yes, and do not ask again')
    window.type('no, wait\r')
    await shown(window, 'not sent: the agent asks something else: Do you want to proceed?')
    window.type('2\r')
    await shown(window, 'chose Yes, and do not ask again')
    await shown(window, '  · Yes, and do not ask again · asked: Do you want to proceed? · answered in ion')
    await shown(window, '    attach --chat, ')
    window.type('/quit\r')
    expect(await window.exit).toBe(0)
  })

  test('exits when the agent exits, with its exit code; says so when nothing is running', async () => {
    const { where, path, ion } = await world()
    const window = ionWindow(where, ['attach', '--chat'], { path })
    await shown(window, 'done: fix the cart')
    window.type('exit 0\r')
    await shown(window, 'the agent has ended with exit code 0')
    expect(await window.exit).toBe(0)
    expect(await ion('attach', '--chat')).toMatchObject({ code: 3, err: expect.stringContaining('no running task') })
  })
})
