import { spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { agents } from '../../src/agents/_registry.ts'
import { builtFolder } from '../support/built.ts'
import { claude, installFakeClaude } from './fake-claude.ts'
import { recordLoaded } from './record-loaded.ts'
import { machine } from './run-ion.ts'

/** Records which files were loaded before the agent started. */
const hook = `${recordLoaded}
const processes = require('node:child_process')
const { spawn } = processes
processes.spawn = (...args) => {
  require('node:fs').writeFileSync(process.env.ION_TEST_LOADED, JSON.stringify(loaded))
  return spawn(...args)
}`

test('before an agent starts, little code is loaded, and none of other agents', () => {
  const where = machine()
  const PATH = installFakeClaude(where, 'tui-agent.mjs')
  const [file, list] = [join(where.root, 'hook.cjs'), join(where.root, 'loaded.json')]
  writeFileSync(file, hook)
  const start = (): unknown =>
    spawnSync(process.execPath, ['-r', file, join(builtFolder(), 'ion.cjs'), 'run', claude.id, '--headless', 'x'], {
      cwd: where.home,
      env: {
        PATH,
        HOME: where.home,
        ION_HOME: where.ionHome,
        TMPDIR: where.root,
        TUI_FAILS: '1',
        ION_TEST_LOADED: list,
      },
      timeout: 60_000,
    })
  // The first also asks the agent's version.
  start()
  start()
  const loaded = Object.entries(JSON.parse(readFileSync(list, 'utf8')) as Record<string, number>)
  const ofAgents = agents.filter(({ id }) => loaded.some(([name]) => name.startsWith(`${id}-`)))
  expect(ofAgents).toEqual([claude])
  expect(loaded.length).toBeLessThan(22)
  expect(loaded.reduce((sum, [, size]) => sum + size, 0)).toBeLessThan(280_000)
})
