// @module-tag deep
import { appendFileSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { Io } from '../../src/platform/io.ts'
import { Vault } from '../../src/vault/vault.ts'
import { vaultFolder } from '../../src/vault/vault-paths.ts'
import { filesBelow, scratchFolder } from '../support/scratch.ts'
import { KeepWorld, note, type Subject, subjects } from './archive-world.ts'
import { type Fault, tryWith, whileReading } from './faulty-files.ts'
import { inParallel } from './kill-cells.ts'
import { killHook, killPoints } from './kill-hook.ts'
import { runIon } from './run-ion.ts'

const SLOW = 600_000

/** A command that works with copies, on a machine prepared for it; afterwards the agent has the session as before. */
interface Act {
  readonly name: string
  readonly ready: (subject: Subject) => KeepWorld
  readonly words: (world: KeepWorld) => string[]
  readonly run: (world: KeepWorld) => void
}

const capture: Act = {
  name: 'capture',
  ready: (subject) => new KeepWorld(subject),
  words: ({ sessionId }) => ['capture', sessionId],
  run: (world) => world.capture(),
}

const restore: Act = {
  name: 'restore',
  ready: (subject) => {
    const world = new KeepWorld(subject)
    world.capture()
    world.remove()
    return world
  },
  words: ({ sessionId }) => ['restore', sessionId],
  run: (world) => void world.restore(),
}

/** All of the agent's data is gone, as in a new home. */
const restoreAll: Act = {
  ...restore,
  name: 'restore into an empty store',
  ready: (subject) => {
    const world = restore.ready(subject)
    for (const file of filesBelow(world.where.home)) rmSync(file)
    return world
  },
}

const cases = [
  ...subjects.flatMap((subject) => [capture, restore].map((act) => ({ subject, act }))),
  // It makes no difference where sessions are files.
  { subject: subjects[1]!, act: restoreAll },
]

describe.each(cases)('$act.name, $subject.id', ({ subject, act }) => {
  const expected = (): unknown => new KeepWorld(subject).session()

  test(
    'killed at each operation, by kill -9: nothing is lost, and a second run completes it',
    async () => {
      const world = act.ready(subject)
      const whole = expected()
      const others = world.others()
      const operations = await countOperations(world.copy(), act)
      let killed = 0
      const points = killPoints(operations)
      await inParallel(points, async (at) => {
        const one = world.copy()
        const { code } = await runKilled(one, act, { ION_TEST_KILL_AT: String(at) })
        // A run may need one operation less, such as a wait.
        expect([null, 0]).toContain(code)
        if (code === null) killed++
        complete(one, act, whole, others)
      })
      expect(killed).toBeGreaterThan(points.length - 3)
      note(`${act.name} ${subject.id}`, { operations, killed })
    },
    SLOW,
  )

  test.each([['ENOSPC'], ['EACCES'], ['EROFS']] as const)(
    '%s: it is reported, nothing is lost, and a second run completes it',
    (code) => {
      const world = act.ready(subject)
      const whole = expected()
      const others = world.others()
      const { operations, error: none } = fail(world.copy(), act, { code, at: Number.POSITIVE_INFINITY })
      expect(none).toBeUndefined()
      // A read-only disk is read-only from the start.
      const last = code === 'EROFS' ? Math.min(1, operations) : operations
      let reported = 0
      for (let at = 1; at <= last; at++) {
        const one = world.copy()
        const { error } = fail(one, act, { code, at })
        if (error) reported++
        // Only a failure to clean up is not reported.
        else expect(one.session()).toEqual(whole)
        complete(one, act, whole, others)
      }
      // SQLite writes into an existing database without us.
      expect(reported > 0).toBe(operations > 0)
      note(`${act.name} ${subject.id} ${code}`, { operations: last, reported })
    },
    SLOW,
  )
})

function complete(one: KeepWorld, act: Act, whole: unknown, others: unknown): void {
  const found = one.session()
  if (act === capture) expect(found).toEqual(whole)
  expect(one.others()).toEqual(others)
  act.run(one)
  expect(one.session()).toEqual(whole)
  expect(one.others()).toEqual(others)
  expect({ damage: one.damage(), leftovers: one.leftovers() }).toEqual({ damage: [], leftovers: [] })
  if (act === capture) {
    one.remove()
    one.restore()
    expect(one.session()).toEqual(whole)
  }
  one.forget()
}

function fail(one: KeepWorld, act: Act, fault: Fault): ReturnType<typeof tryWith> {
  const tried = tryWith(fault, () => act.run(one))
  one.endWriter()
  return tried
}

async function countOperations(one: KeepWorld, act: Act): Promise<number> {
  const file = join(one.where.root, 'operations.json')
  const { code, err } = await runKilled(one, act, { ION_TEST_OPERATIONS: file })
  expect([code, err]).toEqual([0, ''])
  return (JSON.parse(readFileSync(file, 'utf8')) as string[]).length
}

function runKilled(one: KeepWorld, act: Act, env: Record<string, string>): ReturnType<typeof runIon> {
  const hook = join(one.where.root, 'kill.cjs')
  writeFileSync(hook, killHook)
  return runIon(one.where, act.words(one), {
    env: { NODE_OPTIONS: `-r ${hook}`, ION_TEST_DATABASES: '1', ...env },
    timeoutMs: 120_000,
  })
}

function replaceWith(path: string, text: string): void {
  writeFileSync(`${path}.new`, text)
  renameSync(`${path}.new`, path)
}

describe('a store that changes while it is copied', () => {
  const files = subjects[0]!

  test.each([
    ['replaced', replaceWith],
    ['rewritten', (path: string, text: string): void => writeFileSync(path, text)],
    ['longer', (path: string, text: string): void => appendFileSync(path, text.split('\n')[0]!.concat('\n'))],
  ])('%s at each read: the copy is one state of it', (_what, change) => {
    const world = new KeepWorld(files)
    const { path } = world.head()!
    const before = readFileSync(path, 'utf8')
    const after = before.replaceAll('shop', 'store').split('\n').slice(1).join('\n')
    let states = 0
    for (let at = 1, reads = 1; at <= reads; at++) {
      const one = world.copy()
      const file = one.head()!.path
      const head = one.head()!
      const vault = new Vault(one.io)
      reads = whileReading(
        at,
        () => change(file, after),
        () => vault.backUp(one.agent, head),
      )
      const kept = vault.find(one.agent, one.sessionId)!.versions.at(-1)!.parts[0]!
      const copy = Buffer.concat([...vault.content(kept)]).toString('utf8')
      expect([before, after, readFileSync(file, 'utf8')]).toContain(copy)
      states++
      one.forget()
    }
    expect(states).toBeGreaterThan(2)
    note('changed while it was read', { reads: states })
  })
})

describe('two at once', () => {
  test(
    'captures of the same store: one may be refused, and the copies are complete',
    async () => {
      for (const subject of subjects) {
        const world = new KeepWorld(subject)
        const runs = await Promise.all(
          [1, 2, 3].map(() => runIon(world.where, ['capture', '--all'], { timeoutMs: 120_000 })),
        )
        for (const { code } of runs) expect([0, 4]).toContain(code)
        expect(runs.map(({ code }) => code)).toContain(0)
        complete(world, capture, new KeepWorld(subject).session(), world.others())
      }
    },
    SLOW,
  )
})

describe.each(subjects.map((subject) => [subject.id, subject] as const))(
  'an exact copy with a flipped bit, %s',
  (_id, subject) => {
    test('in every file, at its start, middle and end: reported, and nothing wrong is restored', () => {
      const world = new KeepWorld(subject)
      world.capture()
      const whole = world.session()
      let found = 0
      let harmless = 0
      for (const file of filesBelow(vaultFolder(world.io))) {
        const bytes = readFileSync(file)
        for (const at of new Set([0, bytes.length >> 1, bytes.length - 1])) {
          const flipped = Buffer.from(bytes)
          flipped[at]! ^= 1
          writeFileSync(file, flipped)
          const empty: Io = { ...world.io, home: scratchFolder() }
          const { error } = tryWith({ code: 'EACCES', at: Number.POSITIVE_INFINITY }, () => world.restore(empty))
          if (error) {
            found++
            expect(String(error)).toContain(file)
            expect(world.damage().join('\n')).toContain(file)
            expect(filesBelow(empty.home)).toEqual([])
          } else {
            // A padding bit at the end of compressed bytes.
            harmless++
            expect(world.session(empty)).toEqual(whole)
          }
          writeFileSync(file, bytes)
        }
      }
      expect(found).toBeGreaterThan(harmless)
      note(`flipped bits ${subject.id}`, { found, harmless })
    })

    test(
      'a session that the agent still has is copied again',
      async () => {
        const world = new KeepWorld(subject)
        world.capture()
        const whole = world.session()
        for (const file of filesBelow(vaultFolder(world.io))) {
          const one = world.copy()
          const damaged = file.replace(world.where.ionHome, one.where.ionHome)
          const bytes = readFileSync(damaged)
          bytes[bytes.length >> 1]! ^= 1
          writeFileSync(damaged, bytes)
          const verified = await runIon(one.where, ['capture', '--verify'], { timeoutMs: 120_000 })
          expect([verified.code, verified.out]).toEqual([1, expect.stringContaining(damaged)])
          expect((await runIon(one.where, ['capture', one.sessionId], { timeoutMs: 120_000 })).code).toBe(0)
          expect(one.damage()).toEqual([])
          one.remove()
          one.restore()
          expect(one.session()).toEqual(whole)
        }
      },
      SLOW,
    )
  },
)
