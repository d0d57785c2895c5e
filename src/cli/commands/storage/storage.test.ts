import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { fakeContext } from '../../../../test/support/fake-terminal.ts'
import { scratchIo } from '../../../../test/support/scratch.ts'
import { madeWorld, NEW, OLD } from '../../../../test/support/storage-world.ts'
import type { Io } from '../../../platform/io.ts'
import { withDefaults } from '../../command.ts'
import { storage } from '../../definitions/machine.ts'
import { run } from './run.ts'

async function lines(io: Io, options: Record<string, string | boolean | string[]> = {}): Promise<unknown[]> {
  const context = fakeContext(io)
  expect(await run([], withDefaults(storage, { json: true, ...options }), context)).toBe('ok')
  return context.out.text
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as unknown)
}

test('one object for everything there is, as documented', async () => {
  const io = madeWorld()
  const place = (path: string): string => join(io.home, path)
  const sizeOf = (path: string): number => statSync(path).size
  const oldPath = place(`.claude/projects/-gone-shop/${OLD}.jsonl`)
  const newPath = place(`.claude/projects/-gone-tool/${NEW}.jsonl`)
  const notePath = place('projects/note/.aider.chat.history.md')
  // The empty line at the end of a file is of no session.
  const [old, fresh, note] = [sizeOf(oldPath), sizeOf(newPath), sizeOf(notePath) - 1]
  const disk = { kind: 'disk', device: expect.any(Number), free_bytes: expect.any(Number) }
  const measured = { unreadable: 0, complete: true }
  const ion = (part: string, path: string, bytes: unknown, files: unknown): object => ({
    kind: 'ion',
    part,
    path: join(io.env.ION_HOME!, path),
    bytes,
    files,
    ...measured,
  })
  const noteId = expect.stringMatching(/^[0-9a-f-]{36}$/)
  expect(await lines(io)).toEqual([
    {
      kind: 'agent',
      agent: 'claude',
      title: 'Claude Code',
      sessions: 2,
      sub_agents: 0,
      hidden: 0,
      only_in_archive: 1,
      bytes: old + fresh,
      bytes_7d: fresh,
      bytes_30d: old + fresh,
      disk_bytes: old + fresh + 1998,
      files: 3,
      ...measured,
      paths: [place('.claude')],
      retention: {
        days: 30,
        setting: `cleanupPeriodDays in ${place('.claude/settings.json')}`,
        counts: 'file time',
        danger: null,
        due: 0,
        due_7d: 1,
      },
    },
    {
      kind: 'agent',
      agent: 'aider',
      title: 'Aider',
      sessions: 1,
      sub_agents: 0,
      hidden: 0,
      only_in_archive: 0,
      bytes: note,
      bytes_7d: 0,
      bytes_30d: 0,
      disk_bytes: note + 1,
      files: 1,
      ...measured,
      paths: [],
      retention: null,
    },
    {
      kind: 'project',
      project: '/gone/shop',
      agents: ['claude'],
      sessions: 1,
      bytes: old,
      bytes_7d: 0,
      bytes_30d: old,
    },
    {
      kind: 'project',
      project: '/gone/tool',
      agents: ['claude'],
      sessions: 1,
      bytes: fresh,
      bytes_7d: fresh,
      bytes_30d: fresh,
    },
    {
      kind: 'project',
      project: place('projects/note'),
      agents: ['aider'],
      sessions: 1,
      bytes: note,
      bytes_7d: 0,
      bytes_30d: 0,
    },
    {
      kind: 'session',
      id: OLD,
      agent: 'claude',
      title: expect.stringContaining('x'.repeat(80)),
      project: '/gone/shop',
      updated_at: '2026-10-19T00:00:00.000Z',
      bytes: old,
      path: oldPath,
      archived: true,
    },
    {
      kind: 'session',
      id: NEW,
      agent: 'claude',
      title: 'Write the parser',
      project: '/gone/tool',
      updated_at: '2026-11-14T00:00:00.000Z',
      bytes: fresh,
      path: newPath,
      archived: false,
    },
    {
      kind: 'session',
      id: noteId,
      agent: 'aider',
      title: 'hello',
      project: place('projects/note'),
      updated_at: expect.any(String),
      bytes: note,
      path: notePath,
      archived: false,
    },
    {
      kind: 'deletion',
      id: OLD,
      agent: 'claude',
      title: expect.any(String),
      project: '/gone/shop',
      bytes: old,
      deleted_after: '2026-11-18T00:00:00.000Z',
      days_left: 2,
      archived: true,
    },
    {
      kind: 'deletion',
      id: NEW,
      agent: 'claude',
      title: 'Write the parser',
      project: '/gone/tool',
      bytes: fresh,
      deleted_after: '2026-12-14T00:00:00.000Z',
      days_left: 28,
      archived: false,
    },
    {
      ...disk,
      agent: 'claude',
      path: place('.claude'),
      total_bytes: expect.any(Number),
      minimum_bytes: 100e6,
      enough: true,
    },
    { ...disk, agent: 'aider', path: notePath, total_bytes: expect.any(Number), minimum_bytes: 50e6, enough: true },
    {
      ...disk,
      agent: 'ion',
      path: io.env.ION_HOME,
      total_bytes: expect.any(Number),
      minimum_bytes: 100e6,
      enough: true,
    },
    ion('sessions', 'sessions', 2 * sizeOf(join(io.env.ION_HOME!, 'sessions/0123456789abcdef', `${OLD}.jsonl`)), 2),
    ion('vault', 'vault', 0, 0),
    ion('tasks', 'tasks', 0, 0),
    ion('catalog', 'catalog.8.db', expect.any(Number), expect.any(Number)),
    ion('other', '', 0, 0),
  ])
})

