import {
  appendFileSync,
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { scratchFolder, scratchIo, treeState } from '../../test/support/scratch.ts'
import type { Io } from '../platform/io.ts'
import { leaseHolder } from '../platform/lease.ts'
import { appendEntry, journalFile, readJournal } from './journal.ts'
import { leaseFolder } from './lock.ts'
import { migrate, type Outcome, undo } from './migrate.ts'

const real = { names: [], isDry: false }
const dry = { names: [], isDry: true }

/** A module folder with the things that are easily lost: modes, times, links, an empty folder. */
function world(env: Record<string, string> = {}): Io {
  const io = scratchIo(undefined, { TMPDIR: scratchFolder(), ...env })
  const folder = join(io.home, '.goose-module')
  mkdirSync(join(folder, 'logs/empty'), { recursive: true })
  writeFileSync(join(folder, 'state.json'), '{"a":1}')
  writeFileSync(join(folder, 'run.sh'), '#!/bin/sh\n')
  writeFileSync(join(folder, 'large'), Buffer.alloc(3_000_000, 'abc'))
  chmodSync(join(folder, 'run.sh'), 0o750)
  symlinkSync('state.json', join(folder, 'current'))
  symlinkSync('../state.json', join(folder, 'logs/up'))
  for (const name of ['state.json', 'run.sh', 'large']) utimesSync(join(folder, name), 1_700_000_000, 1_700_000_000)
  return io
}

function outcomesOf(outcomes: readonly Outcome[]): string[] {
  return outcomes.map(({ name, outcome }) => `${name}: ${outcome}`)
}

/** A base on another file system; where the machine has none, the test cannot run. */
function otherDevice(): string | undefined {
  const shared = '/dev/shm'
  return existsSync(shared) && statSync(shared).dev !== statSync(process.env.HOME!).dev ? shared : undefined
}

function scratchOn(device: string): string {
  const folder = mkdtempSync(join(device, 'ion-scratch-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

function expectMovedAndBack(io: Io, base: string): void {
  const old = join(io.home, '.goose-module')
  const before = treeState(old)
  expect(outcomesOf(migrate(dry, io))).toEqual(['goose: would move'])
  expect(existsSync(journalFile(io))).toBe(false)
  expect(outcomesOf(migrate(real, io))).toEqual(['goose: moved'])
  expect(readlinkSync(old).startsWith('..') || readlinkSync(old) === '.coder-modules/goose').toBe(true)
  expect(treeState(join(base, 'goose'))).toEqual(before)
  expect(lstatSync(join(base, 'goose/run.sh')).mode & 0o777).toBe(0o750)
  expect(lstatSync(join(base, 'goose/logs/empty')).isDirectory()).toBe(true)
  expect(readFileSync(join(old, 'logs/up'), 'utf8')).toBe('{"a":1}')
  expect(outcomesOf(migrate(real, io))).toEqual(['goose: nothing to do'])
  expect(outcomesOf(undo(real, io))).toEqual(['goose: moved back'])
  expect(lstatSync(old).isDirectory()).toBe(true)
  expect(treeState(old)).toEqual(before)
  expect(lstatSync(join(base, 'goose'), { throwIfNoEntry: false })).toBeUndefined()
  expect(undo(real, io)).toEqual([])
  expect(outcomesOf(migrate(real, io))).toEqual(['goose: moved'])
}

test('moved, moved again, undone, undone again', () => {
  const io = world()
  expectMovedAndBack(io, join(io.home, '.coder-modules'))
})

test.skipIf(!otherDevice())('the same over file systems', () => {
  const base = scratchOn(otherDevice()!)
  const io = world({ CODER_MODULE_DATA_DIR: join(base, 'modules') })
  expectMovedAndBack(io, join(base, 'modules'))
})

test('refuses if the target is not empty, and moves the others', () => {
  const io = world()
  mkdirSync(join(io.home, '.amp-module'))
  const target = join(io.home, '.coder-modules/goose')
  mkdirSync(target, { recursive: true })
  writeFileSync(join(target, 'other'), 'x')
  const before = treeState(join(io.home, '.goose-module'))
  expect(migrate(real, io)).toEqual([
    {
      name: 'amp',
      from: join(io.home, '.amp-module'),
      to: join(io.home, '.coder-modules/amp'),
      outcome: 'moved',
      reason: 'survives a restart, but is not with the other modules',
    },
    {
      name: 'goose',
      from: join(io.home, '.goose-module'),
      to: target,
      outcome: 'refused',
      reason: 'the target exists and is not empty',
    },
  ])
  expect(treeState(join(io.home, '.goose-module'))).toEqual(before)
})

test('moves only the named ones; an unknown name is an error', () => {
  const io = world()
  mkdirSync(join(io.home, '.amp-module'))
  expect(outcomesOf(migrate({ names: ['amp'], isDry: false }, io))).toEqual(['amp: moved'])
  expect(() => migrate({ names: ['dog'], isDry: false }, io)).toThrow('no module data called "dog"')
  expect(outcomesOf(migrate(dry, io))).toEqual(['amp: nothing to do', 'goose: would move'])
})

test.skipIf(process.platform !== 'linux')('refuses while a process has something open there', async () => {
  const io = world()
  const { spawn } = await import('node:child_process')
  const child = spawn(process.execPath, ['-e', 'process.stdin.resume()'], {
    cwd: join(io.home, '.goose-module/logs'),
    stdio: ['pipe', 'ignore', 'ignore'],
  })
  await new Promise((resolve) => child.once('spawn', resolve))
  const [reported] = migrate(real, io)
  expect(reported).toMatchObject({
    outcome: 'refused',
    reason: expect.stringContaining(`in use by process ${child.pid} (`),
  })
  const ended = new Promise((resolve) => child.once('exit', resolve))
  child.stdin.end()
  await ended
  expect(outcomesOf(migrate(real, io))).toEqual(['goose: moved'])
})

test('undo does not remove what was put into the old location since', () => {
  const io = world()
  const old = join(io.home, '.goose-module')
  migrate(real, io)
  rmSync(old)
  mkdirSync(old)
  writeFileSync(join(old, 'new'), 'x')
  expect(outcomesOf(undo(real, io))).toEqual(['goose: refused'])
  expect(readFileSync(join(old, 'new'), 'utf8')).toBe('x')
})

test('undo skips data or an old location that no longer exists', () => {
  const io = world()
  migrate(real, io)
  rmSync(join(io.home, '.coder-modules/goose'), { recursive: true })
  expect(undo(real, io).map(({ outcome, reason }) => [outcome, reason])).toEqual([
    ['left', 'its data no longer exists'],
  ])
})

test('a module that recreated its folder after a crash loses nothing', () => {
  const io = world()
  const [from, to] = [join(io.home, '.goose-module'), join(io.home, '.coder-modules/goose')]
  appendEntry(io, { type: 'begin', id: '0123456789ab', direction: 'migrate', name: 'goose', from, to })
  mkdirSync(to, { recursive: true })
  writeFileSync(join(to, 'old'), 'x')
  expect(outcomesOf(migrate(real, io))).toEqual(['goose: taken back', 'goose: refused'])
  expect([readFileSync(join(to, 'old'), 'utf8'), existsSync(join(from, 'state.json'))]).toEqual(['x', true])
})

test('a torn line in the journal is skipped', () => {
  const io = world()
  migrate(real, io)
  appendFileSync(journalFile(io), '{"v":1,"type":"beg')
  expect(readJournal(io).moved.map(({ name }) => name)).toEqual(['goose'])
  expect(outcomesOf(undo(real, io))).toEqual(['goose: moved back'])
  expect(readJournal(io)).toEqual({ unfinished: [], moved: [] })
})

test('refuses while another process is migrating', () => {
  const io = world()
  mkdirSync(leaseFolder(io), { recursive: true })
  const boot = process.platform === 'linux' ? readFileSync('/proc/sys/kernel/random/boot_id', 'latin1').trim() : ''
  const lease = join(leaseFolder(io), 'lease.1')
  writeFileSync(lease, JSON.stringify({ pid: process.pid, start: null, boot }))
  expect(() => migrate(real, io)).toThrow(`another process (${process.pid}) is migrating`)
  writeFileSync(lease, JSON.stringify({ pid: 2 ** 30, start: null, boot }))
  expect(outcomesOf(migrate(real, io))).toEqual(['goose: moved'])
  expect(leaseHolder(leaseFolder(io))).toBeUndefined()
})
