import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { checkingSealer } from '../../test/support/checking-sealer.ts'
import { deadPid, liveChild } from '../../test/support/live-child.ts'
import { MemoryStore } from '../../test/support/memory-store.ts'
import { listAll } from '../../test/support/read-all.ts'
import { replicaAgent as agent, SESSIONS, TaskHome } from '../../test/support/replica-task.ts'
import { ionHome } from '../platform/home.ts'
import { readLedger } from '../run/ledger.ts'
import { readTaskState } from '../run/session-record.ts'
import { isUntouched } from '../run/task-state.ts'
import { followTask } from './follow/follow-task.ts'
import { TaskImage } from './follow/task-image.ts'
import { ReplicaLease, readLease } from './lease.ts'
import { readLocalRecord, recordEnd, writeLocalRecord } from './local-record.ts'
import { verifyLog } from './log/verify-log.ts'
import { LogWriter } from './log/write-log.ts'
import { isKnownHere, type PreparedTask, type PrepareRequest, prepareTask } from './prepare-task.ts'
import { type MomentRequest, type RestoredMoment, restoreMoment } from './restore-moment.ts'

class Home extends TaskHome {
  readonly #store: MemoryStore

  constructor(store: MemoryStore, fixture?: string) {
    super(fixture)
    this.#store = store
  }

