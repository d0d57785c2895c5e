import { createHash } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { checkingSealer as sealer } from '../../../test/support/checking-sealer.ts'
import { MemoryStore } from '../../../test/support/memory-store.ts'
import { IonError } from '../../platform/error.ts'
import { ReplicaLease, requireSameTenure } from '../lease.ts'
import { type ObjectStore, StoreError } from '../store/object-store.ts'
import { ContentIndex, type Op } from './delta.ts'
import { fetchParts } from './fetch-parts.ts'
import { pruneLog } from './prune-log.ts'
import { listChain, loadNewest, loadState } from './read-log.ts'
import { TaskLog } from './task-log.ts'
import { verifyLog } from './verify-log.ts'
import { Fenced, type Image, type ImagePart, type LogLimits, LogWriter } from './write-log.ts'

const at = new Date('2026-11-18T02:00:00Z')

function logIn(store: ObjectStore): TaskLog {
  return new TaskLog(store, sealer, 'tasks/one')
}

/** Each time as if in another process: without a wait, whoever holds it. */
function take(log: TaskLog, steal = true): Promise<ReplicaLease> {
  return ReplicaLease.take(log, { steal, takeOver: 'ion run --steal', now: () => at, wait: async () => {} })
}

async function writerOf(log: TaskLog, lease: ReplicaLease, limits?: LogLimits): Promise<LogWriter> {
  return new LogWriter(log, lease.tenure, (await loadNewest(log, lease.tenure))?.state, limits)
}

/** So small that a few bytes take several pieces and checkpoints. */
const SMALL: LogLimits = { segments: 3, bytes: 150, pieces: { min: 8, bits: 3, max: 64 } }

type Contents = Readonly<Record<string, Buffer>>

function sha256(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex')
}

/** The image of some contents, described as changes of others where `before` is given. */
function imageOf(contents: Contents, before: Contents = {}, about = { agent: 'robot' }): Image {
  const parts = Object.entries(contents).map(([name, bytes]): ImagePart => {
    const old = before[name]
    const taken: Buffer[] = []
    const isGrown = old && bytes.length >= old.length && bytes.subarray(0, old.length).equals(old)
    let ops: Op[] | undefined
    if (isGrown) {
      ops = [[0, old.length], [bytes.length - old.length]]
      taken.push(bytes.subarray(old.length))
    } else if (old) {
      ops = new ContentIndex([old]).diff([bytes], (chunk) => taken.push(chunk))
    }
    return {
      name,
      about: { path: name },
      size: bytes.length,
      sha256: sha256(bytes),
      *read(from, to) {
        for (let place = from; place < to; place += 1000) yield bytes.subarray(place, Math.min(to, place + 1000))
      },
      changeFrom: (from) => (old && ops && from === sha256(old) ? { ops, bytes: () => taken } : undefined),
    }
  })
  return { about, parts }
}

/** Compared far faster than buffers. */
function asText(contents: Contents): Record<string, string> {
  return Object.fromEntries(Object.entries(contents).map(([name, bytes]) => [name, bytes.toString('base64')]))
}

/** What a restore gives. */
async function restored(log: TaskLog, lease: ReplicaLease): Promise<Contents> {
  const loaded = await loadNewest(log, lease.tenure)
  if (!loaded) return {}
  const folder = mkdtempSync(join(tmpdir(), 'ion-test-'))
  try {
    const files = await fetchParts(log, loaded, folder)
    return Object.fromEntries([...files].map(([name, file]) => [name, readFileSync(file)]))
  } finally {
    rmSync(folder, { recursive: true })
  }
}

test('what was stored is restored: new, grown, changed and removed parts', async () => {
  const log = logIn(new MemoryStore())
  const lease = await take(log)
  const writer = await writerOf(log, lease)
  const versions: Contents[] = [
    { 'a.jsonl': Buffer.from('one\n') },
    { 'a.jsonl': Buffer.from('one\ntwo\n'), b: Buffer.alloc(0) },
    { 'a.jsonl': Buffer.from('one\ntwo\nthree\n'), b: Buffer.from('x') },
    { b: Buffer.from('y') },
  ]
  for (const [index, version] of versions.entries()) {
    expect(await writer.store(imageOf(version, versions[index - 1]), at)).toBe(true)
    expect(await writer.store(imageOf(version), at)).toBe(false)
    expect(await restored(log, lease)).toEqual(version)
  }
})

