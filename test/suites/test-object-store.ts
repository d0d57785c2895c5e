import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import fc from 'fast-check'
import { expect, onTestFinished, test } from 'vitest'
import { realIo } from '../../src/platform/io.ts'
import { isConflict, type ObjectStore, type StoredObject } from '../../src/replica/store/object-store.ts'
import { openStore } from '../../src/replica/store/open-store.ts'
import { requireConditions } from '../../src/replica/store/require-conditions.ts'
import { scratchFolder } from '../support/scratch.ts'

/** An empty store, and the variables that are needed to open it. */
export interface StorePlace {
  readonly address: string
  readonly env: Record<string, string>
}

export function openPlace({ address, env }: StorePlace): Promise<ObjectStore> {
  return openStore(address, { ...realIo(), home: scratchFolder(), env })
}

const RACERS = 4
const ROUNDS = 5
/** More than a page of S3. */
const MANY = 1050

/** What every object store must do. `whyNoRaces`: a stand-in that is not tested with several writers at the same time. */
export function testObjectStore(newPlace: () => Promise<StorePlace>, whyNoRaces?: string): void {
  const reason = whyNoRaces === undefined ? '' : ` (skipped: ${whyNoRaces})`
  const newStore = async (): Promise<ObjectStore> => openPlace(await newPlace())

  test('an object is what was last put, until it is removed', async () => {
    const store = await newStore()
    expect(await store.get('a/one')).toBeUndefined()
    const first = await store.put('a/one', text('first'))
    expect(without(await store.get('a/one'))).toEqual({ bytes: text('first'), tag: first })
    const second = await store.put('a/one', text('second'))
    expect(second).not.toBe(first)
    expect(without(await store.get('a/one'))).toEqual({ bytes: text('second'), tag: second })
    await store.put('a/two', text('2'))
    await store.remove(['a/one', 'a/none', 'none/at/all'])
    await store.remove([])
    expect([await store.get('a/one'), without(await store.get('a/two'))?.bytes]).toEqual([undefined, text('2')])
    await store.put('a/one', text('again'), { isNew: true })
    expect((await store.get('a/one'))?.bytes).toEqual(text('again'))
  })

  test('a put with a condition happens only if it holds', async () => {
    const store = await newStore()
    const outcome = (put: Promise<string>): Promise<string> =>
      put.then(
        () => 'put',
        (error) => (isConflict(error) ? 'conflict' : `${error}`),
      )
    expect(await outcome(store.put('lease', text('0'), { tag: '"00000000000000000000000000000000"' }))).toBe('conflict')
    const first = await store.put('lease', text('1'), { isNew: true })
    expect(await outcome(store.put('lease', text('2'), { isNew: true }))).toBe('conflict')
    const second = await store.put('lease', text('3'), { tag: first })
    expect(await outcome(store.put('lease', text('4'), { tag: first }))).toBe('conflict')
    expect(without(await store.get('lease'))).toEqual({ bytes: text('3'), tag: second })
    await store.remove(['lease'])
    expect(await outcome(store.put('lease', text('5'), { tag: second }))).toBe('conflict')
    expect(await store.get('lease')).toBeUndefined()
    await store.put('lease', text('6'), { isNew: true })
    expect(await outcome(store.put('lease', text('7'), { tag: second }))).toBe('conflict')
    expect((await store.get('lease'))?.bytes).toEqual(text('6'))
    await requireConditions(store)
    expect(await keysOf(store, 'check/')).toEqual([])
  })

  test('lists more than a page of objects in order, from any place on', async () => {
    const store = await newStore()
    const keys = Array.from({ length: MANY }, (_, index) => ordinaryKey(index))
    await eachOf(keys, (key, index) => store.put(key, new Uint8Array(index % 7)))
    const sorted = [...keys].sort()
    const listed = await collect(store.list(''))
    expect(listed.map(({ key, size }) => ({ key, size }))).toEqual(
      sorted.map((key) => ({ key, size: keys.indexOf(key) % 7 })),
    )
    expect(listed.every(({ ageMs }) => ageMs >= 0 && ageMs < 30 * 60_000)).toBe(true)
    const anyPlace = fc.constantFrom(...sorted)
    await fc.assert(
      fc.asyncProperty(anyPlace, fc.nat(30), fc.option(anyPlace, { nil: undefined }), async (key, length, after) => {
        const prefix = key.slice(0, length)
        const expected = sorted.filter((one) => one.startsWith(prefix) && (after === undefined || one > after))
        expect(await keysOf(store, prefix, after)).toEqual(expected)
      }),
      { numRuns: 20 },
    )
    const folders = sorted.filter((key) => key.includes('/')).map((key) => key.split('/')[0]!)
    expect(await store.folders('')).toEqual([...new Set(folders)].sort())
    const below = sorted.filter((key) => /^many\/.*\//.test(key)).map((key) => key.split('/')[1]!)
    expect(await store.folders('many/')).toEqual([...new Set(below)].sort())
    expect(await store.folders('none/')).toEqual([])
    await store.remove(keys.slice(0, 20))
    expect(await keysOf(store, '')).toEqual([...keys.slice(20)].sort())
  })

  test('folders disappear with their objects', async () => {
    const store = await newStore()
    await store.put('a/b/c/d', text('1'))
    await store.put('a/e', text('2'))
    expect([await store.folders(''), await store.folders('a/')]).toEqual([['a'], ['b']])
    await store.remove(['a/b/c/d'])
    expect([await store.folders(''), await store.folders('a/')]).toEqual([['a'], []])
    await store.remove(['a/e'])
    expect([await store.folders(''), await keysOf(store, '')]).toEqual([[], []])
    await store.put('a/b/c/d', text('3'))
    expect(await store.folders('a/b/')).toEqual(['c'])
  })

  test.skipIf(whyNoRaces)(`of 20 conditional puts at the same instant exactly one wins${reason}`, async () => {
    const store = await newStore()
    for (let round = 0; round < ROUNDS; round++) {
      const key = `round-${round}`
      const first = await race(20, (index) => store.put(key, text(`first ${index}`), { isNew: true }))
      expect(without(await store.get(key))).toEqual({ bytes: text(`first ${first.winner}`), tag: first.tag })
      const second = await race(20, (index) => store.put(key, text(`second ${index}`), { tag: first.tag }))
      expect(without(await store.get(key))).toEqual({ bytes: text(`second ${second.winner}`), tag: second.tag })
    }
  })

  test.skipIf(whyNoRaces)(`of 20 conditional puts of four processes exactly one wins${reason}`, async () => {
    const place = await newPlace()
    const store = await openPlace(place)
    const racers = await Promise.all(Array.from({ length: RACERS }, () => startRacer(place)))
    const wins = async (line: string): Promise<number> => {
      const answers = await Promise.all(racers.map((racer) => racer(line)))
      return answers.reduce((sum, answer) => sum + Number(answer), 0)
    }
    for (let round = 0; round < ROUNDS; round++) {
      const key = `round-${round}`
      expect(await wins(`${key} new`)).toBe(1)
      expect(await wins(`${key} ${(await store.get(key))!.tag}`)).toBe(1)
    }
  })

  test('readers see complete objects while they are replaced and removed', async () => {
    const store = await newStore()
    const contents = Array.from({ length: 20 }, (_, index) => Buffer.alloc(20_000 + index, index))
    let isDone = false
    const writer = (async () => {
      for (const content of contents) {
        await store.put('changing', content)
        if (content[0]! % 5 === 4) await store.remove(['changing'])
      }
    })().finally(() => (isDone = true))
    while (!isDone) {
      const found = await store.get('changing')
      if (found) expect(contents.some((content) => content.equals(found.bytes))).toBe(true)
    }
    await writer
  })

  test('objects may be empty and large', async () => {
    const store = await newStore()
    const large = randomBytes(8 << 20)
    await store.put('empty', new Uint8Array())
    await store.put('large', large, { isNew: true })
    expect((await store.get('empty'))?.bytes).toEqual(Buffer.alloc(0))
    expect((await store.get('large'))!.bytes.equals(large)).toBe(true)
    expect(await sizesOf(store)).toEqual({ empty: 0, large: large.length })
    expect(store.usage).toEqual({
      requests: expect.any(Number),
      bytesSent: large.length,
      bytesReceived: expect.any(Number),
    })
    expect([store.usage.requests >= 5, store.usage.bytesReceived >= large.length]).toEqual([true, true])
  })

  test('all allowed characters may be in a key', async () => {
    const store = await newStore()
    const keys = [
      'abcdefghijklmnopqrstuvwxyz',
      '0123456789',
      '._-',
      '-',
      'a.b-c_d/e..f/.g/h.data',
      `${'x'.repeat(200)}/y`,
    ]
    for (const key of keys) await store.put(key, text(key), { isNew: true })
    for (const key of keys) expect((await store.get(key))?.bytes).toEqual(text(key))
    expect(await keysOf(store, '')).toEqual([...keys].sort())
  })

  test('an object is as old as it is', async () => {
    const store = await newStore()
    const start = performance.now()
    await store.put('new', text('1'))
    const { ageMs } = (await store.get('new'))!
    // S3 gives whole seconds.
    expect(ageMs).toBeLessThanOrEqual(performance.now() - start + 2000)
    expect(ageMs).toBeGreaterThanOrEqual(0)
  })
}

function text(content: string): Buffer {
  return Buffer.from(content)
}

function without(found: StoredObject | undefined): Omit<StoredObject, 'ageMs'> | undefined {
  return found && { bytes: found.bytes, tag: found.tag }
}

/** Of several shapes: signs that come before and after a slash, names that begin with others. */
function ordinaryKey(index: number): string {
  const number = String(index)
  if (index % 10 === 0) return `top-${number}`
  if (index % 10 === 1) return `many/deep.${index % 30}/${number}`
  if (index % 10 === 2) return `many-${number}/x`
  return `many/${number.padStart(4, '0')}`
}

async function collect<T>(items: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = []
  for await (const item of items) all.push(item)
  return all
}

async function keysOf(store: ObjectStore, prefix: string, after?: string): Promise<string[]> {
  return (await collect(store.list(prefix, after))).map(({ key }) => key)
}

async function sizesOf(store: ObjectStore): Promise<Record<string, number>> {
  return Object.fromEntries((await collect(store.list(''))).map(({ key, size }) => [key, size]))
}

async function eachOf<T>(items: readonly T[], work: (item: T, index: number) => Promise<unknown>): Promise<void> {
  const rest = items.entries()
  const worker = async (): Promise<void> => {
    for (const [index, item] of rest) await work(item, index)
  }
  await Promise.all(Array.from({ length: 8 }, worker))
}

/** Fails unless one wins and all others get a conflict. */
async function race(count: number, put: (index: number) => Promise<string>): Promise<{ winner: number; tag: string }> {
  const results = await Promise.allSettled(Array.from({ length: count }, (_, index) => put(index)))
  const others = results.flatMap((result) => (result.status === 'rejected' ? [result.reason] : []))
  expect(others.filter((error) => !isConflict(error))).toEqual([])
  expect(others).toHaveLength(count - 1)
  const winner = results.findIndex(({ status }) => status === 'fulfilled')
  return { winner, tag: (results[winner] as PromiseFulfilledResult<string>).value }
}

/** A process that answers a line with how many of its puts won. */
async function startRacer({ address, env }: StorePlace): Promise<(line: string) => Promise<string>> {
  const program = fileURLToPath(new URL('../s3/racing-puts.ts', import.meta.url))
  const child: ChildProcessWithoutNullStreams = spawn(process.execPath, ['--import', 'tsx', program, address], {
    env: { PATH: process.env.PATH, HOME: scratchFolder(), ...env },
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  child.stderr.pipe(process.stderr)
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  const next = async (): Promise<string> => {
    const { value, done } = await lines.next()
    if (done) throw new Error('the process ended')
    return value
  }
  expect(await next()).toBe('ready')
  return (line) => {
    child.stdin.write(`${line}\n`)
    return next()
  }
}
