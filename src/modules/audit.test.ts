import { mkdirSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { scratchFolder, scratchIo, treeState } from '../../test/support/scratch.ts'
import type { Io } from '../platform/io.ts'
import { audit } from './audit.ts'
import type { Finding } from './finding.ts'

const UUID = '07967256-3f92-4f6b-ab50-b078c13b996a'
const at = new Date('2026-11-15T10:00:00Z')

function write(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, text)
  for (const one of [path, dirname(path)]) utimesSync(one, at, at)
}

function world(env: Record<string, string> = {}): Io {
  return scratchIo(undefined, { TMPDIR: scratchFolder(), ...env })
}

const base = { bytes: 5, files: 1, updated_at: at.toISOString(), link: null }

test('an empty home has no findings', () => {
  expect(audit(world())).toEqual([])
})

test('every kind of location, whether it survives and what migrate does', () => {
  const io = world()
  const temp = io.env.TMPDIR!
  const modules = join(io.home, '.coder-modules')
  write(join(io.home, '.goose-module/state'), 'hello')
  write(join(io.home, '.aws/.amazonq/state'), 'hello')
  write(join(temp, 'coder-script-data', UUID, 'lib.sh'), 'hello')
  write(join(temp, 'coder-script-data/bin/tool'), 'hello')
  write(join(io.home, '.coder/coder-script-data', UUID, 'lib.sh'), 'hello')
  write(join(temp, 'main.sh'), 'hello')
  write(join(temp, 'tailscale-state/key'), 'hello')
  write(join(modules, 'coder/git-clone/run.log'), 'hello')
  write(join(modules, 'ion/logs/run.log'), 'hello')
  for (const folder of ['ion', 'coder/git-clone']) utimesSync(join(modules, folder), at, at)
  const moved = (name: string): Partial<Finding> => ({ action: 'move', target: join(modules, name), name })
  expect(audit(io)).toEqual([
    {
      ...base,
      ...moved('goose'),
      kind: 'module-home',
      path: join(io.home, '.goose-module'),
      survives: 'yes',
      reason: 'survives a restart, but is not with the other modules',
    },
    {
      ...base,
      ...moved('aws-amazonq'),
      kind: 'module-home',
      path: join(io.home, '.aws/.amazonq'),
      survives: 'yes',
      reason: 'survives a restart, but is not with the other modules',
    },
    {
      ...base,
      ...moved(`coder-script-data/${UUID}`),
      kind: 'script-data',
      path: join(temp, 'coder-script-data', UUID),
      survives: 'no',
      reason: 'in the temp folder, and a new one is created at each start',
    },
    {
      ...base,
      kind: 'script-bin',
      name: 'coder-script-data/bin',
      path: join(temp, 'coder-script-data/bin'),
      survives: 'no',
      action: 'leave',
      target: null,
      reason: 'shared by all scripts and recreated at each start',
    },
    {
      ...base,
      ...moved(`coder-script-data/${UUID}`),
      kind: 'script-data',
      path: join(io.home, '.coder/coder-script-data', UUID),
      survives: 'orphaned',
      reason: 'a new one is created at each start; this one is orphaned',
    },
    {
      ...base,
      kind: 'temp',
      name: 'main.sh',
      path: join(temp, 'main.sh'),
      survives: 'no',
      action: 'leave',
      target: null,
      reason: 'several modules use this name; recreated at each start, so only the module can change it',
    },
    {
      ...base,
      kind: 'temp',
      name: 'tailscale-state',
      path: join(temp, 'tailscale-state'),
      survives: 'no',
      action: 'leave',
      target: null,
      reason: 'a fixed name in the temp folder; recreated at each start, so only the module can change it',
    },
    {
      ...base,
      kind: 'module-data',
      name: 'coder/git-clone',
      path: join(modules, 'coder/git-clone'),
      survives: 'yes',
      action: 'none',
      target: null,
      reason: 'in the right place',
    },
    {
      ...base,
      kind: 'module-data',
      name: 'ion',
      path: join(modules, 'ion'),
      survives: 'yes',
      action: 'none',
      target: null,
      reason: 'in the right place; one level, the registry uses <namespace>/<module>',
    },
  ])
})

test('links are not followed, and nothing outside the home is reached through one', () => {
  const io = world()
  const outside = scratchFolder()
  write(join(outside, '.amazonq/secret'), 'hello')
  symlinkSync(outside, join(io.home, '.goose-module'))
  symlinkSync(outside, join(io.home, '.aws'))
  symlinkSync(outside, join(io.env.TMPDIR!, 'coder-script-data'))
  mkdirSync(join(io.home, '.amp-module'))
  symlinkSync(outside, join(io.home, '.amp-module/out'))
  const found = audit(io)
  expect(
    found.map(({ path, bytes, files, link, action, reason }) => [path, bytes, files, link, action, reason]),
  ).toEqual([
    [join(io.home, '.amp-module'), 0, 0, null, 'move', 'survives a restart, but is not with the other modules'],
    [join(io.home, '.goose-module'), 0, 0, outside, 'leave', 'is a link, which is not followed'],
  ])
})

test('obstacles are reported', () => {
  const io = world()
  write(join(io.home, '.goose-module/a'), '1')
  write(join(io.home, '.coder-modules/goose/b'), '2')
  write(join(io.home, '.amp-module/deep/a'), '1')
  symlinkSync('../../elsewhere', join(io.home, '.amp-module/deep/up'))
  write(join(io.home, '.cat-module'), 'a file')
  const before = treeState(io.home)
  const reported = audit(io).flatMap(({ kind, name, action, reason }) =>
    kind === 'module-home' ? [[name, action, reason]] : [],
  )
  expect(reported).toEqual([
    ['amp', 'refuse', 'the relative link deep/up points outside the folder and would break'],
    ['cat', 'leave', 'is not a folder'],
    ['goose', 'refuse', 'the target exists and is not empty'],
  ])
  expect(treeState(io.home)).toEqual(before)
})

test('a base in the temp folder does not survive, another one may', () => {
  const elsewhere = scratchFolder()
  write(join(elsewhere, 'ion/file'), 'hello')
  const lasts = (env: Record<string, string>): string[] =>
    audit(world({ CODER_MODULE_DATA_DIR: elsewhere, ...env })).map(({ survives }) => survives)
  expect(lasts({})).toEqual(['unknown'])
  expect(lasts({ TMPDIR: dirname(elsewhere) })).toEqual(['no'])
})