test('an appended line in a large part costs a small object, and a checkpoint one more piece', async () => {
  const store = new MemoryStore()
  const log = logIn(store)
  const writer = await writerOf(log, await take(log))
  let content: Buffer = Buffer.alloc(20_000_000, 'some words that repeat, and others ')
  await writer.store(imageOf({ log: content }), at)
  const initial = store.usage.bytesSent
  for (let line = 0; line < 70; line++) {
    const before = content
    content = Buffer.concat([content, Buffer.from(`line ${line}\n`)])
    await writer.store(imageOf({ log: content }, { log: before }), at)
  }
  expect(writer.state?.since.segments).toBeLessThan(64)
  expect(initial).toBeGreaterThan(4_000_000)
  // 70 records and the last piece once more.
  expect(store.usage.bytesSent - initial).toBeLessThan(4 * 1024 * 1024 + 70 * 2000)
})

test('two that take the lease at once: one gets it; a holder that lives is named', async () => {
  const log = logIn(new MemoryStore())
  const [first, second] = await Promise.allSettled([take(log, false), take(log, false)])
  expect([first.status, second.status].sort()).toEqual(['fulfilled', 'rejected'])
  const refused = [first, second].find((one) => one.status === 'rejected') as PromiseRejectedResult
  expect(refused.reason).toMatchObject({ kind: 'refused', hint: 'stop it there, or take over: ion run --steal' })
  expect(String(refused.reason.message)).toContain(`(pid ${process.pid}) is working on this task in memory://test`)
})

test('a released lease is free, and the next tenure continues where the last one ended', async () => {
  const log = logIn(new MemoryStore())
  const first = await take(log, false)
  const writer = await writerOf(log, first)
  await writer.store(imageOf({ a: Buffer.from('one') }), at)
  await first.release(writer.state?.head)
  const second = await take(log, false)
  expect(second.tenure).toMatchObject({ epoch: 2, base: writer.state?.head })
  expect(await restored(log, second)).toEqual({ a: Buffer.from('one') })
})

test('a holder of another machine is waited for: refused when it says that it lives, replaced when it is silent', async () => {
  const store = new MemoryStore()
  const log = logIn(store)
  const lease = await take(log)
  foreignise(log, store)
  const waits: string[] = []
  const options = { steal: false, takeOver: 'x', now: () => at }
  const silent = ReplicaLease.take(log, {
    ...options,
    wait: async (ms, why) => {
      waits.push(why)
      store.now += ms
    },
  })
  expect((await silent).tenure.epoch).toBe(2)
  expect(waits[0]).toBe('elsewhere (pid 7) had this task 0 s ago; it is taken over in 60 s if nothing is heard from it')
  await expect(lease.beat(undefined)).rejects.toThrow(Fenced)

  foreignise(log, store)
  const lives = ReplicaLease.take(log, {
    ...options,
    wait: async (ms) => {
      store.now += ms
      foreignise(log, store)
    },
  })
  await expect(lives).rejects.toMatchObject({ kind: 'refused' })
})

/** Makes the holder of the lease one of another machine, that has just been heard of. */
function foreignise({ keys }: TaskLog, store: MemoryStore): void {
  const object = store.objects.get(keys.lease)!
  const document = JSON.parse(sealer.open(keys.lease, object.bytes).toString('utf8'))
  const holder = { pid: 7, start: null, boot: 'other', machine: 'elsewhere' }
  const bytes = sealer.seal(keys.lease, Buffer.from(JSON.stringify({ ...document, holder })))
  store.objects.set(keys.lease, { bytes, tag: `${object.tag}+`, at: store.now })
}

