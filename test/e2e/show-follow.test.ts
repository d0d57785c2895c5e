import { spawn } from 'node:child_process'
import { appendFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { builtFolder } from '../support/built.ts'
import { until } from '../support/wait-until.ts'
import { claudeLines, writeClaude } from './claude-session.ts'
import { machine, runIon } from './run-ion.ts'

const id = '3f2a0000-0000-4000-8000-000000000001'

test('show --follow prints the end, then what the agent writes, once each, and ends at Ctrl-C', async () => {
  const where = machine()
  const path = writeClaude(where, { id, prompt: 'the first prompt', answer: 'the first answer' })
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
  let out = ''
  child.stdout.setEncoding('utf8').on('data', (text) => (out += text))
  await until(() => expect(out).toContain('the first answer'))
  const more = claudeLines({ id, prompt: 'the second prompt', answer: 'the second answer' })
  const fresh = more.map((line) => line.replaceAll(/"uuid":"[^"]*"/g, () => `"uuid":"${crypto.randomUUID()}"`))
  // A line that is being written is not shown before it is complete.
  const text = `${fresh.join('\n')}\n`
  appendFileSync(path, text.slice(0, 40))
  appendFileSync(path, text.slice(40))
  await until(() => expect(out).toContain('the second answer'))
  child.kill('SIGINT')
  expect(await exit).toBe(0)
  for (const said of ['first prompt', 'first answer', 'second prompt', 'second answer']) {
    expect({ said, times: out.split(said).length - 1 }).toEqual({ said, times: 1 })
  }
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
