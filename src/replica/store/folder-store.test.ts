import { existsSync, mkdirSync, readdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs'
import type { FileHandle } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeEach, describe, expect, test, vi } from 'vitest'
import { filesBelow, scratchFolder } from '../../../test/support/scratch.ts'
import { type Io, realIo } from '../../platform/io.ts'
import { FolderStore } from './folder-store.ts'
import { isConflict, type ObjectStore, StoreError } from './object-store.ts'

/** Called before each operation on the file system that changes something; may fail or wait in its place. */
const hook = vi.hoisted(() => ({ before: async (_operation: string, _path: string): Promise<void> => {} }))

vi.mock('node:fs/promises', async (importOriginal) => {
  const original = await importOriginal<typeof import('node:fs/promises')>()
  const hooked =
    <A extends [unknown, ...unknown[]], R>(name: string, call: (...args: A) => Promise<R>) =>
    async (...args: A): Promise<R> => {
      await hook.before(name, String(args[0]))
      return call(...args)
    }
  const open = async (...args: Parameters<typeof original.open>): Promise<FileHandle> => {
    if (args[1] !== 'r') await hook.before('create', String(args[0]))
    const file = await original.open(...args)
    return new Proxy(file, {
      get: (target, name) => {
        const value = Reflect.get(target, name)
        if (typeof value !== 'function') return value
        return async (...parameters: unknown[]) => {
          if (name === 'writeFile') {
            // A crash may leave half of it.
            const bytes = parameters[0] as Uint8Array
            await target.write(bytes.subarray(0, bytes.length >> 1))
            await hook.before('write', String(args[0]))
            return target.writeFile(bytes.subarray(bytes.length >> 1))
          }
          if (name === 'sync') await hook.before('sync', String(args[0]))
          return value.apply(target, parameters)
        }
      },
    })
  }
  return {
    ...original,
    open,
    mkdir: hooked('mkdir', original.mkdir as (path: string) => Promise<string | undefined>),
    rename: hooked('rename', original.rename),
    rm: hooked('rm', original.rm),
    rmdir: hooked('rmdir', original.rmdir),
    unlink: hooked('unlink', original.unlink),
  }
})

const nothing = async (): Promise<void> => {}

beforeEach(() => {
  hook.before = nothing
})

const text = (content: string): Buffer => Buffer.from(content)

function newStore(folder: string = scratchFolder(), io: Io = realIo()): { folder: string; store: FolderStore } {
  return { folder, store: new FolderStore(folder, io) }
}

async function contents(store: ObjectStore): Promise<Record<string, string>> {
  const found: Record<string, string> = {}
  for await (const { key, size } of store.list('')) {
    const { bytes } = (await store.get(key))!
    expect(bytes.length).toBe(size)
    found[key] = String(bytes)
  }
  return found
}

class Crash extends Error {}

/** What is done up to a crash before the operation of this number; whether it came so far. */
async function crashAt(number: number, work: () => Promise<unknown>): Promise<boolean> {
  let count = 0
  hook.before = async () => {
    if (++count >= number) throw new Crash()
  }
  try {
    await work()
    return count >= number
  } catch (error) {
    if (!(error instanceof StoreError && error.cause instanceof Crash)) throw error
    return true
  } finally {
    hook.before = nothing
  }
}

describe('a crash before any operation leaves the old state or the new one', () => {
  const before = { 'a/new': undefined, 'a/old': 'old', 'b/c/d': 'deep' }
  const works: [string, (store: ObjectStore, tag: string) => Promise<unknown>, Record<string, string | undefined>][] = [
    ['put of a new object', (store) => store.put('a/new', text('new'), { isNew: true }), { 'a/new': 'new' }],
    ['put in a new folder', (store) => store.put('x/y/z', text('new')), { 'x/y/z': 'new' }],
    ['put with a tag', (store, tag) => store.put('a/old', text('new'), { tag }), { 'a/old': 'new' }],
    ['put over another', (store) => store.put('b/c/d', text('new')), { 'b/c/d': 'new' }],
    ['removal', (store) => store.remove(['b/c/d']), { 'b/c/d': undefined }],
  ]
  test.each(works)('%s', async (_, work, changed) => {
    for (let number = 1; ; number++) {
      expect(number).toBeLessThan(100)
      const { folder, store } = newStore()
      const first = await store.put('a/old', text('older'))
      const tag = await store.put('a/old', text('old'), { tag: first })
      await store.put('b/c/d', text('deep'))
      const crashed = await crashAt(number, () => work(new FolderStore(folder, realIo()), tag))
      // Another process, later.
      const later = new FolderStore(folder, realIo())
      const after = JSON.parse(JSON.stringify({ ...before, ...changed }))
      const found = await contents(later)
      if (!crashed) expect(found).toEqual(after)
      else expect([JSON.parse(JSON.stringify(before)), after]).toContainEqual(found)
      expect(await later.folders('')).toEqual([...new Set(Object.keys(found).map((key) => key.split('/')[0]!))].sort())
      // Nothing is blocked, and what the crash left in the object is gone with its next version.
      for (const key of Object.keys({ ...before, ...changed })) await later.put(key, text('last'))
      for (const key of Object.keys({ ...before, ...changed })) {
        expect(String((await later.get(key))?.bytes)).toBe('last')
        expect(readdirSync(join(folder, `${key}~`)).length).toBeLessThanOrEqual(2)
      }
      if (!crashed) break
    }
  })
})