test('records that are missing, changed, or put at another place are refused', async () => {
  const store = new MemoryStore()
  const log = logIn(store)
  const lease = await take(log)
  const writer = await writerOf(log, lease)
  let before: Contents = {}
  for (const text of ['one', 'one two', 'one two three', 'one two three four']) {
    await writer.store(imageOf({ a: Buffer.from(text) }, before), at)
    before = { a: Buffer.from(text) }
  }
  await lease.beat(writer.state?.head)
  const keys = [...store.objects.keys()].filter((key) => key.startsWith(log.keys.records)).sort()
  const pieces = [...store.objects.keys()].filter((key) => key.startsWith(log.keys.pieces))
  expect(keys.map((key) => key.slice(log.keys.records.length))).toEqual([
    '000000001.000000000.000000000/000000001.checkpoint',
    '000000001.000000000.000000000/000000002.segment',
    '000000001.000000000.000000000/000000003.segment',
    '000000001.000000000.000000000/000000004.segment',
  ])
  for (const key of [...keys, ...pieces]) {
    const object = store.objects.get(key)!
    const flipped = Buffer.from(object.bytes)
    flipped[flipped.length - 1]! ^= 1
    const other = store.objects.get(keys.find((one) => one !== key)!)!
    for (const bytes of [undefined, flipped, other.bytes, object.bytes.subarray(0, -1)]) {
      if (bytes) store.objects.set(key, { ...object, bytes })
      else store.objects.delete(key)
      await expect(restored(log, lease), key).rejects.toThrow('memory://test is damaged')
    }
    store.objects.set(key, object)
  }
  expect(await restored(log, lease)).toEqual(before)
})

test('an earlier state is that of the records until then', async () => {
  const store = new MemoryStore()
  const log = logIn(store)
  const lease = await take(log)
  const writer = await writerOf(log, lease)
  const texts = ['one', 'two', 'three']
  for (const text of texts) {
    await writer.store(imageOf({ a: Buffer.from(text) }), at)
    store.now += 60_000
  }
  const chain = await listChain(log, lease.tenure)
  const sizes = await Promise.all(
    [1, 2, 3].map(async (count) => (await loadState(log, chain.slice(0, count)))?.state.parts.get('a')?.size),
  )
  expect(sizes).toEqual([3, 3, 5])
})

interface Change {
  readonly kind: 'append' | 'insert' | 'rewrite' | 'remove'
  readonly part: number
  readonly bytes: Uint8Array
}

type Step =
  | Change
  | { readonly kind: 'store'; readonly fault?: { readonly after: number; readonly when: 'before' | 'after' } }
  | { readonly kind: 'crash' }
  | { readonly kind: 'replaced' }
  /** The tenure ends normally, and begins again by what is remembered of it; `isTaken`: another one was in between. */
  | { readonly kind: 'left'; readonly isTaken: boolean }

const name = fc.nat(2)
const some = fc.uint8Array({ minLength: 1, maxLength: 40 })
const fault = fc.record({ after: fc.nat(4), when: fc.constantFrom('before' as const, 'after' as const) })
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      kind: fc.constantFrom('append', 'append', 'insert', 'rewrite', 'remove'),
      part: name,
      bytes: some,
    }),
  },
  { weight: 5, arbitrary: fc.record({ kind: fc.constant('store' as const) }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('store' as const), fault }) },
  { weight: 1, arbitrary: fc.constantFrom({ kind: 'crash' as const }, { kind: 'replaced' as const }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('left' as const), isTaken: fc.boolean() }) },
)

/**
 * Whatever the order of the agent's writes, of what reaches the store, of lost answers, crashes and take-overs: what is in
 * the store is a state that the agent had, never older than the last one that was reported as stored.
 */
