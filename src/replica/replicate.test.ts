import { expect, test } from 'vitest'
import { type Fault, STUB_BUCKET, type StubServer, startStub } from '../../test/s3/stub-server.ts'
import { replicaAgent, SESSIONS, TaskHome } from '../../test/support/replica-task.ts'
import { identityOf } from '../platform/process.ts'
import { readLedger } from '../run/ledger.ts'
import { openByConfig, openConfig } from './open.ts'
import { rekeyReplica } from './rekey-replica.ts'
import { replicate } from './replicate.ts'
import { findKey, generateKey, type ReplicaKey } from './seal/keys.ts'
import { rekey } from './seal/open-config.ts'
import { readReplicaStatus } from './status.ts'
import type { ObjectStore } from './store/object-store.ts'
import { openStore } from './store/open-store.ts'

const KEY = 'AGE-SECRET-KEY-164XV5WFY7W2VJWPNDWPE0QPSK3E0SWF3WXRZ5HGDNRT3EL5GS2CSY4F6SC'
const ADDRESS = `s3://${STUB_BUCKET}/prefix`

interface Run {
  /** What was asked of the store before the task could be started. Undefined: it could not. */
  readonly before: readonly string[] | undefined
  readonly all: readonly string[]
}

class Workspace extends TaskHome {
  readonly #stub: StubServer

  constructor(stub: StubServer, fixture?: string) {
    super(fixture, { ...stub.env, ION_REPLICA_KEY: KEY }, { now: () => new Date() })
    this.#stub = stub
  }

  /** One run of the task, in which the agent does this. */
  async run(work: () => void = () => {}, key?: string): Promise<Run> {
    const { requests } = this.#stub
    const from = requests.length
    const ending = new AbortController()
    let before: readonly string[] | undefined
    const ready = (): void => {
      before = requests.slice(from)
      work()
      ending.abort()
    }
    const { task, notice } = this
    const io = key === undefined ? this.io : { ...this.io, env: { ...this.io.env, ION_REPLICA_KEY: key } }
    const settings = { address: ADDRESS, days: 7 }
    const request = { task, settings, command: 'ion run claude', steal: false, starter: identityOf(process.pid) }
    await replicate(request, replicaAgent, io, { notice, ready, ending: ending.signal })
    return { before, all: requests.slice(from) }
  }

  store(): Promise<ObjectStore> {
    return openStore(ADDRESS, this.io)
  }

  async key(text = KEY): Promise<ReplicaKey> {
    return (await findKey({ ...this.io, env: { ION_REPLICA_KEY: text } }))!
  }
}

/** A workspace whose task is in the store, as after a normal end. */
async function stored(stub: StubServer): Promise<Workspace> {
  const here = new Workspace(stub, SESSIONS)
  await here.run(() => here.use())
  return here
}

const theLease = [expect.stringMatching(/^PUT bucket\/prefix\/tasks\/[0-9a-f]+\/[0-9a-f]+\/lease$/)]

test('where nothing has changed, one request is made before the task is started', async () => {
  const stub = await startStub()
  const here = await stored(stub)
  for (let round = 0; round < 3; round++) expect((await here.run()).before).toEqual(theLease)
  // It stores what happens then, and another workspace gets it.
  expect((await here.run(() => here.end())).before).toEqual(theLease)
  expect((await here.run()).before).toEqual(theLease)
  const there = new Workspace(stub)
  await there.run()
  expect(there.notices).toEqual([expect.stringContaining('restored session')])
  expect(readLedger(there.task.folder).entries.map(({ type }) => type)).toContain('exited')
  // It was released there, so that one starts with one request now, and the other one looks.
  expect((await there.run()).before).toEqual(theLease)
  expect((await here.run()).before).not.toEqual(theLease)
})

