import { chmodSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { claudeLines, writeClaude } from '../../../../test/e2e/claude-session.ts'
import { fakeContext } from '../../../../test/support/fake-terminal.ts'
import { scratchFolder, scratchIo } from '../../../../test/support/scratch.ts'
import type { Io } from '../../../platform/io.ts'
import { main } from '../../main.ts'

const ID = '3f2a0000-0000-4000-8000-000000000001'

/** A session with a call whose output has the word in this line. */
function world(line: number): Io {
  const io = scratchIo(undefined, { PATH: process.env.PATH! })
  const where = { root: io.home, home: io.home, ionHome: io.env.ION_HOME! }
  const output = Array.from({ length: 90 }, (_, n) => (n === line ? 'a webhook' : `line ${n}`)).join('\n')
  writeClaude(where, { id: ID, tool: { name: 'Bash', input: { command: 'ls' }, output } })
  return io
}

/** What a pager called `less` got: its arguments, and the line it begins at with the one after it. */
async function paged(io: Io, ...args: string[]): Promise<{ start: string; lines: string[] }> {
  const folder = scratchFolder()
  const less = join(folder, 'less')
  writeFileSync(less, `#!/bin/sh\ncat > '${folder}/text'\nprintf '%s\\n' "$@" > '${folder}/args'\n`)
  chmodSync(less, 0o700)
  const context = fakeContext({ ...io, env: { ...io.env, PAGER: less } }, { isTTY: true, columns: 80, rows: 24 })
  expect(await main(args, context)).toBe(0)
  const start = readFileSync(join(folder, 'args'), 'utf8')
    .split('\n')
    .find((arg) => arg.startsWith('+'))!
  const text = readFileSync(join(folder, 'text'), 'utf8').split('\n')
  const at = Number.parseInt(start.slice(1), 10) - 1
  return { start: start.replace(/\d+/, 'n'), lines: text.slice(at, at + 2) }
}

test('at a call with a word to mark, the beginning of the call is visible if the word is, too', async () => {
  const head = ['  ▸ Bash', '      command: ls']
  expect(await paged(world(5), 'show', `${ID}#t1`, '--mark', 'webhook')).toEqual({
    start: '+ng/\x0bwebhook',
    lines: head,
  })
  // The head, the command, an arrow and 16 lines are below one another on a screen of 24.
  expect((await paged(world(16), 'show', `${ID}#t1`, '--mark', 'webhook')).lines).toEqual(head)
  expect((await paged(world(17), 'show', `${ID}#t1`, '--mark', 'webhook')).lines[0]).toBe('      a webhook')
  expect((await paged(world(5), 'show', `${ID}#t1`, '--mark', 'elsewhere')).lines).toEqual(head)
  expect(await paged(world(5), 'show', `${ID}#t1`)).toEqual({ start: '+ng', lines: head })
})

test('--last shows the numbers of turns: from the beginning if all is read, otherwise from the end', async () => {
  const io = scratchIo()
  const where = { root: io.home, home: io.home, ionHome: io.env.ION_HOME! }
  const path = writeClaude(where, { id: ID })
  const shown = async (...args: string[]): Promise<string[]> => {
    const context = fakeContext(io)
    expect(await main(['show', ID, ...args], context)).toBe(0)
    return context.out.text.split('\n').filter((line) => line.includes('turn ') || line.startsWith('  prompt'))
  }
  const turns = Array.from({ length: 3 }, (_, n) => ({
    id: ID,
    prompt: `prompt ${n} ${'x '.repeat(n === 1 ? 1e6 : 1)}`,
  }))
  const write = (some: typeof turns): void =>
    writeFileSync(
      path,
      some
        .flatMap((turn, n) => claudeLines(turn).map((line) => line.replaceAll(/"u(\d)"/g, `"u$1-${n}"`)))
        // Each turn follows the answer of the one before it.
        .map(
          (line, n) =>
            `${line.replace('"parentUuid":null', n === 0 ? '"parentUuid":null' : `"parentUuid":"u1-${n / 2 - 1}"`)}\n`,
        )
        .join(''),
    )
  write(turns.toSpliced(1, 1))
  expect(await shown('--last', '2')).toEqual([expect.stringContaining(' · turn 2'), '  prompt 2 x'])
  write(turns)
  expect(await shown('--last', '2')).toEqual([expect.stringContaining(' · turn -1'), '  prompt 2 x'])
  expect(await shown('--turn', '-1')).toEqual([expect.stringContaining(' · turn 3'), '  prompt 2 x'])
})