test('leftovers of crashed writers are removed when they are old', async () => {
  const { folder, store } = newStore()
  const [old, fresh] = ['old', 'fresh'].map((name) => join(folder, '~tmp', name)) as [string, string]
  for (const path of [old, fresh]) {
    mkdirSync(path, { recursive: true })
    writeFileSync(join(path, '1-0000000000000000'), 'left')
  }
  const time = Date.now() / 1000 - 2 * 3600
  utimesSync(old, time, time)
  await store.put('a', text('1'))
  expect(readdirSync(join(folder, '~tmp'))).toEqual(['fresh'])
  expect(await contents(store)).toEqual({ a: '1' })
})

test('a finished operation leaves nothing but the object', async () => {
  const { folder, store } = newStore()
  await store.put('a/b', text('1'))
  await store.put('a/b', text('2'))
  const tag = await store.put('a/b', text('3'))
  await store.put('c/d', text('4'))
  await store.remove(['c/d'])
  expect(filesBelow(folder).map((file) => file.slice(folder.length + 1))).toEqual([`a/b~/${tag}`, `a/b~/${tag}.data`])
  expect(readdirSync(folder).sort()).toEqual(['a', '~tmp'])
  expect(readdirSync(join(folder, '~tmp'))).toEqual([])
})

describe('a process that was suspended', () => {
  /** Suspends the next operation of this kind. */
  function suspendAt(operation: string): { suspended: Promise<void>; resume: () => void } {
    let resume = (): void => {}
    const resumed = new Promise<void>((resolve) => (resume = resolve))
    const suspended = new Promise<void>((resolve) => {
      hook.before = async (name) => {
        if (name !== operation) return
        hook.before = nothing
        resolve()
        await resumed
      }
    })
    return { suspended, resume }
  }

  const others: [string, (store: ObjectStore, tag: string) => Promise<unknown>, string][] = [
    [
      'replaced',
      async (store, tag) => {
        let current = tag
        for (let i = 0; i < 5; i++) current = await store.put('lease', text(`other ${i}`), { tag: current })
      },
      'other 4',
    ],
    [
      'removed and put again',
      async (store) => {
        await store.remove(['lease'])
        await store.put('lease', text('other'), { isNew: true })
      },
      'other',
    ],
  ]
  test.each(others)('does not change an object that was %s since', async (_, work, expected) => {
    const { folder, store } = newStore()
    const tag = await store.put('lease', text('1'))
    const { suspended, resume } = suspendAt('rename')
    const late = store.put('lease', text('late'), { tag }).catch((error) => isConflict(error))
    await suspended
    const other = new FolderStore(folder, realIo())
    await work(other, tag)
    resume()
    expect(await late).toBe(true)
    expect(await contents(other)).toEqual({ lease: expected })
    const { tag: current } = (await other.get('lease'))!
    expect(readdirSync(join(folder, 'lease~')).filter((name) => !name.startsWith(current))).toEqual([])
  })

  test('does not clean up what another is about to put', async () => {
    const { folder, store } = newStore()
    const first = await store.put('lease', text('1'))
    const second = await store.put('lease', text('2'), { tag: first })
    const renaming = suspendAt('rename')
    const third = store.put('lease', text('3'), { tag: second })
    await renaming.suspended
    // What it does after it has renamed and before it cleans up.
    const syncing = suspendAt('sync')
    renaming.resume()
    await syncing.suspended
    const other = new FolderStore(folder, realIo())
    const { tag } = (await other.get('lease'))!
    const putting = suspendAt('rename')
    const fourth = other.put('lease', text('4'), { tag })
    await putting.suspended
    syncing.resume()
    expect(await third).toBe(tag)
    putting.resume()
    const last = await fourth
    expect(await other.get('lease')).toMatchObject({ bytes: text('4'), tag: last })
  })

  test('puts a new object although its leftovers were removed', async () => {
    const { folder, store } = newStore()
    const { suspended, resume } = suspendAt('rename')
    const late = store.put('a', text('late'), { isNew: true })
    await suspended
    const [left] = readdirSync(join(folder, '~tmp')) as [string]
    const time = Date.now() / 1000 - 2 * 3600
    utimesSync(join(folder, '~tmp', left), time, time)
    await new FolderStore(folder, realIo()).put('b', text('other'))
    expect(existsSync(join(folder, '~tmp', left))).toBe(false)
    resume()
    const tag = await late
    expect(await store.get('a')).toMatchObject({ bytes: text('late'), tag })
  })
})

