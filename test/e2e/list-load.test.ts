import { spawnSync } from 'node:child_process'
import { copyFileSync, readdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test, vi } from 'vitest'
import { agents } from '../../src/agents/_registry.ts'
import { builtFolder } from '../support/built.ts'
import { recordLoaded } from './record-loaded.ts'
import { type Machine, machine } from './run-ion.ts'

/** Records all files that were loaded. */
const hook = `${recordLoaded}
process.on('exit', () => require('node:fs').writeFileSync(process.env.ION_TEST_LOADED, JSON.stringify(loaded)))`

interface Loaded {
  readonly agents: readonly string[]
  readonly files: readonly string[]
  readonly bytes: number
  readonly out: string
}

/** Runs the built program in a pipe. */
function ion({ root, home, ionHome }: Machine, ...args: string[]): Loaded {
  const [script, list] = [join(root, 'hook.cjs'), join(root, 'loaded.json')]
  writeFileSync(script, hook)
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    ['-r', script, join(builtFolder(), 'ion.cjs'), ...args],
    { cwd: home, env: { PATH: '', HOME: home, ION_HOME: ionHome, ION_TEST_LOADED: list }, encoding: 'utf8' },
  )
  expect({ status, stderr: status === 0 ? '' : stderr }).toEqual({ status: 0, stderr: '' })
  const loaded = Object.entries(JSON.parse(readFileSync(list, 'utf8')) as Record<string, number>)
  const files = loaded.map(([name]) => name)
  return {
    agents: agents.map(({ id }) => id).filter((id) => files.some((name) => name.startsWith(`${id}-`))),
    files,
    bytes: loaded.reduce((sum, [, size]) => sum + size, 0),
    out: stdout,
  }
}

/** Long ago: the time of a folder that was just written may not change with the next file. */
function settle(home: string): void {
  const before = Date.now() / 1000 - 3600
  for (const entry of readdirSync(home, { recursive: true, withFileTypes: true })) {
    if (entry.isDirectory()) utimesSync(join(entry.parentPath, entry.name), before, before)
  }
}

const projects = (where: Machine): string => join(where.home, '.claude/projects')

/** What was written just now is looked at again until its time can be relied on. */
async function indexed(): Promise<Machine> {
  const where = machine('claude/fixtures/2.1.325', 'goose/fixtures/1.52.0', 'codex/fixtures/0.166.0')
  settle(where.home)
  const settled = (): void => expect(ion(where, 'sessions', '--all').agents).toEqual([])
  await vi.waitFor(settled, { timeout: 30_000, interval: 500 })
  return where
}

test.each([
  ['ion', []],
  ['ion sessions', ['sessions', '--all']],
  ['ion sessions --json', ['sessions', '--all', '--json']],
])('%s loads no reader and no parser when nothing has changed', async (_name, args) => {
  const { agents, files, bytes, out } = ion(await indexed(), ...args)
  expect(out).toMatch(/goose/i)
  expect({ agents, isParsed: files.some((name) => name.startsWith('program-')) }).toEqual({
    agents: [],
    isParsed: false,
  })
  // Whether a session is open is asked of its agent.
  expect(bytes).toBeLessThan(args.includes('--json') ? 156_000 : 72_000)
})

test.each([
  ['ion', []],
  ['ion sessions', ['sessions', '--all']],
])('%s opens no database the second time', async (_name, args) => {
  const where = await indexed()
  const first = ion(where, ...args)
  await vi.waitFor(
    () => {
      const { files, bytes, out } = ion(where, ...args)
      expect({ isOpened: files.some((name) => name.startsWith('database-')), out }).toEqual({
        isOpened: false,
        out: first.out,
      })
      expect(bytes).toBeLessThan(60_000)
    },
    { timeout: 30_000, interval: 500 },
  )
})

test.each([
  ['claude', ['show', '--last', '2']],
  ['codex', ['show']],
  ['goose', ['show', '--json']],
])('of %s, ion %s loads the reader of the session alone, and no parser', async (agent, [command, ...options]) => {
  const where = await indexed()
  const rows = ion(where, 'sessions', '--all', '--json').out.split('\n').filter(Boolean)
  const row = rows.map((line) => JSON.parse(line) as { agent: string; id: string }).find((row) => row.agent === agent)!
  const { agents, files, bytes, out } = ion(where, command!, row.id, ...options)
  expect(out.length).toBeGreaterThan(100)
  expect({ agents, isParsed: files.some((name) => name.startsWith('program-')) }).toEqual({
    agents: [agent],
    isParsed: false,
  })
  // Of which its reader, with what it needs, is up to 60,000.
  expect(bytes).toBeLessThan(240_000)
})

test('after a new session only the reader of its agent is loaded', async () => {
  const where = await indexed()
  const folder = join(projects(where), readdirSync(projects(where))[0]!)
  const session = readdirSync(folder).find((name) => name.endsWith('.jsonl'))!
  copyFileSync(join(folder, session), join(folder, '11111111-2222-4333-8444-555555555555.jsonl'))
  const { agents, out } = ion(where, 'sessions', '--all', '--limit', '0')
  expect(agents).toEqual(['claude'])
  expect(out).toContain('11111111-2222')
})

test('--help loads nothing, and is the text of the parser', () => {
  const where = machine()
  const { files, out } = ion(where, '--help')
  expect(files).toEqual(['ion.cjs', 'help.cjs'])
  expect(out).toBe(fromParser(where))
})

/** With another argument, so that the launcher does not answer. */
function fromParser(where: Machine): string {
  const { files, out } = ion(where, '--help', '--help')
  expect(files).toContain('entry.cjs')
  return out
}
