import { existsSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test, vi } from 'vitest'
import { leaseHolder } from '../../src/platform/lease.ts'
import { readReplicaStatus, replicaLease } from '../../src/replica/status.ts'
import { type Fault, type StubServer, startStub } from '../s3/stub-server.ts'
import { until } from '../support/wait-until.ts'
import { folderOf, ion, lose, PROMPT, said } from './replica-runs.ts'
import { type Machine, machine } from './run-ion.ts'

/**
 * The process that keeps the replica is killed, or cut off from the store, at its n-th request; the next start is in the same
 * home or in an empty one. Whatever happened, the agent was not disturbed, and the prompt is in the session exactly once.
 */

// Each test starts several programs, and other machines may be several times slower.
vi.setConfig({ testTimeout: 900_000 })

const deep = { tags: ['deep'] }

/** Whether it was, at that request. */
function killAt(stub: StubServer, on: Machine, number: number, when: 'before' | 'after'): () => boolean {
  let count = 0
  let isDone = false
  stub.onRequest = (_line, now) => {
    if (now !== when || ++count !== number) return
    const holder = leaseHolder(replicaLease(folderOf(on)))
    if (!holder) return
    isDone = true
    process.kill(holder.pid, 'SIGKILL')
  }
  return () => isDone
}

async function endOfReplica(on: Machine): Promise<void> {
  await until(() => expect(leaseHolder(replicaLease(folderOf(on)))).toBeUndefined())
}

/** Kills at that request of a first run; then the task is continued in the same home, or in an empty one. */
async function killedUpload(number: number, when: 'before' | 'after', where: 'here' | 'elsewhere'): Promise<boolean> {
  const stub = await startStub()
  const first = machine()
  const wasKilled = killAt(stub, first, number, when)
  const cold = await ion(first, stub)
  stub.onRequest = () => {}
  const isStarted = existsSync(join(folderOf(first), 'ledger.jsonl'))
  expect(cold, cold.err).toMatchObject({ code: isStarted ? 0 : 1 })
  expect(said(first)).toEqual(isStarted ? [PROMPT] : [])
  if (where === 'elsewhere') lose(first)
  const next = where === 'here' ? first : machine()
  const again = await ion(next, stub)
  expect(again, again.err).toMatchObject({ code: 0 })
  expect(said(next)).toEqual([PROMPT])
  // What is in the store now is complete.
  lose(next)
  const last = machine()
  expect(await ion(last, stub)).toMatchObject({ code: 0, err: expect.stringContaining('restored session') })
  expect(said(last)).toEqual([PROMPT])
  return wasKilled()
}

async function killedRestore(number: number, when: 'before' | 'after'): Promise<boolean> {
  const stub = await startStub()
  const first = machine()
  expect(await ion(first, stub)).toMatchObject({ code: 0 })
  lose(first)
  const second = machine()
  const wasKilled = killAt(stub, second, number, when)
  await ion(second, stub)
  stub.onRequest = () => {}
  const again = await ion(second, stub)
  expect(again, again.err).toMatchObject({ code: 0 })
  expect(said(second)).toEqual([PROMPT])
  return wasKilled()
}

/** The same at a start where nothing has changed, which asks the store little before the agent starts. */
async function killedResume(number: number, when: 'before' | 'after', where: 'here' | 'elsewhere'): Promise<boolean> {
  const stub = await startStub()
  const first = machine()
  expect(await ion(first, stub)).toMatchObject({ code: 0 })
  const wasKilled = killAt(stub, first, number, when)
  await ion(first, stub, ['--send', 'the second'])
  stub.onRequest = () => {}
  // Killed before it was ready, the agent was not started.
  const known = said(first)
  expect([[PROMPT], [PROMPT, 'the second']]).toContainEqual(known)
  if (where === 'elsewhere') lose(first)
  const next = where === 'here' ? first : machine()
  const again = await ion(next, stub, ['--send', 'the third'])
  expect(again, again.err).toMatchObject({ code: 0 })
  const now = said(next)
  if (where === 'here') expect(now).toEqual([...known, 'the third'])
  else
    expect([
      [PROMPT, 'the third'],
      [...known, 'the third'],
    ]).toContainEqual(now)
  lose(next)
  const last = machine()
  expect(await ion(last, stub)).toMatchObject({ code: 0, err: expect.stringContaining('restored session') })
  expect(said(last)).toEqual(now)
  return wasKilled()
}

/**
 * Tries request after request until one is not reached, and returns its number. Of several ways each tries its share of the
 * requests, so together they try all; every way at every request takes minutes.
 */
async function atEveryRequest(
  way: number,
  ways: number,
  isReached: (number: number) => Promise<boolean>,
): Promise<number> {
  const isAll = process.env.ION_KILLS === 'all'
  let number = isAll ? 1 : way + 1
  while (await isReached(number)) number += isAll ? 1 : ways
  return number
}