test('every kind has an example in the document, with the same fields', async () => {
  const text = readFileSync(new URL('../../../../docs/storage.md', import.meta.url), 'utf8')
  const examples = [...text.matchAll(/```jsonl\n(.*)\n```/g)].map(([, line]) => JSON.parse(line!) as { kind: string })
  const real = (await lines(madeWorld())) as { kind: string }[]
  const kinds = [...new Set(real.map(({ kind }) => kind))]
  const fields = (of: readonly { kind: string }[]): unknown =>
    kinds.map((kind) => Object.entries(of.find((line) => line.kind === kind) ?? {}).map(shape))
  expect(fields(examples)).toEqual(fields(real))
})

/** A field by its name; of a rule also what is inside. */
function shape([name, value]: [string, unknown]): unknown {
  return name === 'retention' ? [name, Object.keys(value as object)] : name
}

test('of one agent, by any of its names, without what is of Ion; and of Ion alone', async () => {
  const io = madeWorld()
  const marks = async (options: Record<string, string[] | string>): Promise<string[]> =>
    ((await lines(io, options)) as { kind: string; agent?: string; part?: string }[]).map(
      ({ kind, agent, part }) => `${kind} ${agent ?? part ?? ''}`,
    )
  expect(await marks({ agent: ['claude-code'], limit: '1' })).toEqual([
    'agent claude',
    'project ',
    'session claude',
    'deletion claude',
    'disk claude',
  ])
  const own = ['sessions', 'vault', 'tasks', 'catalog', 'other'].map((part) => `ion ${part}`)
  expect(await marks({ agent: ['ion'] })).toEqual(['disk ion', ...own])
  await expect(run([], withDefaults(storage, { agent: ['nobody'] }), fakeContext(io))).rejects.toMatchObject({
    kind: 'not-found',
  })
  await expect(run([], withDefaults(storage, { limit: 'many' }), fakeContext(io))).rejects.toMatchObject({
    kind: 'usage',
  })
})

test('nothing here: one line, and no object for an agent', async () => {
  const io = scratchIo()
  const context = fakeContext(io)
  await run([], withDefaults(storage, {}), context)
  expect(context.out.text).toMatch(/^No sessions and no agent data on this machine\n\nFree disk space\n/)
  expect((await lines(io)).map((line) => (line as { kind: string }).kind)).toEqual(['disk', ...Array(5).fill('ion')])
})

test('a progress line for what takes long, only in a terminal', async () => {
  const io = madeWorld()
  let time = io.now().getTime()
  // Each look at the clock takes a while, so that measuring does too.
  const slow = { ...io, now: () => new Date((time += 150)) }
  const [terminal, pipe] = [fakeContext(slow, {}, { isTTY: true }), fakeContext(slow)]
  await run([], withDefaults(storage, { json: true }), terminal)
  expect(terminal.err.text).toMatch(/measuring Claude Code: \d+ files …/)
  expect(terminal.err.text).toMatch(/\r\x1b\[K$/)
  await run([], withDefaults(storage, { json: true }), pipe)
  expect(pipe.err.text).toBe('')
})
