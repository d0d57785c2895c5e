import { createHash } from 'node:crypto'
import { readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { checkingSealer } from '../../test/support/checking-sealer.ts'
import { MemoryStore } from '../../test/support/memory-store.ts'
import { scratchFolder } from '../../test/support/scratch.ts'
import { chooseSnapshot, fetchSnapshot, listSnapshots, storeSnapshot } from './snapshot-store.ts'

const MEBIBYTE = 1024 * 1024
const at = new Date('2026-11-18T14:02:31.007Z')

function world(size = 9 * MEBIBYTE + 1) {
  const folder = scratchFolder()
  const store = new MemoryStore()
  const content = Buffer.alloc(size)
  // Pieces with different content.
  for (let from = 0; from < size; from += MEBIBYTE) content[from] = from / MEBIBYTE
  const file = join(folder, 'snapshot.tar.gz')
  writeFileSync(file, content)
  return { store, open: { store, sealer: checkingSealer, id: '' }, file, content, copy: join(folder, 'copy') }
}

const hashOf = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex')

test.each([0, 1, 4 * MEBIBYTE, 9 * MEBIBYTE + 1])('a file of %d bytes is stored and read as it was', async (size) => {
  const { open, store, file, content, copy } = world(size)
  const stored = await storeSnapshot(open, file, at)
  expect(await listSnapshots(open)).toEqual([stored])
  expect(stored.at).toEqual(at)
  await fetchSnapshot(open, stored, copy)
  expect(hashOf(readFileSync(copy))).toBe(hashOf(content))
  expect(statSync(copy).mode & 0o777).toBe(0o600)
  expect(store.objects.size).toBe(Math.ceil(size / (4 * MEBIBYTE)) + 1)
})

test('of several, the newest counts, or the newest until a time', async () => {
  const { open, file } = world(10)
  expect(() => chooseSnapshot('memory://test', [], undefined)).toThrow('there is no snapshot in memory://test')
  const earlier = await storeSnapshot(open, file, new Date('2026-11-17T09:00:00Z'))
  const later = await storeSnapshot(open, file, at)
  const sameMoment = await storeSnapshot(open, file, at)
  const all = await listSnapshots(open)
  expect(all.map(({ name }) => name)).toEqual([later.name, sameMoment.name, earlier.name].sort().reverse())
  expect(chooseSnapshot('', all, undefined)).toEqual(all[0])
  expect(chooseSnapshot('', all, at)).toEqual(all[0])
  expect(chooseSnapshot('', all, new Date(at.getTime() - 1))).toEqual(earlier)
  expect(() => chooseSnapshot('memory://test', all, new Date('2026-11-17T08:59:59Z'))).toThrow(
    'there is no snapshot in memory://test from before',
  )
})

describe('a failure', () => {
  test.each(['before', 'after'] as const)('%s each put leaves none or all of it', async (when) => {
    const { open, store, file, content, copy } = world()
    for (let failing = 0; ; failing++) {
      store.objects.clear()
      let puts = 0
      store.fault = (operation) => (operation === 'put' && puts++ === failing ? when : undefined)
      const stored = await storeSnapshot(open, file, at).catch(() => undefined)
      store.fault = () => undefined
      const found = await listSnapshots(open)
      for (const one of found) {
        await fetchSnapshot(open, one, `${copy}-${failing}`)
        expect(hashOf(readFileSync(`${copy}-${failing}`))).toBe(hashOf(content))
      }
      if (stored) {
        expect({ found, failing }).toEqual({ found: [stored], failing: 4 })
        return
      }
      // The manifest is the last one: it may have been put although the answer was lost.
      expect(found).toHaveLength(when === 'after' && failing === 3 ? 1 : 0)
    }
  })

  test('of each get is reported', async () => {
    const { open, store, file, copy } = world()
    const stored = await storeSnapshot(open, file, at)
    for (const failing of [0, 1, 2, 3]) {
      let gets = 0
      store.fault = (operation) => (operation === 'get' && gets++ === failing ? 'before' : undefined)
      await expect(fetchSnapshot(open, stored, `${copy}-${failing}`)).rejects.toThrow('not connected')
    }
  })

  test('of the store: each object that is missing, changed or another one is refused', async () => {
    const { open, store, file, copy } = world()
    const stored = await storeSnapshot(open, file, at)
    const keys = [...store.objects.keys()]
    expect(keys).toHaveLength(4)
    for (const [index, key] of keys.entries()) {
      const object = store.objects.get(key)!
      const fetched = (name: string): Promise<void> => fetchSnapshot(open, stored, `${copy}-${index}-${name}`)
      store.objects.delete(key)
      await expect(fetched('missing')).rejects.toThrow(`the snapshot in memory://test is damaged: ${key} is missing`)
      const changed = Buffer.from(object.bytes)
      changed[changed.length - 1]! ^= 1
      store.objects.set(key, { ...object, bytes: changed })
      await expect(fetched('changed')).rejects.toThrow('was changed')
      const other = Buffer.from('another content that was sealed at this place')
      store.objects.set(key, { ...object, bytes: checkingSealer.seal(key, other) })
      await expect(fetched('other')).rejects.toThrow(/is another piece|is not the manifest/)
      store.objects.set(key, object)
    }
  })
})
