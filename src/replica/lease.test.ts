import { expect, onTestFinished, test, vi } from 'vitest'
import { checkingSealer } from '../../test/support/checking-sealer.ts'
import { MemoryStore } from '../../test/support/memory-store.ts'
import { type LeaseDocument, ReplicaLease, readLease, type TakeOptions } from './lease.ts'
import { TaskLog } from './log/task-log.ts'
import { Fenced } from './log/write-log.ts'

const KEY = 'tasks/one/lease'

function world(): {
  store: MemoryStore
  log: TaskLog
  waits: string[]
  take: (more?: Partial<TakeOptions>) => Promise<ReplicaLease>
} {
  const store = new MemoryStore()
  const log = new TaskLog(store, checkingSealer, 'tasks/one')
  const waits: string[] = []
  const take = (more: Partial<TakeOptions> = {}): Promise<ReplicaLease> =>
    ReplicaLease.take(log, {
      steal: false,
      takeOver: 'ion run --steal',
      now: () => new Date('2026-11-18T02:00:00Z'),
      wait: async (ms, why) => {
        waits.push(why)
        store.now += ms
      },
      ...more,
    })
  return { store, log, waits, take }
}

/** As if its holder was on another machine, or was this one before it was recreated. */
async function moveHolder(
  { log, store }: ReturnType<typeof world>,
  change: Partial<LeaseDocument> = {},
): Promise<void> {
  const { document } = (await readLease(log))!
  const elsewhere = {
    ...document,
    holder: { ...document.holder, boot: 'another boot', machine: 'far-away' },
    ...change,
  }
  const { tag } = (await store.get(KEY))!
  await log.put(KEY, Buffer.from(JSON.stringify(elsewhere)), { tag })
}

test('of many that take it at the same time one has it, and the others are told who and since when', async () => {
  for (let round = 0; round < 20; round++) {
    const { take } = world()
    const outcomes = await Promise.allSettled(Array.from({ length: 4 }, () => take()))
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    for (const one of outcomes) {
      if (one.status === 'rejected') expect(String(one.reason)).toMatch(/\(pid \d+\) is working on this task .*since/)
    }
  }
})

test.each(['before', 'after'] as const)('a cut %s the effect of a put is no other workspace', async (when) => {
  const { store, log, take } = world()
  const cut = (): void => {
    store.fault = (operation) => {
      if (operation !== 'put') return undefined
      store.fault = () => undefined
      return when
    }
  }
  cut()
  await expect(take({ writer: 'me' })).rejects.toThrow(/not connected|no answer/)
  const lease = await take({ writer: 'me' })
  cut()
  await expect(lease.beat(undefined)).rejects.toThrow(/not connected|no answer/)
  await lease.beat(undefined)
  cut()
  await expect(lease.release(undefined)).rejects.toThrow(/not connected|no answer/)
  await lease.release(undefined)
  expect((await readLease(log))!.document).toMatchObject({ writer: 'me', isReleased: true })
})

test('beats at the same time do not fence each other', async () => {
  const { take, log } = world()
  const lease = await take()
  await Promise.all([lease.beat(undefined), lease.beat(undefined), lease.release(undefined)])
  expect((await readLease(log))!.document).toMatchObject({ beats: 3, isReleased: true })
})

test('no two versions of it are the same bytes: a store without encryption would give them one tag', async () => {
  const { take, store } = world()
  const lease = await take()
  const seen = new Set<string>()
  for (let count = 0; count < 3; count++) {
    await lease.beat(undefined)
    seen.add(store.objects.get(KEY)!.bytes.toString('latin1'))
  }
  expect(seen.size).toBe(3)
})

test('whoever it was stolen from is fenced, and does not take it back', async () => {
  const { take, log } = world()
  const first = await take()
  const second = await take({ steal: true })
  await expect(first.beat(undefined)).rejects.toThrow(Fenced)
  await expect(first.release(undefined)).rejects.toThrow(/has taken over this task/)
  expect((await readLease(log))!.document.writer).toBe(second.tenure.writer)
  await second.beat(undefined)
})

test('one on another machine is waited for until it has been silent for a minute', async () => {
  const here = world()
  await here.take()
  await moveHolder(here)
  await here.take()
  expect(here.store.now).toBe(60_000)
  expect(here.waits[0]).toContain('far-away')
})

test('one on another machine that says something meanwhile has it', async () => {
  const here = world()
  await here.take()
  await moveHolder(here)
  const wait = async (ms: number): Promise<void> => {
    here.store.now += ms
    await moveHolder(here, { beats: here.store.now })
  }
  await expect(here.take({ wait })).rejects.toThrow(/far-away .* is working on this task/)
})

test('a workspace that was recreated under the name that it was given takes its own at once', async () => {
  onTestFinished(() => void vi.unstubAllEnvs())
  vi.stubEnv('ION_MACHINE', '')
  vi.stubEnv('CODER_WORKSPACE_NAME', 'shop')
  const here = world()
  await here.take()
  await moveHolder(here)
  await here.take()
  expect(here.waits).toEqual([])
  // Another workspace, or one that only has a host name, does not.
  await moveHolder(here, { workspace: 'cart' })
  await here.take()
  expect(here.waits).not.toEqual([])
  vi.stubEnv('CODER_WORKSPACE_NAME', '')
  const nameless = world()
  await nameless.take()
  await moveHolder(nameless)
  await nameless.take()
  expect(nameless.waits).not.toEqual([])
})

test('a lease that was changed is refused, with what to do', async () => {
  const { store, take } = world()
  await (await take()).release(undefined)
  store.objects.get(KEY)!.bytes[5]! ^= 1
  await expect(take()).rejects.toMatchObject({
    message: expect.stringContaining(`${KEY} `) as string,
    hint: expect.stringContaining('remove that object') as string,
  })
})