test('any interleaving of writes, uploads, crashes and take-overs gives a state that the agent had', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 60 }), async (steps) => {
      const store = new MemoryStore()
      const log = logIn(store)
      let lease = await take(log)
      let writer = await writerOf(log, lease, SMALL)
      let now: Record<string, Buffer> = {}
      let seen: Contents = {}
      /** States that may be in the store: the last one that was reported, and those that were attempted since. */
      let possible: Contents[] = [{}]
      for (const one of steps) {
        if (one.kind === 'store') {
          let calls = 0
          store.fault = () => (one.fault && calls++ === one.fault.after ? one.fault.when : undefined)
          const attempted = { ...now }
          possible.push(attempted)
          try {
            await writer.store(imageOf(attempted, seen), at)
            seen = attempted
            possible = [attempted]
          } catch (error) {
            if (!(error instanceof StoreError)) throw error
          }
          store.fault = () => undefined
          const found = await restored(log, lease)
          expect(possible.map(asText)).toContainEqual(asText(found))
        } else if (one.kind === 'crash' || one.kind === 'replaced') {
          const old = { lease, writer }
          lease = await take(log)
          writer = await writerOf(log, lease, SMALL)
          const found = await restored(log, lease)
          expect(possible.map(asText)).toContainEqual(asText(found))
          possible = [found]
          seen = found
          if (one.kind === 'replaced') {
            // It still writes until it notices; nothing of that counts.
            await old.writer.store(imageOf({ ...now, late: Buffer.from('late') }), at)
            await expect(old.lease.beat(undefined)).rejects.toThrow(Fenced)
          }
          now = { ...found }
        } else if (one.kind === 'left') {
          await writer.store(imageOf(now, seen), at)
          const head = writer.state?.head
          await lease.release(head)
          const released = { tag: lease.tag, epoch: lease.tenure.epoch, head: head ?? null }
          if (one.isTaken) {
            const other = await take(log)
            now = { ...now, other: Buffer.from('other') }
            const there = await writerOf(log, other, SMALL)
            await there.store(imageOf(now), at)
            await other.release(there.state?.head)
          }
          const again = await ReplicaLease.retake(log, released, { writer: 'again', now: () => at })
          expect(again === undefined).toBe(one.isTaken)
          lease = again ?? (await take(log))
          writer = await writerOf(log, lease, SMALL)
          expect(asText(await restored(log, lease))).toEqual(asText(now))
          possible = [now]
          seen = now
        } else {
          now = { ...now }
          change(now, one)
        }
      }
      const last = await restored(log, await take(log))
      expect(possible.map(asText)).toContainEqual(asText(last))
    }),
    { numRuns: 300 },
  )
})

function change(contents: Record<string, Buffer>, { kind, part, bytes }: Change): void {
  const key = `part ${part}`
  const old = contents[key] ?? Buffer.alloc(0)
  if (kind === 'remove') delete contents[key]
  else if (kind === 'append') contents[key] = Buffer.concat([old, bytes])
  else if (kind === 'rewrite') contents[key] = Buffer.from(bytes)
  else contents[key] = Buffer.concat([old.subarray(0, old.length / 2), bytes, old.subarray(old.length / 2)])
}

test('pruning removes what the retention does not keep, and no piece that is needed', async () => {
  const store = new MemoryStore()
  const log = logIn(store)
  const lease = await take(log)
  const writer = await writerOf(log, lease, SMALL)
  const texts = Array.from({ length: 40 }, (_, index) => `${'some text '.repeat(20)}${index} ${'more '.repeat(index)}`)
  for (const text of texts) {
    await writer.store(imageOf({ a: Buffer.from(text) }), at)
    store.now += 3600_000 * 6
  }
  expect((await verifyLog(log, lease.tenure)).problems).toEqual([])
  const before = store.objects.size
  const options = { now: at, confirm: () => requireSameTenure(log, lease.tenure) }
  const foreseen = await pruneLog(log, lease.tenure, { days: 2 }, { ...options, dryRun: true })
  expect(store.objects.size).toBe(before)
  const pruned = await pruneLog(log, lease.tenure, { days: 2 }, options)
  expect(pruned).toEqual(foreseen)
  expect(store.objects.size).toBe(before - pruned.records - pruned.pieces)
  expect(pruned.records).toBeGreaterThan(20)
  expect(pruned.pieces).toBeGreaterThan(0)
  expect((await verifyLog(log, lease.tenure)).problems).toEqual([])
  expect(await restored(log, lease)).toEqual({ a: Buffer.from(texts.at(-1)!) })
  expect(await pruneLog(log, lease.tenure, { days: 2 }, options)).toEqual({ records: 0, pieces: 0, bytes: 0 })
})

