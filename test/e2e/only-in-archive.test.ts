import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { writeClaude } from './claude-session.ts'
import { machine, type Outcome, runIon } from './run-ion.ts'

const ID = '3f2a0000-0000-4000-8000-000000000001'

test('what an agent has lost since it was archived is shown, found, exported and missed by restore', async () => {
  const where = machine()
  const tool = { name: 'Bash', input: { command: 'ls' }, output: 'listing of zebras' }
  const path = writeClaude(where, { id: ID, prompt: 'count the zebras', answer: 'there are nine', tool })
  const ion = (...args: string[]): Promise<Outcome> => runIon(where, args)
  await ion('capture', '--all')
  const complete = await ion('show', ID, '--json')
  expect([complete.code, complete.err]).toEqual([0, ''])

  // Only the answer is left, and that is archived as well: the last exact copy is older than the log.
  writeFileSync(path, readFileSync(path, 'utf8').split('\n').slice(3).join('\n'))
  await ion('capture', '--all')
  const shown = await ion('show', ID)
  expect(shown.out).not.toContain('zebras')
  expect(shown.err).toBe("Ion's archive has 3 more events that the agent no longer has: ion show 3f2a0000 --archived\n")
  const archived = await ion('show', ID, '--archived', '--json')
  expect([archived.code, archived.err]).toEqual([0, ''])
  const contents = ({ out }: Outcome): unknown[] =>
    out
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as { type: string; content?: unknown; timestamp: string })
      .map(({ type, content, timestamp }) => [type, content, timestamp])
  expect(contents(archived)).toEqual(contents(complete))

  const exported = join(where.root, 'exported.md')
  expect((await ion('export', ID, '-o', exported)).err).toContain('3 more events that the agent no longer has')
  expect(readFileSync(exported, 'utf8')).not.toContain('zebras')
  expect((await ion('export', ID, '-o', exported, '--force', '--archived')).err).not.toContain('more events')
  expect(readFileSync(exported, 'utf8')).toContain('count the zebras')
  expect((await ion('export', '--all', '-o', join(where.root, 'all'))).err).toContain(
    "Ion's archive has more of 1 session",
  )

  const found = await ion('search', 'zebras')
  expect([found.code, found.out]).toEqual([0, expect.stringContaining("only in Ion's archive: ion show --archived")])
  expect(JSON.parse((await ion('search', 'nine', '--json')).out)).toMatchObject({ only_in_archive: false })

  // Deleted by the agent: the list says where it is.
  expect((await ion('sessions', '--all')).out).not.toContain('archive')
  rmSync(path)
  expect((await ion('sessions', '--all')).out).toMatch(/^agent +id +age +msgs +in +title .*\nclaude .* archive {2}/)
  const restored = await ion('restore', ID)
  expect([restored.code, restored.out]).toEqual([0, expect.stringContaining('restored Claude Code')])
  expect(restored.err).toMatch(
    /^ion: the restored state is older than Ion's archive, which has 3 more events: ion show/,
  )
  const again = await ion('restore', ID, '--state', '1', '--replace', '--json')
  expect(JSON.parse(again.out)).toMatchObject({ missing_events: 0 })
})
