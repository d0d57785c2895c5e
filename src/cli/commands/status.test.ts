import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { type FakeContext, fakeContext } from '../../../test/support/fake-terminal.ts'
import { copyTree, scratchIo } from '../../../test/support/scratch.ts'
import { agents } from '../../agents/_registry.ts'
import type { Io } from '../../platform/io.ts'
import { withDefaults } from '../command.ts'
import { storage } from '../definitions/machine.ts'
import { search, sessions } from '../definitions/sessions.ts'
import { run as runAgents } from './agents.ts'
import { run as runReindex } from './reindex.ts'
import { run as runSearch } from './search.ts'
import { run as runSessions } from './sessions.ts'
import { run as runStatus } from './status.ts'
import { run as runStorage } from './storage/run.ts'

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
      sessions: 11,
      only_in_archive: 0,
      sub_agents: 0,
      hidden: 1,
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
      only_in_archive: 0,
      sub_agents: 0,
      hidden: 0,
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

test('one total: the overview, the list, search, storage and reindex count the same sessions, and say what they leave out', async () => {
  const io = scratchIo(fileURLToPath(new URL('../../agents/goose/fixtures/1.52.0', import.meta.url)))
  copyTree(fileURLToPath(new URL('../../agents/claude/fixtures/2.1.325', import.meta.url)), io.home)
  const said = async (run: (context: FakeContext) => Promise<unknown>): Promise<string> => {
    const context = fakeContext(io)
    await run(context)
    return `${context.out.text}\n${context.err.text}`
  }
  const listed = await said((context) => runSessions([], withDefaults(sessions, { limit: '0', json: true }), context))
  const count = listed.trim().split('\n').length
  const further = '(+ 1 of sub-agents, 1 archived in its agent)'
  expect(await said((context) => runStatus([], { json: false }, context))).toContain(
    `${count} sessions of 2 agents ${further}, `,
  )
  expect(await said((context) => runSessions([], withDefaults(sessions, { limit: '1' }), context))).toContain(
    `sessions in all projects, newest first ${further}\n`,
  )
  expect(await said((context) => runSessions([], withDefaults(sessions, { hidden: true }), context))).toContain(
    'newest first (+ 1 of sub-agents)\n',
  )
  expect(await said((context) => runSearch([['nowhere']], withDefaults(search, {}), context))).toContain(
    `searched ${count} sessions ${further}\n`,
  )
  expect(await said((context) => runStorage([], withDefaults(storage, {}), context))).toContain(
    `${count} sessions of 2 agents ${further} take `,
  )
  expect(await said((context) => runReindex([], { json: false, fromScratch: false }, context))).toContain(
    `${count} sessions ${further} in the index; `,
  )
})

test('agents lists all of them, with their data folders', async () => {
  const io = world()
  const context = fakeContext(io)
  await runAgents([], { json: true }, context)
  const rows = lines(context.out.text) as { id: string; data: { path: string; exists: boolean }[] }[]
  expect(rows.map((row) => row.id)).toEqual(agents.filter((agent) => !agent.isArchive).map(({ id }) => id))
  expect(rows.find((row) => row.id === 'goose')).toMatchObject({
    sessions: 11,
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
  const first = { sessions: 12, changed: 12, removed: 0, troubles: 0 }
  expect(await result({})).toEqual(first)
  expect(await result({})).toEqual({ ...first, changed: 0 })
  expect(await result({ fromScratch: true })).toEqual(first)
})
