import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { fakeContext } from '../../../test/support/fake-terminal.ts'
import { scratchIo } from '../../../test/support/scratch.ts'
import { agents } from '../../agents/_registry.ts'
import type { Io } from '../../platform/io.ts'
import { run as runAgents } from './agents.ts'
import { run as runReindex } from './reindex.ts'
import { run as runStatus } from './status.ts'

/** A machine with sessions of one agent and the program of another. */
function world(): Io {
  const io = scratchIo(fileURLToPath(new URL('../../agents/goose/fixtures/1.52.0', import.meta.url)))
  const bin = join(io.home, 'bin')
  mkdirSync(bin)
  writeFileSync(join(bin, 'gemini'), `#!${process.execPath}\nconsole.log('gemini-cli version 0.61.0')\n`)
  chmodSync(join(bin, 'gemini'), 0o755)
  return { ...io, env: { ...io.env, PATH: `${bin}:${dirname(process.execPath)}` } }
}

const lines = (text: string): unknown[] =>
  text
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line))

test('status lists agents that have sessions or are installed, with their versions', async () => {
  const context = fakeContext(world())
  await runStatus([], { json: true }, context)
  expect(lines(context.out.text)).toEqual([
    {
      agent: 'goose',
      title: 'Goose',
      sessions: 12,
      bytes: expect.any(Number),
      newest: '2026-11-15T19:01:02.000Z',
      problems: 0,
      installed: false,
      version: null,
    },
    {
      agent: 'gemini',
      title: 'Gemini',
      sessions: 0,
      bytes: 0,
      newest: null,
      problems: 0,
      installed: true,
      version: '0.61.0',
    },
  ])
})

test('status suggests to resume only what an installed agent can open', async () => {
  const context = fakeContext(world())
  await runStatus([], { json: false }, context)
  expect(context.out.text).toContain('ion show <id>')
  expect(context.out.text).not.toContain('ion --continue')
})

test('agents lists all of them, with their data folders', async () => {
  const io = world()
  const context = fakeContext(io)
  await runAgents([], { json: true }, context)
  const rows = lines(context.out.text) as { id: string; data: { path: string; exists: boolean }[] }[]
  expect(rows.map((row) => row.id)).toEqual(agents.filter((agent) => !agent.isArchive).map(({ id }) => id))
  expect(rows.find((row) => row.id === 'goose')).toMatchObject({
    sessions: 12,
    installed: false,
    minimum_bytes: 50e6,
    resume: 'full',
    data: [{ path: join(io.home, '.local/share/goose/sessions'), exists: true }],
  })
})

test('reindex reports changes; from scratch it indexes everything again', async () => {
  const io = world()
  const result = async (options: { fromScratch?: true }): Promise<unknown> => {
    const context = fakeContext(io)
    await runReindex([], { json: true, fromScratch: false, ...options }, context)
    return JSON.parse(context.out.text)
  }
  const first = { sessions: 12, changed: 12, removed: 0, unindexed: 0, troubles: 0 }
  expect(await result({})).toEqual(first)
  expect(await result({})).toEqual({ ...first, changed: 0 })
  expect(await result({ fromScratch: true })).toEqual(first)
})
