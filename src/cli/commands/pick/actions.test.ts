import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { writeClaude } from '../../../../test/e2e/claude-session.ts'
import { fakeContext } from '../../../../test/support/fake-terminal.ts'
import { scratchIo } from '../../../../test/support/scratch.ts'
import { openCatalog } from '../../../catalog/open.ts'
import { PickerActions } from './actions.ts'

test('exporting to an existing file says what to do in the picker, not on the command line', async () => {
  const io = scratchIo()
  const where = { root: io.home, home: io.home, ionHome: io.env.ION_HOME! }
  writeClaude(where, { id: '3f2a0000-0000-4000-8000-000000000001' })
  const catalog = openCatalog(io)
  onTestFinished(() => catalog.close())
  catalog.refresh()
  const rows = catalog.sessions()
  const path = join(io.home, 'taken.md')
  writeFileSync(path, '')
  const actions = new PickerActions(catalog, fakeContext(io))
  const taken = { message: `${path} already exists`, hint: 'choose another name' }
  await expect(actions.perform({ kind: 'export', path, rows })).rejects.toMatchObject(taken)
  await expect(actions.perform({ kind: 'share', path: '~/taken.md', rows })).rejects.toMatchObject(taken)
  const both = [...rows, ...rows]
  await expect(actions.perform({ kind: 'export', path, rows: both })).rejects.toMatchObject({
    message: `${path} is a file, but several sessions need a folder`,
    hint: 'choose another name',
  })
})

test('offers the installed agents that can continue a session, and forks it', async () => {
  const bare = scratchIo()
  const bin = join(bare.home, 'bin')
  const io = { ...bare, env: { ...bare.env, PATH: `${bin}:/usr/bin:/bin` } }
  const where = { root: io.home, home: io.home, ionHome: bare.env.ION_HOME! }
  writeClaude(where, { id: '3f2a0000-0000-4000-8000-000000000001' })
  const catalog = openCatalog(io)
  onTestFinished(() => catalog.close())
  catalog.refresh()
  const [row] = catalog.sessions({ hidden: true })
  mkdirSync(row!.cwd!, { recursive: true })
  const actions = new PickerActions(catalog, fakeContext(io))
  expect(await actions.perform({ kind: 'plan-handover', row: row! })).toEqual({
    notice: 'no agent is installed that could continue it: ion agents lists them',
  })
  mkdirSync(bin)
  const programs = { claude: '2.1.325 (Claude Code)', codex: 'codex-cli 0.166.0', amp: '1.0.0' }
  for (const [name, version] of Object.entries(programs)) {
    writeFileSync(join(bin, name), `#!/bin/sh\necho "${version}"\n`, { mode: 0o755 })
  }
  expect(await actions.perform({ kind: 'plan-handover', row: row! })).toEqual({
    // Not Amp, which takes no session from outside.
    targets: { row, agents: ['claude', 'codex'] },
  })
  const forked = await actions.perform({ kind: 'fork', row: row! })
  expect(forked).toEqual({ notice: expect.stringMatching(/^forked as [0-9a-f]{8}: /), isIndexOld: true })
  catalog.refresh()
  const copies = catalog.sessions({ hidden: true }).filter(({ forked_from }) => forked_from === row!.id)
  expect(copies.map(({ agent, id }) => [agent, `forked as ${id.slice(0, 8)}`])).toEqual([
    ['claude', forked.notice!.split(':')[0]],
  ])
  expect(await actions.perform({ kind: 'fork', row: row! })).toMatchObject({
    notice: forked.notice!.replace('forked', 'already forked'),
  })
})