  prepare(more: Partial<PrepareRequest> = {}): Promise<PreparedTask> {
    return prepareTask({ ...this.#request(), ...more })
  }

  restore(more: Partial<MomentRequest>): Promise<RestoredMoment> {
    return restoreMoment({ ...this.#request(), at: undefined, replace: true, dryRun: false, ...more })
  }

  #request(): PrepareRequest {
    const { io, task, notice } = this
    const common = { agent, task, io, store: this.#store, sealer: checkingSealer, command: 'ion run claude', notice }
    return { ...common, steal: true, wait: async () => {} }
  }

  /** Stores what is here, gives the lease back, and notes that. */
  async storeAndEnd({ log, lease, loaded }: PreparedTask): Promise<void> {
    const { task, io } = this
    const image = new TaskImage({ agent, task, io }, loaded?.state)
    const writer = new LogWriter(log, lease.tenure, loaded?.state)
    const wait = async (): Promise<void> => {}
    await followTask({ image, writer, lease, io, isActive: () => false, wait, onProgress: () => {} })
    recordEnd(task.folder, { log, lease, head: writer.state!.head, parts: image.look().parts })
    image.close()
  }

  /** Stores what is here. Killed right after that: nothing is noted in this home, and the lease stays taken. */
  async storeAndDie({ log, lease, loaded }: PreparedTask): Promise<void> {
    const { task, io } = this
    const image = new TaskImage({ agent, task, io }, loaded?.state)
    const writer = new LogWriter(log, lease.tenure, loaded?.state)
    const dies = new Error('killed')
    const wait = (): Promise<void> => Promise.reject(dies)
    const following = { image, writer, lease, io, isActive: () => true, wait, onProgress: () => {} }
    await expect(followTask(following)).rejects.toBe(dies)
    image.close()
  }
}

/** A home whose task is in the store; its processes were killed right after that. */
async function storedAndKilled(store: MemoryStore): Promise<Home> {
  const here = new Home(store, SESSIONS)
  const first = await here.prepare()
  here.use()
  await here.storeAndDie(first)
  return here
}

/** A home whose task is in the store, as after a normal end. */
async function storedAndEnded(store: MemoryStore): Promise<{ readonly here: Home; readonly first: PreparedTask }> {
  const here = new Home(store, SESSIONS)
  const first = await here.prepare()
  here.use()
  await here.storeAndEnd(first)
  return { here, first }
}

/** Another home restores the task and continues it. */
async function continueElsewhere(store: MemoryStore): Promise<void> {
  const there = new Home(store)
  const second = await there.prepare()
  there.end()
  await there.storeAndDie(second)
}

test('a home whose processes were killed continues its task', async () => {
  const here = new Home(new MemoryStore(), SESSIONS)
  for (let round = 0; round < 3; round++) {
    const prepared = await here.prepare()
    if (round === 0) here.use()
    await here.storeAndDie(prepared)
    here.end()
  }
  await here.prepare()
  expect(here.notices).toEqual([])
})

test('a home that was killed and has nothing that is not stored takes what another has added', async () => {
  const store = new MemoryStore()
  const here = await storedAndKilled(store)
  await continueElsewhere(store)
  await here.prepare()
  expect(here.notices).toEqual([expect.stringContaining('restored session')])
  expect(readLedger(here.task.folder).entries.at(-1)).toMatchObject({ type: 'session', run: 'restored' })
})

test('a home that was continued too is refused, and keeps what it has', async () => {
  const store = new MemoryStore()
  const here = await storedAndKilled(store)
  here.end()
  await continueElsewhere(store)
  const before = readLedger(here.task.folder).entries
  await expect(here.prepare()).rejects.toMatchObject({ kind: 'refused' })
  expect(readLedger(here.task.folder).entries).toEqual(before)
})

test('what was half restored does not count, even when the ledger is there', async () => {
  const store = new MemoryStore()
  await storedAndKilled(store)
  const there = new Home(store)
  await there.prepare()
  const record = readLocalRecord(there.task.folder, store.address)!
  // As it is until the restore is complete; meanwhile the session was written in part.
  writeLocalRecord(there.task.folder, { ...record, tenure: null, image: '', isHalf: true })
  const { native_id } = readTaskState(there.task.folder).session!
  const { path } = listAll(agent, there.io).heads.find((head) => head.native_id === native_id)!
  writeFileSync(path, '')
  expect(isKnownHere(there.task, store.address)).toBe(false)
  await there.prepare()
  expect(there.notices).toHaveLength(2)
  expect(listAll(agent, there.io).heads.some((head) => head.native_id === native_id)).toBe(true)
  expect(isKnownHere(there.task, store.address)).toBe(true)
})

test('a home that lost its ledger but not its record restores the task', async () => {
  const store = new MemoryStore()
  const here = await storedAndKilled(store)
  rmSync(join(here.task.folder, 'ledger.jsonl'))
  rmSync(join(here.task.folder, 'session.json'), { force: true })
  await here.prepare()
  expect(here.notices).toEqual([expect.stringContaining('restored session')])
})

test('a task that is worked on is not restored: the one that was continued elsewhere is only reported', async () => {
  const store = new MemoryStore()
  const here = await storedAndKilled(store)
  await continueElsewhere(store)
  await expect(here.prepare({ isStarted: true })).rejects.toThrow('another workspace has continued this task')
  expect(here.notices).toEqual([])
})

test('while an agent works here, the lease is kept when the store fails; a task that another continued is given back', async () => {
  const store = new MemoryStore()
  const { here, first } = await storedAndEnded(store)
  const isReleased = async (): Promise<boolean> => (await readLease(first.log))!.document.isReleased
  const failing = async (isStarted: boolean): Promise<void> => {
    store.fault = (operation) => (operation === 'list' ? 'before' : undefined)
    await expect(here.prepare({ writer: 'me', isStarted })).rejects.toThrow('not connected')
    store.fault = () => undefined
  }
  await failing(true)
  expect(await isReleased()).toBe(false)
  await failing(false)
  expect(await isReleased()).toBe(true)
  // Its own lease that it has given back, or not renewed for long, is renewed when it is found again.
  await here.prepare({ writer: 'me', isStarted: true })
  expect(await isReleased()).toBe(false)
  store.now += 30_000
  await here.prepare({ writer: 'me', isStarted: true })
  expect((await readLease(first.log))!.ageMs).toBe(0)
  const there = new Home(store)
  const second = await there.prepare()
  there.work()
  await there.storeAndDie(second)
  await expect(here.prepare({ isStarted: true })).rejects.toThrow('another workspace has continued this task')
  expect(await isReleased()).toBe(true)
})

test('a home that has more continues although another has restored the task, and done nothing', async () => {
  const store = new MemoryStore()
  const { here } = await storedAndEnded(store)
  here.end()
  const there = new Home(store)
  const second = await there.prepare()
  there.end()
  await there.storeAndEnd(second)
  const { entries } = readLedger(here.task.folder)
  await here.storeAndEnd(await here.prepare())
  expect(here.notices).toEqual([])
  expect(readLedger(here.task.folder).entries).toEqual(entries)
})

test('another store at the same address gets the task anew, under its own names', async () => {
  const store = new MemoryStore()
  const { here, first } = await storedAndEnded(store)
  store.objects.clear()
  const name = (...parts: readonly string[]): string => checkingSealer.name('other', ...parts)
  const sealer = { ...checkingSealer, storeId: '1'.repeat(32), name }
  const { log } = await here.prepare({ sealer })
  expect(log.folder).not.toBe(first.log.folder)
  expect(here.notices).toEqual(['memory://test is not the store that it was: the task is stored there anew'])
})

/** The key of the newest record. */
function newestRecord(store: MemoryStore, { log }: PreparedTask): string {
  return [...store.objects.keys()]
    .filter((key) => key.startsWith(log.keys.records))
    .sort()
    .at(-1)!
}

test('where the newest state is damaged, an earlier one can be restored and continued', async () => {
  const store = new MemoryStore()
  const { here } = await storedAndEnded(store)
  store.now += 60_000
  here.end()
  const second = await here.prepare()
  await here.storeAndEnd(second)
  const key = newestRecord(store, second)
  const object = store.objects.get(key)!
  store.objects.set(key, { ...object, bytes: object.bytes.subarray(1) })

  const there = new Home(store)
  await expect(there.prepare()).rejects.toThrow('is damaged')
  const at = new Date(there.io.now().getTime() - 30_000)
  const { session_id } = await there.restore({ at })
  expect(session_id).not.toBeNull()
  await there.storeAndEnd(await there.prepare())
  expect(there.notices).toEqual([])
})

test('a damaged newest state of this home is stored again', async () => {
  const store = new MemoryStore()
  const { here, first } = await storedAndEnded(store)
  const object = store.objects.get(newestRecord(store, first))!
  object.bytes = object.bytes.subarray(1)
  const second = await here.prepare()
  expect(here.notices).toEqual(['the newest state in memory://test is damaged; it is stored again from here'])
  await here.storeAndEnd(second)
  const there = new Home(store)
  await there.prepare()
  expect(there.notices).toEqual([expect.stringContaining('restored session')])
})

test('verifying finds that the newest records are missing, and an older one can still be restored', async () => {
  const store = new MemoryStore()
  const { here } = await storedAndEnded(store)
  store.now += 60_000
  here.end()
  const second = await here.prepare()
  await here.storeAndEnd(second)
  store.objects.delete(newestRecord(store, second))
  const { log, lease } = second
  expect((await verifyLog(log, lease.tenure)).problems).toEqual([expect.stringContaining('2/1 is missing')])
  const there = new Home(store)
  await expect(there.prepare()).rejects.toThrow('lacks records that were stored')
  const { session_id } = await there.restore({ at: new Date(there.io.now().getTime() - 30_000) })
  expect(session_id).not.toBeNull()
})

test('what a killed restore has downloaded is removed by the next one', async () => {
  const store = new MemoryStore()
  await storedAndKilled(store)
  const there = new Home(store)
  const folder = join(ionHome(there.io), 'replica')
  const [left, used] = [`.ion-restore-${await deadPid()}-0`, `.ion-restore-${await liveChild()}-0`]
  for (const name of [left, used]) {
    mkdirSync(join(folder, name), { recursive: true })
    writeFileSync(join(folder, name, '0'), 'a session')
  }
  await there.prepare()
  expect(readdirSync(folder)).toEqual([used])
})

test('a moment before the first one is refused with a time that works', async () => {
  const store = new MemoryStore()
  await storedAndEnded(store)
  store.now += 3_600_123
  const there = new Home(store)
  const refused = there.restore({ at: new Date(there.io.now().getTime() - 2 * 3_600_000) })
  const { hint } = await refused.then(
    () => expect.unreachable(),
    (error: { hint: string }) => error,
  )
  // The store's clock is read again, and never to the millisecond.
  store.now -= 20
  const at = new Date(/\d{4}\S+Z/.exec(hint)![0])
  expect((await there.restore({ at })).session_id).not.toBeNull()
})

/** Puts an earlier version of the lease in its place; undefined removes it. */
function putBack(store: MemoryStore, lease: { bytes: Buffer; tag: string; at: number } | undefined): void {
  const key = leaseKey(store)
  if (lease) store.objects.set(key, lease)
  else store.objects.delete(key)
}

function leaseKey(store: MemoryStore): string {
  return [...store.objects.keys()].find((key) => key.endsWith('/lease'))!
}

const olderLeases = ['an earlier version of the lease', 'no lease'] as const

test.each(olderLeases)('%s: what was stored since is not passed over, and can be restored', async (which) => {
  const store = new MemoryStore()
  const { here } = await storedAndEnded(store)
  const earlier = { ...store.objects.get(leaseKey(store))! }
  for (let count = 0; count < 2; count++) {
    const again = await here.prepare()
    here.end()
    await here.storeAndEnd(again)
  }
  const { length } = readLedger(here.task.folder).entries
  putBack(store, which === 'no lease' ? undefined : earlier)
  const empty = new Home(store)
  // However often it is tried.
  for (let count = 0; count < 4; count++) {
    await expect(empty.prepare()).rejects.toMatchObject({
      kind: 'refused',
      message: expect.stringContaining('an earlier version') as string,
    })
  }
  expect(isUntouched(readTaskState(empty.task.folder))).toBe(true)
  await expect(here.prepare()).rejects.toMatchObject({ kind: 'refused' })
  await empty.restore({ replace: false })
  expect(readLedger(empty.task.folder).entries.length).toBeGreaterThanOrEqual(length)
  const next = await empty.prepare()
  empty.end()
  await empty.storeAndEnd(next)
  expect(await verifyLog(next.log, (await readLease(next.log))!.document)).toMatchObject({ problems: [] })
})

test('a home that takes an earlier lease as the one that it left stores nothing over what another has stored', async () => {
  const store = new MemoryStore()
  const { here, first } = await storedAndEnded(store)
  const earlier = { ...store.objects.get(leaseKey(store))! }
  await continueElsewhere(store)
  const stored = [...store.objects.keys()]
  putBack(store, earlier)
  const { epoch } = first.lease.tenure
  const { head } = readLocalRecord(here.task.folder, store.address)!
  const retaken = await ReplicaLease.retake(
    first.log,
    { tag: earlier.tag, epoch, head },
    { writer: 'me', now: here.io.now },
  )
  expect(retaken).toBeDefined()
  for (let count = 0; count < 2; count++) {
    await expect(here.prepare({ writer: 'me', isStarted: true })).rejects.toMatchObject({ kind: 'refused' })
  }
  await expect(new Home(store).prepare()).rejects.toMatchObject({ kind: 'refused' })
  expect([...store.objects.keys()]).toEqual(stored)
})