/** Both occur in each share of the requests. */
function whenAt(number: number): 'before' | 'after' {
  return Math.floor(number / 2) % 2 ? 'after' : 'before'
}

const wheres = ['here', 'elsewhere'] as const

describe('the process that keeps the replica is killed', () => {
  test('at a few requests of the upload and the restore', async () => {
    expect(await killedUpload(3, 'after', 'here')).toBe(true)
    expect(await killedUpload(8, 'after', 'here')).toBe(true)
    expect(await killedUpload(8, 'before', 'elsewhere')).toBe(true)
    expect(await killedRestore(6, 'after')).toBe(true)
  })

  test.each(wheres)('at requests of the upload, continued %s', deep, async (where) => {
    const end = await atEveryRequest(wheres.indexOf(where), wheres.length, (number) =>
      killedUpload(number, whenAt(number), where),
    )
    expect(end).toBeGreaterThan(8)
  })

  test('at the first request of a start where nothing has changed', async () => {
    expect(await killedResume(1, 'after', 'here')).toBe(true)
    expect(await killedResume(2, 'before', 'elsewhere')).toBe(true)
  })

  test.each(wheres)('at requests of a start where nothing has changed, continued %s', deep, async (where) => {
    const end = await atEveryRequest(wheres.indexOf(where), wheres.length, (number) =>
      killedResume(number, whenAt(number), where),
    )
    expect(end).toBeGreaterThan(5)
  })

  test('at every request of the restore', deep, async () => {
    const end = await atEveryRequest(0, 1, (number) => killedRestore(number, whenAt(number)))
    expect(end).toBeGreaterThan(6)
  })
})

const cuts: readonly Fault[] = ['reset before', 'reset after', 'cut the answer', { answer: 503, code: 'SlowDown' }]

/** All requests from that one on fail in this way, for a while: of the first run, or of one after it where nothing has changed. */
async function cutOff(from: number, count: number, fault: Fault, isResumed = false): Promise<number> {
  const stub = await startStub()
  const first = machine()
  if (isResumed) expect(await ion(first, stub)).toMatchObject({ code: 0 })
  const expected = isResumed ? [PROMPT, 'the second'] : [PROMPT]
  let seen = 0
  stub.onRequest = (_line, when) => {
    if (when === 'before' && ++seen >= from && seen < from + count) stub.faults.push({ on: /./, fault })
  }
  const cut = await ion(first, stub, isResumed ? ['--send', 'the second'] : [PROMPT])
  expect(cut, cut.err).toMatchObject({ code: 0 })
  expect(said(first)).toEqual(expected)
  await endOfReplica(first)
  expect(readReplicaStatus(folderOf(first))).toMatchObject({ state: 'ended', problem: null })
  lose(first)
  const second = machine()
  expect(await ion(second, stub)).toMatchObject({ code: 0, err: expect.stringContaining('restored session') })
  expect(said(second)).toEqual(expected)
  return seen
}

