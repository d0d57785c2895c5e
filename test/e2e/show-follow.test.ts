import { spawn } from 'node:child_process'
import { appendFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { builtFolder } from '../support/built.ts'
import { until } from '../support/wait-until.ts'
import { claudeLines, writeClaude } from './claude-session.ts'
import { type Machine, machine, runIon } from './run-ion.ts'

const id = '3f2a0000-0000-4000-8000-000000000001'

/** `ion show --follow` on a session, and what it has printed. */
function follow(where: Machine) {
  const child = spawn(process.execPath, [join(builtFolder(), 'ion.cjs'), 'show', id, '--follow'], {
    cwd: where.home,
    env: { HOME: where.home, ION_HOME: where.ionHome, PATH: '' },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const exit = new Promise<number | null>((resolve) => child.once('close', resolve))
  onTestFinished(async () => {
    child.kill('SIGKILL')
    await exit
  })
  const printed = { out: '', err: '' }
  child.stdout.setEncoding('utf8').on('data', (text) => (printed.out += text))
  child.stderr.setEncoding('utf8').on('data', (text) => (printed.err += text))
  return { child, exit, printed }
}

/** What the agent appends for another turn. */
function turn(name: string): string {
  const lines = claudeLines({ id, prompt: `the ${name} prompt`, answer: `the ${name} answer` })
  return `${lines.map((line) => line.replaceAll(/"uuid":"[^"]*"/g, () => `"uuid":"${crypto.randomUUID()}"`)).join('\n')}\n`
}

test('show --follow prints the end, then what the agent writes, once each, and ends at Ctrl-C', async () => {
  const where = machine()
  const path = writeClaude(where, { id, prompt: 'the first prompt', answer: 'the first answer' })
  const { child, exit, printed } = follow(where)
  await until(() => expect(printed.out).toContain('the first answer'))
  // A line that is being written is not shown before it is complete.
  const text = turn('second')
  appendFileSync(path, text.slice(0, 40))
  appendFileSync(path, text.slice(40))
  await until(() => expect(printed.out).toContain('the second answer'))
  child.kill('SIGINT')
  expect(await exit).toBe(0)
  for (const said of ['first prompt', 'first answer', 'second prompt', 'second answer']) {
    expect({ said, times: printed.out.split(said).length - 1 }).toEqual({ said, times: 1 })
  }
  expect(printed.err).toBe('')
})

test('show --follow reports damaged lines, old and new, once each, and continues', async () => {
  const where = machine()
  const path = writeClaude(where, { id, prompt: 'the first prompt', answer: 'the first answer' })
  appendFileSync(path, `{"damaged": \n${turn('second')}`)
  const { child, exit, printed } = follow(where)
  await until(() => expect(printed.out).toContain('the second answer'))
  appendFileSync(path, `{"type":"user","mess\n${turn('third')}`)
  await until(() => expect(printed.out).toContain('the third answer'))
  appendFileSync(path, turn('fourth'))
  await until(() => expect(printed.out).toContain('the fourth answer'))
  child.kill('SIGINT')
  expect(await exit).toBe(0)
  const reports = printed.err.split('\n').filter((line) => line.startsWith('could not be read: '))
  expect(reports.map((line) => /, line (\d+)\)$/.exec(line)?.[1])).toEqual(['3', '6'])
})

test.each([
  [['--follow', '--json'], '--follow and --json'],
  [['--follow', '--turn', '1'], '--follow and --turn'],
  [['--at', 'x', '--last', '1'], 'an event and --last'],
])('show %j is refused', async (options, together) => {
  const where = machine()
  writeClaude(where, { id })
  const { code, out, err } = await runIon(where, ['show', id, ...options])
  expect({ code, out }).toEqual({ code: 2, out: '' })
  expect(err).toContain(`${together} cannot be combined`)
})