test('what another workspace has continued since is restored before the start', async () => {
  const stub = await startStub()
  const here = await stored(stub)
  const there = new Workspace(stub)
  await there.run(() => {
    there.work()
    there.end()
  })
  await here.run()
  expect(here.notices).toEqual([
    expect.stringContaining('created a new replica'),
    expect.stringContaining('restored session'),
  ])
  expect(readLedger(here.task.folder).entries.map(({ type }) => type)).toContain('exited')
})

const cuts: readonly (readonly Fault[])[] = [
  ['reset before'],
  ['reset after'],
  ['cut the answer'],
  [{ answer: 503, code: 'SlowDown' }],
  ['reset after', 'reset before', 'reset after'],
]

test.each(cuts)('the one request is cut: %j, %j', async (...faults) => {
  const stub = await startStub()
  const here = await stored(stub)
  stub.faults.push(...faults.filter(Boolean).map((fault) => ({ on: /^PUT .*lease/, fault })))
  const { before, all } = await here.run(() => here.end())
  // Only what is needed to find out whether it had its effect.
  expect(before!.every((line) => line.endsWith('/lease'))).toBe(true)
  expect(all.filter((line) => line.includes('/records/0')).length).toBeGreaterThan(0)
  const there = new Workspace(stub)
  await there.run()
  expect(readLedger(there.task.folder).entries.map(({ type }) => type)).toContain('exited')
})

// It takes as long as that.
test('a store that does not answer in time at the end is named as the reason', { tags: ['deep'] }, async () => {
  const stub = await startStub()
  const here = await stored(stub)
  await here.run(() => {
    here.end()
    stub.faults.push({ on: /^PUT .*\/records\//, fault: 'hang' })
  })
  expect(readReplicaStatus(here.task.folder)).toMatchObject({
    state: 'behind',
    problem: `${ADDRESS} did not store it within 10 s`,
  })
})

test('a store that was emptied gets the task again', async () => {
  const stub = await startStub()
  const here = await stored(stub)
  stub.objects.clear()
  await here.run()
  expect(here.notices.at(-1)).toContain('is not the store that it was')
  expect((await here.run()).before).toEqual(theLease)
})

test('after a change of the key, a workspace that has the old one is refused before the start', async () => {
  const stub = await startStub()
  const here = await stored(stub)
  const store = await here.store()
  const { text: otherKey } = await generateKey(here.io)
  await rekeyReplica(store, await here.key(), { key: await here.key(otherKey) })
  await expect(here.run()).rejects.toMatchObject({ kind: 'refused', message: expect.stringContaining('other keys') })
  expect((await here.run(() => here.end(), otherKey)).before).not.toEqual(theLease)
  expect((await here.run(() => {}, otherKey)).before).toEqual(theLease)
})

test('a key that was changed without the leases: nothing is stored with the old one', async () => {
  const stub = await startStub()
  const here = await stored(stub)
  const [store, key] = [await here.store(), await here.key()]
  const { config } = await openConfig(store, { address: ADDRESS }, here.io)
  const old = (await openByConfig(store, config, { address: ADDRESS }, here.io))!

  // The user's key is the same, but there is a new one for the content.
  await rekey(store, key, { key })
  const first = await here.run(() => here.end())
  expect(first.before).toEqual(theLease)
  const record = first.all.find((line) => line.startsWith('PUT') && line.includes('/records/'))!
  const name = record.slice(`PUT ${STUB_BUCKET}/prefix/`.length)
  expect(() => old.open(name, stub.objects.get(`prefix/${name}`)!.bytes)).toThrow(
    'with a key that this store did not have',
  )

  // This workspace does not have the new one: its agent works, and nothing is stored.
  await rekey(store, key, { key: await here.key((await generateKey(here.io)).text) })
  const second = await here.run(() => here.end())
  expect(second.all.filter((line) => /^PUT .*\/(?:records|pieces)\//.test(line))).toEqual([])
  expect(readReplicaStatus(here.task.folder)).toMatchObject({
    state: 'fenced',
    problem: expect.stringContaining('is encrypted for other keys') as string,
  })
})