/** Waits for its turn before each thing that it asks of the store. */
function inTurns(store: MemoryStore, turn: (what: string) => Promise<unknown>): ObjectStore {
  return {
    address: store.address,
    usage: store.usage,
    folders: (prefix) => store.folders(prefix),
    get: (key) => turn(`get ${key}`).then(() => store.get(key)),
    put: (key, bytes, condition) => turn(`put ${key}`).then(() => store.put(key, bytes, condition)),
    async *list(prefix, after) {
      await turn(`list ${prefix}`)
      yield* store.list(prefix, after)
    },
    async remove(keys) {
      for (const key of keys) {
        await turn(`remove ${key}`)
        await store.remove([key])
      }
    },
  }
}

/** Contents of which some pieces are the same, and that come back. */
const version = fc
  .array(fc.constantFrom('a', 'b', 'c', 'd'), { minLength: 1, maxLength: 3 })
  .map((letters): Contents => ({ part: Buffer.from(letters.map((letter) => letter.repeat(20)).join('\n')) }))

test('whatever is stored while old states are removed can be restored', async () => {
  const limits = { ...SMALL, segments: 1 }
  const versions = fc.array(version, { minLength: 1, maxLength: 4 })
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.tuple(version, fc.nat(40)), { minLength: 1, maxLength: 6 }),
      fc.record({ here: versions, elsewhere: fc.option(versions) }),
      fc.nat(3),
      fc.scheduler(),
      async (earlier, { here, elsewhere }, days, scheduler) => {
        const store = new MemoryStore()
        const lease = await take(logIn(store))
        const writer = await writerOf(logIn(store), lease, limits)
        for (const [contents, hours] of earlier) {
          await writer.store(imageOf(contents), at)
          store.now += hours * 3600_000
        }
        const turn = async (what: string): Promise<void> => {
          await scheduler.schedule(Promise.resolve(), what)
          store.now += 1000
        }
        const log = logIn(inTurns(store, turn))
        const storing = async (from: ReplicaLease, all: readonly Contents[]): Promise<void> => {
          const gated = await writerOf(log, from, limits)
          for (const contents of all) await gated.store(imageOf(contents), at)
        }
        const pruning = pruneLog(
          log,
          lease.tenure,
          { days },
          { now: at, confirm: () => requireSameTenure(log, lease.tenure) },
        )
        const pruned = pruning.catch((error: unknown) => {
          // It was taken over.
          if (!(error instanceof IonError) || elsewhere === null) throw error
        })
        // The one that is taken from writes on until it notices.
        const work = [storing(lease, here), pruned]
        let last = here
        let newest = lease
        if (elsewhere) {
          last = elsewhere
          work.push(take(log).then((taken) => storing((newest = taken), elsewhere)))
        }
        await scheduler.waitFor(Promise.all(work))
        expect((await verifyLog(logIn(store), newest.tenure)).problems).toEqual([])
        expect(asText(await restored(logIn(store), newest))).toEqual(asText(last.at(-1)!))
      },
    ),
    { numRuns: Number(process.env.ION_RUNS ?? 100) },
  )
})

test('verifying names each object that is missing or damaged', async () => {
  const store = new MemoryStore()
  const log = logIn(store)
  const lease = await take(log)
  const writer = await writerOf(log, lease, SMALL)
  for (const text of ['one', 'one two', 'x'.repeat(400)]) await writer.store(imageOf({ a: Buffer.from(text) }), at)
  for (const [key, object] of [...store.objects]) {
    if (key === log.keys.lease) continue
    const bytes = Buffer.from(object.bytes)
    bytes[bytes.length - 1]! ^= 1
    store.objects.set(key, { ...object, bytes })
    const { problems } = await verifyLog(log, lease.tenure)
    expect(problems.filter((line) => line.includes(key)).length, key).toBe(1)
    store.objects.set(key, object)
  }
})