describe('what is wrong with the folder is said', () => {
  test.each([
    ['ENOSPC', 'full', 'the disk or its quota is full', 'free disk space on the disk of FOLDER', false],
    ['EDQUOT', 'full', 'the disk or its quota is full', 'free disk space on the disk of FOLDER', false],
    ['EROFS', 'denied', 'it is mounted read-only', 'mount it for writing: mount -o remount,rw FOLDER', false],
    ['EACCES', 'denied', 'permission denied', 'check the permissions of FOLDER', false],
    ['ESTALE', 'unreachable', 'stale', 'check that it is mounted: ls FOLDER', true],
    ['EWHATEVER', 'failed', 'stale', 'ls -la FOLDER', false],
  ])('%s', async (code, kind, why, hint, isTemporary) => {
    const { folder, store } = newStore()
    await store.put('old', text('old'))
    for (const operation of ['mkdir', 'create', 'write', 'sync', 'rename']) {
      hook.before = async (name) => {
        if (name === operation) throw Object.assign(new Error('stale'), { code })
      }
      for (const key of ['old', 'new']) {
        if (key === 'old' && operation === 'mkdir') continue
        const error = (await store.put(key, text('x')).catch((reason) => reason)) as StoreError
        expect({ kind: error.kind, message: error.message, hint: error.hint, isTemporary: error.isTemporary }).toEqual({
          kind,
          message: `cannot write to ${folder}: ${why}`,
          hint: hint.replace('FOLDER', folder),
          isTemporary,
        })
      }
      hook.before = nothing
      expect(await contents(store)).toEqual({ old: 'old' })
      expect(filesBelow(folder)).toHaveLength(1)
    }
  })

  test('a mount that does not answer', async () => {
    const folder = scratchFolder()
    hook.before = () => new Promise(() => {})
    await expect(new FolderStore(folder, realIo(), 10).put('a', text('1'))).rejects.toMatchObject({
      kind: 'slow',
      message: `cannot write to ${folder}: no answer within 0 s`,
      hint: `check that the machine it is mounted from can be reached: ls ${folder}`,
      isTemporary: true,
    })
  })

  test('it does not exist, and is not created', async () => {
    const folder = join(scratchFolder(), 'not-mounted')
    const { store } = newStore(folder)
    const works: (() => Promise<unknown>)[] = [
      () => store.get('a'),
      () => store.put('a', text('1')),
      () => store.put('a', text('1'), { isNew: true }),
      () => store.put('a', text('1'), { tag: '1-0000000000000000' }),
      () => contents(store),
      () => store.folders(''),
      () => store.remove(['a']),
    ]
    for (const work of works) {
      await expect(work()).rejects.toMatchObject({
        kind: 'missing',
        message: `the folder ${folder} does not exist, or is not mounted`,
        hint: `mount it, or create it: mkdir -p ${folder}`,
      })
    }
    expect(existsSync(folder)).toBe(false)
  })

  test('it is a file', async () => {
    const file = join(scratchFolder(), 'file')
    writeFileSync(file, 'x')
    for (const work of [(store: ObjectStore) => store.put('a', text('1')), contents]) {
      await expect(work(newStore(file).store)).rejects.toMatchObject({
        kind: 'missing',
        message: `${file} is not a folder`,
      })
    }
    expect(readFileSync(file, 'utf8')).toBe('x')
  })
})

test('ages are by the clock of the file system', async () => {
  const wrong: Io = { ...realIo(), now: () => new Date(Date.now() - 86_400_000) }
  const { folder, store } = newStore(scratchFolder(), wrong)
  const tag = await store.put('a', text('1'))
  expect((await store.get('a'))!.ageMs).toBeLessThan(600_000)
  const time = Date.now() / 1000 - 3 * 3600
  utimesSync(join(folder, 'a~', tag), time, time)
  const ages = [(await store.get('a'))!.ageMs]
  for await (const { ageMs } of store.list('')) ages.push(ageMs)
  for (const age of ages) expect(Math.abs(age - 3 * 3_600_000)).toBeLessThan(600_000)
})

test('files of others in the folder are left out', async () => {
  const { folder, store } = newStore()
  await store.put('a/b', text('1'))
  writeFileSync(join(folder, 'README.md'), '')
  writeFileSync(join(folder, 'a', '.ds_store'), '')
  mkdirSync(join(folder, 'lost+found'))
  mkdirSync(join(folder, 'empty/folder'), { recursive: true })
  expect([await contents(store), await store.folders('')]).toEqual([{ 'a/b': '1' }, ['a']])
})
