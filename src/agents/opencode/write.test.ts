import { mkdirSync, realpathSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { testWriter } from '../../../test/suites/test-writer.ts'
import { fixtureHome } from '../../../test/support/backup-parts.ts'
import { scratchIo } from '../../../test/support/scratch.ts'
import type { Io } from '../../platform/io.ts'
import { openDatabase } from '../../platform/sqlite.ts'
import type { Message, WrittenTable } from '../write.ts'
import agent from './index.ts'
import { activeDatabase } from './paths.ts'

testWriter(agent, { home: () => fixtureHome(agent, '1.18.33') })

function prepared(io: Io, cwd = io.home) {
  return agent.writer!.prepare({ cwd, version: '1.18.33', io })
}

function changed(sql: string): Io {
  const io = fixtureHome(agent, '1.18.33')
  const database = openDatabase(activeDatabase(io))
  database.exec(sql)
  database.close()
  return io
}

/** The rows that are written, by table. */
function rowsIn(io: Io, messages: readonly Message[], cwd = io.home): Record<string, WrittenTable['rows']> {
  const write = prepared(io, cwd)
  if (typeof write !== 'function') throw new Error(write.why)
  const id = '0f9a3c52-7d4e-4b7a-9a53-6d1c2b8e4f10'
  const [part] = write({ id, cwd, title: 'Refunds', at: '2026-11-15T10:00:00.000Z', messages }).parts
  if (part?.kind !== 'rows') throw new Error('not rows')
  return Object.fromEntries(part.tables.map(({ table, rows }) => [table, rows]))
}

function prompt(text: string, timestamp = '2026-11-14T09:00:00.000Z'): Message {
  return { role: 'user', id: text, timestamp, content: [{ type: 'text', text }] }
}

/** The model of the first prompt. */
function modelIn(io: Io, cwd = io.home): unknown {
  const { data } = rowsIn(io, [prompt('go')], cwd).message![0]!
  return (JSON.parse(String(data)) as { model: unknown }).model
}

function withFile(io: Io, path: string, content: object | string): void {
  const file = join(io.home, path)
  mkdirSync(join(file, '..'), { recursive: true })
  writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content))
}

describe('opencode: before a session is written', () => {
  test('without a database it says to start OpenCode', () => {
    const io = scratchIo()
    expect(prepared(io)).toEqual({
      why: `${activeDatabase(io)} does not exist`,
      hint: 'start opencode once, then try again',
    })
  })

  test.each([
    ["INSERT INTO migration VALUES ('20270101000000_new', 1)", /newer schema \(20270101000000_new\)/, /update Ion/],
    ['ALTER TABLE session DROP COLUMN path', /older schema/, /update OpenCode/],
    ['DROP TABLE migration', /older schema/, /update OpenCode/],
  ])('refused after %s', (sql, why, hint) => {
    expect(prepared(changed(sql))).toEqual({ why: expect.stringMatching(why), hint: expect.stringMatching(hint) })
  })

  test('refused when nothing says which model it uses', () => {
    expect(prepared(changed('DELETE FROM message'))).toEqual({
      why: 'which model OpenCode will use is not known',
      hint: expect.stringContaining('/models'),
    })
  })

  test('refused while its settings cannot be read', () => {
    const io = fixtureHome(agent, '1.18.33')
    withFile(io, '.config/opencode/opencode.json', '{')
    expect(prepared(io)).toEqual({
      why: 'a settings file of OpenCode is not JSON',
      hint: 'opencode says where it is wrong',
    })
  })
})

describe('opencode: the model that answers next', () => {
  test('of the settings, of the folder before those of the user; else the last one chosen; else the last one used', () => {
    const io = fixtureHome(agent, '1.18.33')
    const cwd = join(io.home, 'shop')
    mkdirSync(cwd)
    expect(modelIn(io, cwd)).toEqual({ providerID: 'stub', modelID: 'stub-1' })
    withFile(io, '.local/state/opencode/model.json', { recent: [{ providerID: 'a', modelID: 'chosen' }] })
    expect(modelIn(io, cwd)).toEqual({ providerID: 'a', modelID: 'chosen' })
    withFile(io, '.config/opencode/opencode.json', { model: 'b/vendor/of-user' })
    expect(modelIn(io, cwd)).toEqual({ providerID: 'b', modelID: 'vendor/of-user' })
    withFile(io, 'shop/opencode.jsonc', '{ "model": "c/of-folder" // here\n}')
    expect(modelIn(io, cwd)).toEqual({ providerID: 'c', modelID: 'of-folder' })
  })
})

describe('opencode: the project of a session', () => {
  test('of a repository that OpenCode has opened, with the path in it', () => {
    const io = fixtureHome(agent, '1.18.33')
    withFile(io, 'shop/.git/opencode', '3c2e14bf891acdd9c85f633ef3f93558ec31026a\n')
    withFile(io, 'shop/src/a.ts', '')
    const { project, session } = rowsIn(io, [prompt('go')], realpathSync(join(io.home, 'shop', 'src')))
    expect(project![0]).toMatchObject({ id: '3c2e14bf891acdd9c85f633ef3f93558ec31026a', vcs: 'git' })
    expect(session![0]).toMatchObject({ project_id: '3c2e14bf891acdd9c85f633ef3f93558ec31026a', path: 'src' })
  })

  test('of any other folder: global', () => {
    const io = fixtureHome(agent, '1.18.33')
    const { project, session } = rowsIn(io, [prompt('go')])
    expect(project![0]).toMatchObject({ id: 'global', worktree: '/', vcs: null })
    expect(session![0]).toMatchObject({ project_id: 'global', path: io.home.slice(1) })
  })
})

test('opencode: ids and times are in order whatever the times of messages are, and before those of the next prompt', () => {
  const io = fixtureHome(agent, '1.18.33')
  const times = ['2026-11-14T09:00:05.000Z', '2026-11-14T09:00:01.000Z', '2031-01-01T00:00:00.000Z']
  const rows = rowsIn(
    io,
    times.map((time, index) => prompt(String(index), time)),
  ).message!
  const now = io.now().getTime()
  expect(rows.map(({ time_created }) => time_created)).toEqual([Date.parse(times[0]!), Date.parse(times[0]!), now])
  const ids = rows.map(({ id }) => String(id))
  expect(ids).toEqual([...ids].sort())
  const next = `msg_${(BigInt(now) * 4096n).toString(16).slice(-12)}`
  expect(ids.every((id) => id < next)).toBe(true)
})

test('opencode: only a summary that comes first is a compaction, which hides what is before it', () => {
  const io = fixtureHome(agent, '1.18.33')
  const summary = { ...prompt('we fixed it'), isSummary: true } as Message
  const kinds = (messages: readonly Message[]) =>
    rowsIn(io, messages).part!.map(({ data }) => (JSON.parse(String(data)) as { type: string }).type)
  expect(kinds([summary, prompt('go')])).toEqual(['compaction', 'text', 'text'])
  expect(kinds([prompt('go'), summary])).toEqual(['text', 'text'])
})
