import { mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { fakeContext } from '../../../test/support/fake-terminal.ts'
import { copyTree, scratchIo, treeState } from '../../../test/support/scratch.ts'
import type { Io } from '../../platform/io.ts'
import { main } from '../main.ts'

async function ion(io: Io, ...argv: string[]): Promise<{ code: number; out: string; err: string }> {
  const context = fakeContext(io)
  const code = await main(argv, context)
  return { code, out: context.out.text, err: context.err.text }
}

/** A home with the documents, and a program with Codex's name. */
function world(): Io {
  const io = scratchIo()
  copyTree(join(import.meta.dirname, '../../archive/atif/fixtures/handmade'), join(io.home, 'runs'))
  const bin = join(io.home, 'bin')
  mkdirSync(bin)
  writeFileSync(join(bin, 'codex'), '#!/bin/sh\necho codex-cli 0.166.0\n', { mode: 0o755 })
  return { ...io, env: { ...io.env, PATH: `${bin}:/usr/bin:/bin` } }
}

const file = 'runs/every-kind-1.7.atif.json'

test('an ATIF document of an agent that Ion does not know is listed, shown, searched and handed over', async () => {
  const io = world()
  const [imported] = (await ion(io, 'import', '--json', file)).out.split('\n').map((line) => line && JSON.parse(line))
  expect(imported).toMatchObject({ file, agent: 'openhands', unknown: 0, continued_in: 'trajectory.cont-1.json' })
  expect(imported.sub_agents).toHaveLength(2)
  const { id } = imported
  expect((await ion(io, 'sessions', '--all')).out).toMatch(/openhands.*Customers get their refund twice/)
  expect((await ion(io, 'show', id)).out).toContain('It is fixed.')
  expect((await ion(io, 'search', '"2 passed"')).out).toContain(id)
  const handover = await ion(io, 'handover', id, '--in', 'codex', '--json')
  expect(handover).toMatchObject({ code: 0, err: '' })
  const report = JSON.parse(handover.out)
  expect(report).toMatchObject({
    act: 'written',
    mode: 'native',
    source: { agent: 'openhands', id, title: 'Customers get their refund twice. This is what they see:' },
    target: { agent: 'codex', cwd: io.home },
  })
  // What follows the compaction.
  const copy = await ion(io, 'show', report.target.id)
  expect(copy.out).toContain('Summarised the context.')
  expect(copy.out).toContain('It is fixed.')
  expect(copy.out).toContain('(from openhands)')
  expect(copy.out).not.toContain('git status')
})

test('calls and results of a document arrive in the other agent', async () => {
  const io = world()
  const { id } = JSON.parse((await ion(io, 'import', '--json', 'runs/unknown-fields-1.9.atif.json')).out)
  const report = JSON.parse((await ion(io, 'handover', id, '--in', 'codex', '--json')).out)
  const shown = (await ion(io, 'show', report.target.id, '--full')).out
  for (const text of ['What is said here?', '[file say.wav]', 'Nothing.', 'listen', 'silence']) {
    expect(shown).toContain(text)
  }
})

test('says what to do with a session that only the archive has', async () => {
  const io = world()
  const { id } = JSON.parse((await ion(io, 'import', '--json', file)).out)
  const resumed = await ion(io, '--resume', id)
  expect(resumed).toMatchObject({ code: 4, err: expect.stringContaining(`ion --resume ${id} --in <agent>`) })
  const forked = await ion(io, 'fork', id)
  expect(forked).toMatchObject({ code: 4, err: expect.stringContaining('Ion does not know openhands') })
  const restored = await ion(io, 'restore', id)
  expect(restored).toMatchObject({ code: 3, err: expect.stringContaining('of openhands') })
})

test('nothing is imported when one of the documents is wrong', async () => {
  const io = world()
  const wrong = join(io.home, 'runs/wrong.json')
  writeFileSync(wrong, '{"schema_version":"ATIF-v1.7","agent":{"name":"x","version":"1"},"steps":[{"step_id":1}]}')
  const before = treeState(io.home)
  expect(await ion(io, 'import', file, wrong)).toEqual({
    code: 2,
    out: '',
    err:
      `ion: ${wrong}: steps[0].source: missing, and must be a string; nothing was imported\n` +
      '  -> give a valid ATIF document (Harbor and `pip install atif` have validators)\n',
  })
  expect(treeState(io.home)).toEqual(before)
  expect(() => readdirSync(join(io.env.ION_HOME!, 'sessions'))).toThrow('ENOENT')
})
