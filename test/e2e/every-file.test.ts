// @module-tag deep
import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { copyTree, filesBelow } from '../support/scratch.ts'
import { canRunUnprivileged } from '../support/unprivileged.ts'
import { listed, type Machine, machine, runIon } from './run-ion.ts'

const agents = fileURLToPath(new URL('../../src/agents', import.meta.url))

/** One home with the fixtures of all agents, and their files. */
function crowded(): { where: Machine; files: string[] } {
  const where = machine()
  for (const agent of readdirSync(agents)) {
    const fixtures = join(agents, agent, 'fixtures')
    // Ion's own archive is one level deeper.
    for (const home of homesIn(fixtures)) copyTree(home, where.home)
  }
  return { where, files: filesBelow(where.home) }
}

function homesIn(fixtures: string): string[] {
  try {
    const homes = readdirSync(fixtures).map((name) => join(fixtures, name))
    return homes.flatMap((home) =>
      basename(dirname(fixtures)) === 'ion' ? readdirSync(home).map((version) => join(home, version)) : [home],
    )
  } catch {
    return []
  }
}

const replace = (path: string, make: (path: string) => void): void => {
  rmSync(path)
  make(path)
}

/** Ways to damage a file. Each is reported, and none may make Ion hang, crash or fail. */
const damages: Readonly<Record<string, (path: string) => void>> = {
  'a folder': (path) => replace(path, (gone) => mkdirSync(gone)),
  'a pipe': (path) => replace(path, (gone) => execFileSync('mkfifo', [gone])),
  'a link to itself': (path) => replace(path, (gone) => symlinkSync(gone, gone)),
  'a link to a device without end': (path) => replace(path, (gone) => symlinkSync('/dev/zero', gone)),
  empty: (path) => truncateSync(path, 0),
  'cut in the middle': (path) => truncateSync(path, Math.floor(statSync(path).size / 2)),
  'full of zeros': (path) => writeFileSync(path, Buffer.alloc(statSync(path).size)),
  'not UTF-8': (path) => writeFileSync(path, Buffer.alloc(20_000, 0xff)),
  'one byte changed in a hundred': (path) => {
    const bytes = readFileSync(path)
    for (let at = 50; at < bytes.length; at += 100) bytes[at] = (bytes[at]! * 31 + 7) % 256
    writeFileSync(path, bytes)
  },
  'deep JSON': (path) => writeFileSync(path, `${'{"a":['.repeat(9000)}${']}'.repeat(9000)}\n`),
  'of a newer version': (path) =>
    writeFileSync(path, readFileSync(path, 'latin1').replaceAll('type', 'kynd'), 'latin1'),
}

const kinds = Object.keys(damages)

/** All kinds for all files take a minute, so each file gets a few of them in turn. ION_TEST_FULL=1 tries all. */
const rounds = process.env.ION_TEST_FULL ? kinds.length : 3

test.each(Array.from({ length: rounds }, (_, round) => round))('damaged files, round %i', async (round) => {
  const { where, files } = crowded()
  for (const [index, path] of files.entries()) damages[kinds[(index + 4 * round) % kinds.length]!]!(path)
  const commands = [
    ['sessions', '--all', '--limit', '0'],
    ['reindex'],
    ['doctor'],
    ['export', '--all', '--format', 'jsonl', '-o', join(where.root, 'jsonl')],
    ['export', '--all', '--format', 'html', '--full', '-o', join(where.root, 'html')],
  ]
  for (const args of commands) {
    const { code, err } = await runIon(where, args)
    // The doctor finds something wrong, and says so.
    expect({ args, code, err }).toEqual({ args, code: args[0] === 'doctor' ? expect.any(Number) : 0, err })
    expect(err).not.toMatch(/\n\s+at |TypeError|RangeError|ReferenceError|undefined|call stack|out of memory/i)
  }
})

test.skipIf(!canRunUnprivileged)('files without read permission are reported, and listed once readable', async () => {
  const { where, files } = crowded()
  const options = { unprivileged: true } as const
  const whole = await listed(where, options)
  for (const path of files) chmodSync(path, 0)
  // Already known: they stay in the list, and reading one reports why it cannot be read.
  expect((await listed(where, options)).map(nameOf)).toEqual(whole.map(nameOf))
  const { out, err } = await runIon(where, ['show', `${whole[0]!.agent}:${whole[0]!.id}`], options)
  expect(out).toContain(String(whole[0]!.id))
  expect(err).toMatch(/could not be read: .*(EACCES|permission|unable to open)/i)
  // Not known yet.
  rmSync(where.ionHome, { recursive: true })
  expect((await listed(where, options)).length).toBeLessThan(3)
  const doctor = await runIon(where, ['doctor'], options)
  expect(doctor.code).toBe(1)
  expect(doctor.out).toMatch(/EACCES.*chmod u\+r/s)
  for (const path of files) chmodSync(path, 0o600)
  expect(await listed(where, options)).toEqual(whole)
})

/** Whether a session is open is unknown, too, when nothing is readable. */
function nameOf(row: Record<string, unknown>): unknown {
  return { ...row, live: null }
}