describe('the network is cut', () => {
  test('for one request: the run ends as if nothing had happened', async () => {
    await cutOff(4, 1, 'reset after')
    await cutOff(9, 1, 'reset after')
    await cutOff(1, 1, 'reset after', true)
  })

  test.each(cuts)('at requests of the upload: %j', deep, async (fault) => {
    const end = await atEveryRequest(
      cuts.indexOf(fault),
      cuts.length,
      async (number) => (await cutOff(number, 1, fault)) >= number,
    )
    expect(end).toBeGreaterThan(8)
  })

  test.each(cuts)('at requests of a start where nothing has changed: %j', deep, async (fault) => {
    const end = await atEveryRequest(
      cuts.indexOf(fault),
      cuts.length,
      async (number) => (await cutOff(number, 1, fault, true)) >= number,
    )
    expect(end).toBeGreaterThan(5)
  })

  test('after the start until the end: nothing is lost, and the next start stores it', async () => {
    const stub = await startStub()
    const first = machine()
    stub.onRequest = (line, when) => {
      if (when === 'before' && /^PUT .*\/records\//.test(line)) stub.quota = 0
    }
    const cold = await ion(first, stub)
    expect(cold, cold.err).toMatchObject({ code: 0, err: expect.stringContaining('the last state is not in s3://') })
    expect(said(first)).toEqual([PROMPT])
    expect(readReplicaStatus(folderOf(first))).toMatchObject({
      state: 'behind',
      behind_since: expect.any(String) as string,
      problem: expect.stringMatching(/full|quota/i) as string,
    })
    stub.onRequest = () => {}
    stub.quota = Number.POSITIVE_INFINITY
    const again = await ion(first, stub)
    expect(again, again.err).toMatchObject({ code: 0 })
    lose(first)
    const second = machine()
    expect(await ion(second, stub)).toMatchObject({ code: 0, err: expect.stringContaining('restored session') })
    expect(said(second)).toEqual([PROMPT])
  })

  test('before the start: only the home that had the task last goes on without the store', async () => {
    const stub = await startStub()
    const nowhere = { env: { ...stub.env, AWS_ENDPOINT_URL_S3: 'http://127.0.0.1:9' } }
    const first = machine()
    const empty = machine()
    expect(await ion(first, stub)).toMatchObject({ code: 0 })
    expect(await ion(empty, nowhere)).toMatchObject({ code: 1, err: expect.stringContaining('127.0.0.1:9') })
    expect(said(empty)).toEqual([])
    const offline = await ion(first, nowhere, ['--send', 'and the next one'])
    expect(offline, offline.err).toMatchObject({ code: 0, err: expect.stringContaining('started from what is here') })
    expect(said(first)).toEqual([PROMPT, 'and the next one'])
    expect(readReplicaStatus(folderOf(first))).toMatchObject({ state: 'behind' })
    const online = await ion(first, stub, ['--send', 'and one more'])
    expect(online, online.err).toMatchObject({ code: 0 })
    const warm = await ion(empty, stub)
    expect(warm, warm.err).toMatchObject({ code: 0 })
    expect(said(empty)).toEqual([PROMPT, 'and the next one', 'and one more'])
  })
})

describe('two workspaces start the same task at the same time', () => {
  async function race(isKnown = false): Promise<void> {
    const stub = await startStub()
    const both = [machine(), machine()]
    if (isKnown) expect(await ion(both[0]!, stub)).toMatchObject({ code: 0 })
    const before = both.map((on) => said(on))
    const prompt = isKnown ? ['--send', 'the second'] : [PROMPT]
    const holds = both.map(({ root }) => join(root, 'hold'))
    for (const hold of holds) writeFileSync(hold, '')
    const ended: number[] = []
    const runs = both.map((on, index) =>
      ion(on, stub, prompt, { ION_FAKE_HOLD: holds[index]!, ION_FAKE_HOLD_AT: 'answering' }).then((outcome) => {
        ended.push(index)
        return outcome
      }),
    )
    await Promise.race(runs)
    const [loser] = ended
    const winner = 1 - loser!
    rmSync(holds[winner]!)
    const outcomes = await Promise.all(runs)
    expect(outcomes[loser!]).toMatchObject({
      code: 4,
      err: expect.stringMatching(/is working on this task in s3:.*since/),
    })
    expect(outcomes[winner], outcomes[winner]!.err).toMatchObject({ code: 0 })
    expect(said(both[winner]!)).toEqual(isKnown ? [PROMPT, 'the second'] : [PROMPT])
    expect(said(both[loser!]!)).toEqual(before[loser!])
  }

  test('one of them runs, and the other is told who has it', () => race())

  test('the same if one of them had the task before, and starts with one request', () => race(true))

  test.each([false, true])('20 times, one of them had it before: %j', deep, async (isKnown) => {
    for (let round = 0; round < 20; round++) await race(isKnown)
  })

  test('the one that is taken from continues without storing, and says so', async () => {
    const stub = await startStub()
    const [first, second] = [machine(), machine()]
    const hold = join(first.root, 'hold')
    writeFileSync(hold, '')
    const running = ion(first, stub, [PROMPT], { ION_FAKE_HOLD: hold, ION_FAKE_HOLD_AT: 'answering' })
    await until(() => expect(existsSync(`${hold}.reached`)).toBe(true))
    // Not only the task, which was stored before there was a session.
    const sessions = join(first.home, '.claude', 'projects')
    const files = readdirSync(sessions, { recursive: true, encoding: 'utf8' })
    const writtenAt = Math.max(...files.map((name) => statSync(join(sessions, name)).mtimeMs))
    await until(() => {
      const status = readReplicaStatus(folderOf(first))
      expect(status).toMatchObject({ state: 'stored' })
      expect(Date.parse(status!.last_stored!)).toBeGreaterThan(writtenAt)
    })
    const stolen = await ion(second, stub, ['--steal', '--send', 'from here on'])
    expect(stolen, stolen.err).toMatchObject({ code: 0 })
    // That one runs in another home: it is not Ion's to stop here.
    expect(stolen.err).not.toMatch(/is running on this task|stopped first/)
    rmSync(hold)
    const left = await running
    expect(left, left.err).toMatchObject({ code: 0, err: expect.stringContaining('has taken over this task') })
    expect(readReplicaStatus(folderOf(first))).toMatchObject({ state: 'fenced' })
    lose(first)
    lose(second)
    const third = machine()
    expect(await ion(third, stub, ['from here on'])).toMatchObject({ code: 0 })
    expect(said(third)).toContain('from here on')
  })
})
