import { expect, test } from 'vitest'
import { failure } from '../../../test/support/failure.ts'
import { MemoryStore } from '../../../test/support/memory-store.ts'
import { proofDocumented, storeIdDocumented } from '../../../test/support/replica-format.ts'
import { newKey } from '../../../test/support/replica-key.ts'
import { scratchIo } from '../../../test/support/scratch.ts'
import { StoreError } from '../store/object-store.ts'
import { newKeyRing, proofOf, storeIdOf, unwrapKeyRing, wrapKeyRing } from './key-ring.ts'
import { findKey, type ReplicaKey } from './keys.ts'
import { CONFIG, openReplica, rekey } from './open-config.ts'
import { SealError } from './sealer.ts'

const KEY = 'tasks/1f/seg-0001'
const content = Buffer.from('content')

test('a new store gets its config once, and is opened with the same key', async () => {
  const [store, key] = [new MemoryStore(), await newKey()]
  const first = await openReplica(store, { key })
  await store.put(KEY, first.sealer.seal(KEY, content))
  const config = store.objects.get(CONFIG)
  const second = await openReplica(store, { key })
  expect([first.isNew, second.isNew, second.id === first.id, store.objects.get(CONFIG) === config]).toEqual([
    true,
    false,
    true,
    true,
  ])
  expect(second.sealer.isEncrypted).toBe(true)
  expect(second.sealer.open(KEY, (await store.get(KEY))!.bytes)).toEqual(content)
  expect(second.sealer.name('claude', 'main')).toBe(first.sealer.name('claude', 'main'))
})

test('opening a store that exists takes one request', async () => {
  const [store, key] = [new MemoryStore(), await newKey()]
  await openReplica(store, { key })
  const before = store.usage.requests
  await openReplica(store, { key })
  expect(store.usage.requests - before).toBe(1)
})

test('a store that is not encrypted is created and opened only when that is asked for', async () => {
  const store = new MemoryStore()
  const first = await openReplica(store, { noEncryption: true })
  const second = await openReplica(store, { noEncryption: true })
  expect([first.isNew, second.isNew, second.sealer.isEncrypted, second.id]).toEqual([true, false, false, first.id])
  expect(second.sealer.open(KEY, first.sealer.seal(KEY, content))).toEqual(content)
  expect(await failure(openReplica(store, {}))).toEqual({
    kind: 'refused',
    message: 'memory://test is not encrypted',
    hint: 'add --no-encryption to use it as it is, or set a key and use an empty prefix',
  })
})

test('of twenty that create a store at the same time one wins, and all have its keys', async () => {
  const [store, key] = [new MemoryStore(), await newKey()]
  const opened = await Promise.all(Array.from({ length: 20 }, () => openReplica(store, { key })))
  expect(opened.filter(({ isNew }) => isNew).length).toBe(1)
  const sealed = opened[0]!.sealer.seal(KEY, content)
  for (const { sealer } of opened) expect(sealer.open(KEY, sealed)).toEqual(content)
})

test('an encrypted store without a key is refused, also a new one', async () => {
  const hint = 'set ION_REPLICA_KEY, or add --replica-key-file <file>; '
  const store = new MemoryStore()
  expect(await failure(openReplica(store, {}))).toEqual({
    kind: 'usage',
    message: 'memory://test is new, and there is no key to encrypt it with',
    hint: `${hint}ion replica key <file> creates a key`,
  })
  expect(store.objects.size).toBe(0)
  await openReplica(store, { key: await newKey() })
  expect(await failure(openReplica(store, {}))).toEqual({
    kind: 'usage',
    message: 'memory://test is encrypted, and no key is set',
    hint: `${hint}the key is the one with which this store was created`,
  })
})

test('another key is refused, with its public key', async () => {
  const [store, other] = [new MemoryStore(), await newKey()]
  await openReplica(store, { key: await newKey() })
  const [publicKey] = await other.publicKeys()
  expect(await failure(openReplica(store, { key: other }))).toEqual({
    kind: 'refused',
    message: `memory://test is encrypted for other keys than that of ION_REPLICA_KEY (${publicKey})`,
    hint: 'use the key of that store; whoever has it can change it to another one: ion replica rekey --new-key-file <file>',
  })
})

test('a store that is not encrypted is refused when a key is set: its owner may have replaced the config', async () => {
  const store = new MemoryStore()
  await openReplica(store, { noEncryption: true })
  expect(await failure(openReplica(store, { key: await newKey() }))).toEqual({
    kind: 'refused',
    message: 'memory://test is not encrypted, but a key is set (ION_REPLICA_KEY)',
    hint: 'use another store, or none of your keys and --no-encryption',
  })
})

test('--no-encryption on an encrypted store is refused, and together with a key', async () => {
  const [store, key] = [new MemoryStore(), await newKey()]
  await openReplica(store, { key })
  expect(await failure(openReplica(store, { noEncryption: true }))).toEqual({
    kind: 'refused',
    message: 'memory://test is encrypted',
    hint: 'leave out --no-encryption and ION_REPLICA_ENCRYPTION=none, and set its key',
  })
  expect(await failure(openReplica(store, { noEncryption: true, key }))).toEqual({
    kind: 'usage',
    message: '--no-encryption was given, and a key (ION_REPLICA_KEY)',
    hint: 'leave out one of them',
  })
})

test('a store with objects but no config is not treated as a new one', async () => {
  const [store, key] = [new MemoryStore(), await newKey()]
  await openReplica(store, { key })
  await store.put(KEY, content)
  store.objects.delete(CONFIG)
  expect(await failure(openReplica(store, { key }))).toEqual({
    kind: 'refused',
    message: 'memory://test is not empty, but has no object "config"',
    hint: 'restore that object; or, if the store was emptied on purpose, remove what is left there, or use another prefix',
  })
})

test('a store is new although another workspace checks it at the same time', async () => {
  const [store, key] = [new MemoryStore(), await newKey()]
  await store.put('check/0011223344556677', content)
  expect((await openReplica(store, { key })).isNew).toBe(true)
})

test('the config and the objects of another workspace that appear in between are used', async () => {
  const [store, key] = [new MemoryStore(), await newKey()]
  const list = store.list.bind(store)
  store.list = (...args) => {
    store.list = list
    return (async function* () {
      await openReplica(store, { key })
      await store.put(KEY, content)
      yield* list(...args)
    })()
  }
  expect((await openReplica(store, { key })).isNew).toBe(false)
})

test.each([
  ['not JSON', 'nonsense'],
  ['empty', ''],
  ['of another program', '{"format":"restic","v":1}'],
  ['without a version', '{"format":"ion-replica","encryption":"none","id":"0123456789abcdef0123456789abcdef"}'],
  ['with version 0', '{"format":"ion-replica","v":0,"encryption":"none","id":"0123456789abcdef0123456789abcdef"}'],
  ['with an unknown encryption', '{"format":"ion-replica","v":1,"encryption":"rot13"}'],
  ['without a ring', '{"format":"ion-replica","v":1,"encryption":"age","proofs":[]}'],
  ['without proofs', '{"format":"ion-replica","v":1,"encryption":"age","ring":"x"}'],
  ['with a ring that is none', '{"format":"ion-replica","v":1,"encryption":"age","ring":"x","proofs":[]}'],
  ['without an id', '{"format":"ion-replica","v":1,"encryption":"none"}'],
  ['huge', `{"format":"ion-replica","v":1,"encryption":"none","x":"${'x'.repeat(1024 * 1024)}"}`],
])('a config that is %s is damaged', async (_title, text) => {
  const [store, key] = [new MemoryStore(), await newKey()]
  await store.put(CONFIG, Buffer.from(text))
  expect(await failure(openReplica(store, { key }))).toEqual({
    kind: 'failed',
    message: 'the object "config" of memory://test is damaged',
    hint: 'restore it from an earlier version of the object, if the store keeps them',
  })
})

test('a config of a newer version is named as such', async () => {
  const store = new MemoryStore()
  await store.put(CONFIG, Buffer.from('{"format":"ion-replica","v":2,"encryption":"better"}'))
  expect(await failure(openReplica(store, { key: await newKey() }))).toEqual({
    kind: 'failed',
    message: 'the replica in memory://test was created by a newer version of Ion',
    hint: 'update Ion on this machine',
  })
})

test('no changed character of a config lets another ring through', async () => {
  const [store, key] = [new MemoryStore(), await newKey()]
  const { id } = await openReplica(store, { key })
  const { bytes } = store.objects.get(CONFIG)!
  for (let at = 0; at < bytes.length; at += 7) {
    const changed = Buffer.from(bytes)
    changed[at]! ^= 1
    await store.put(CONFIG, changed)
    // Another line end or a space does not matter.
    const outcome = await openReplica(store, { key }).catch((error: Error) => error.name)
    expect(typeof outcome === 'string' ? outcome : outcome.id, `byte ${at}`).toBe(
      typeof outcome === 'string' ? 'IonError' : id,
    )
  }
})

test('a ring that someone else made for our public key is refused, unless the user names the id of the store', async () => {
  const [store, key, owner] = [new MemoryStore(), await newKey(), await newKey()]
  const { id } = await openReplica(store, { key: owner, recipients: await key.publicKeys() })
  expect(await failure(openReplica(store, { key }))).toEqual({
    kind: 'refused',
    message: 'the keys of memory://test were created by someone else, for yours',
    hint: `ask who has set it up for its id; if that is ${id}, set ION_REPLICA_ID=${id}`,
  })
  expect((await openReplica(store, { key, id })).id).toBe(id)
  const other = '0123456789abcdef0123456789abcdef'
  expect(await failure(openReplica(store, { key, id: other }))).toEqual({
    kind: 'refused',
    message: `memory://test has the id ${id}, but ION_REPLICA_ID is ${other}`,
    hint: 'check the address, or ask who has set the store up',
  })
})

test('a proof of another ring is worth nothing', async () => {
  const [store, forged, key] = [new MemoryStore(), new MemoryStore(), await newKey()]
  await openReplica(store, { key })
  await openReplica(forged, { key: await newKey(), recipients: await key.publicKeys() })
  const [own, other] = [configOf(store), configOf(forged)]
  await store.put(CONFIG, Buffer.from(JSON.stringify({ ...other, proofs: [...own.proofs, ...other.proofs] })))
  expect(await failure(openReplica(store, { key }))).toMatchObject({
    message: 'the keys of memory://test were created by someone else, for yours',
  })
})

test('the id of a store that is not encrypted is compared, too, and a new store has none yet', async () => {
  const store = new MemoryStore()
  const other = '0123456789abcdef0123456789abcdef'
  expect(await failure(openReplica(store, { noEncryption: true, id: other }))).toMatchObject({
    message: `memory://test is new, but ION_REPLICA_ID is ${other}`,
  })
  const { id } = await openReplica(store, { noEncryption: true })
  expect((await openReplica(store, { noEncryption: true, id })).id).toBe(id)
  expect(await failure(openReplica(store, { noEncryption: true, id: other }))).toMatchObject({ kind: 'refused' })
})

test('any key of a key file opens a store, and a recipient that is no key is refused before anything is stored', async () => {
  const [store, key, other] = [new MemoryStore(), await newKey(), await newKey()]
  const both = await keyOf(other, key)
  await openReplica(store, { key })
  expect((await openReplica(store, { key: both })).sealer.isEncrypted).toBe(true)
  const empty = new MemoryStore()
  expect(await failure(openReplica(empty, { key, recipients: ['age1nonsense'] }))).toMatchObject({ kind: 'usage' })
  expect(empty.objects.size).toBe(0)
})

test('after a rekey the new key opens old and new objects, and the old key none', async () => {
  const [store, key, next] = [new MemoryStore(), await newKey(), await newKey()]
  const before = await openReplica(store, { key })
  const old = before.sealer.seal(KEY, Buffer.from('old'))
  await rekey(store, key, { key: next })
  // The old key, which no longer opens it, does not vouch for it either.
  expect(configOf(store).proofs.length).toBe(1)
  const after = await openReplica(store, { key: next })
  expect(after.id).toBe(before.id)
  expect(after.sealer.name('a', 'b')).toBe(before.sealer.name('a', 'b'))
  expect(after.sealer.open(KEY, old).toString()).toBe('old')
  // A writer that has the old ring open continues, and what it writes is readable.
  expect(after.sealer.open(KEY, before.sealer.seal(KEY, Buffer.from('late'))).toString()).toBe('late')
  expect(() => before.sealer.open(KEY, after.sealer.seal(KEY, Buffer.from('new')))).toThrow(SealError)
  expect(await failure(openReplica(store, { key }))).toMatchObject({ kind: 'refused' })
  const config = store.objects.get(CONFIG)!.bytes.toString()
  await rekey(store, next, { key: next })
  expect(store.objects.get(CONFIG)!.bytes.toString()).not.toBe(config)
  expect((await openReplica(store, { key: next })).sealer.open(KEY, old).toString()).toBe('old')
})

test('a rekey for a public key alone needs the id at the first use of that key', async () => {
  const [store, key, colleague] = [new MemoryStore(), await newKey(), await newKey()]
  const { id } = await openReplica(store, { key })
  await rekey(store, key, { key, recipients: await colleague.publicKeys() })
  expect((await openReplica(store, { key })).id).toBe(id)
  expect(await failure(openReplica(store, { key: colleague }))).toMatchObject({ kind: 'refused' })
  expect((await openReplica(store, { key: colleague, id })).id).toBe(id)
  // Then the colleague's own key vouches for it.
  await rekey(store, colleague, { key: colleague, recipients: await key.publicKeys(), id })
  expect((await openReplica(store, { key: colleague })).id).toBe(id)
})

test('of two that rekey at the same time one is refused, and nothing is lost', async () => {
  const [store, key] = [new MemoryStore(), await newKey()]
  const before = await openReplica(store, { key })
  const ends = await Promise.allSettled([rekey(store, key, { key }), rekey(store, key, { key })])
  expect(ends.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
  const rejected = ends.find((end) => end.status === 'rejected')!
  expect(await failure(Promise.reject(rejected.reason))).toEqual({
    kind: 'refused',
    message: 'the keys of memory://test were changed by someone else at the same time',
    hint: 'run the command again',
  })
  const { sealer } = await openReplica(store, { key })
  expect(sealer.open(KEY, before.sealer.seal(KEY, content))).toEqual(content)
})

test('what is wrong with the store itself is passed on as it is', async () => {
  const [store, key] = [new MemoryStore(), await newKey()]
  const denied = new StoreError('denied', 'you may not write there')
  const put = store.put.bind(store)
  store.put = () => Promise.reject(denied)
  await expect(openReplica(store, { key })).rejects.toBe(denied)
  store.put = put
  await openReplica(store, { key })
  store.put = () => Promise.reject(denied)
  await expect(rekey(store, key, { key })).rejects.toBe(denied)
})

test('a rekey of nothing, of a store without encryption, for nobody and with another key is refused', async () => {
  const [store, plain, key] = [new MemoryStore(), new MemoryStore(), await newKey()]
  expect(await failure(rekey(store, key, { key }))).toMatchObject({ kind: 'not-found' })
  await openReplica(plain, { noEncryption: true })
  expect(await failure(rekey(plain, key, { key }))).toMatchObject({ kind: 'refused' })
  await openReplica(store, { key })
  const config = store.objects.get(CONFIG)
  expect(await failure(rekey(store, key, {}))).toMatchObject({ kind: 'usage' })
  expect(await failure(rekey(store, await newKey(), { key }))).toMatchObject({ kind: 'refused' })
  expect(store.objects.get(CONFIG)).toBe(config)
})

test('a config has no secret, no public key and no name in it', async () => {
  const [store, key] = [new MemoryStore(), await newKey()]
  await openReplica(store, { key })
  const [publicKey] = await key.publicKeys()
  const text = store.objects.get(CONFIG)!.bytes.toString()
  for (const secret of [...key.identities(), publicKey!]) expect(text).not.toContain(secret)
  expect(Object.keys(JSON.parse(text))).toEqual(['format', 'v', 'encryption', 'ring', 'proofs'])
})

test('a ring is refused unless its content is one', async () => {
  const key = await newKey()
  const { armor, Encrypter } = await import('age-encryption')
  const secret = Buffer.alloc(32).toString('base64')
  const id = '0123456789abcdef'
  const data = [{ id, key: secret }]
  const rings: readonly unknown[] = [
    { v: 1, names: secret, data: [] },
    { v: 2, names: secret, data },
    { v: 1, names: 'AAAA', data },
    { v: 1, names: secret, data: [{ id: 'x', key: secret }] },
    { v: 1, names: secret, data: [{ id, key: 'AAAA' }] },
    { v: 1, names: secret, data: [...data, ...data] },
    { v: 1, names: secret, data: [null] },
    [],
    'text',
  ]
  for (const ring of rings) {
    const encrypter = new Encrypter()
    for (const publicKey of await key.publicKeys()) encrypter.addRecipient(publicKey)
    const wrapped = armor.encode(await encrypter.encrypt(JSON.stringify(ring)))
    expect(await unwrapKeyRing(wrapped, key), JSON.stringify(ring)).toBe('damaged')
  }
})

test('ids and proofs are as documented', async () => {
  const [key, ring] = [await newKey(), newKeyRing()]
  const wrapped = await wrapKeyRing(ring, await key.publicKeys())
  const [identity] = key.identities()
  expect(proofOf(wrapped, identity!)).toBe(await proofDocumented(wrapped, identity!))
  expect(storeIdOf(ring)).toBe(await storeIdDocumented({ names: ring.names.export(), data: [] }))
})

/** Written once: if this fails, stores that exist can no longer be opened. */
test('a known config is opened', async () => {
  const secret = 'AGE-SECRET-KEY-1GFPYYSJZGFPYYSJZGFPYYSJZGFPYYSJZGFPYYSJZGFPYYSJZGFPQ4EGAEX'
  const config = {
    format: 'ion-replica',
    v: 1,
    encryption: 'age',
    ring: [
      '-----BEGIN AGE ENCRYPTED FILE-----',
      'YWdlLWVuY3J5cHRpb24ub3JnL3YxCi0+IFgyNTUxOSBWbE9vdlhtZ1BYZW5iRWwv',
      'U1NMakxGR2pHZWQxUkRKZnE2ZWl5MmtqcUUwCjRNVDlzNU80NDNiVWdiNVdCOUJp',
      'alRQYytSdHM4Q01zSXBaT3VSemJKek0KLS0tIGEraGJLN0VPZ0VHaUphSmVpUUdj',
      'RG9ydjVhM0w3czJIOVdaVnl6WE1WRkEKtnS151Yhck1q/2Lrh2aRi5tDZ/uT9SxY',
      'YXYLCDdQ41Z4NR9ngbBnYL5RZhcVRqAzRGI3sbBfbI63oMWYkQxTBwSipHAQZZmy',
      'WLn4NXBnN/IT6EuDqz5BcNCLB7EJGK5wbnYgb0Genr65np2xE/OlbTiTIN6+jSkM',
      '/6hKvSbS0CudHaBohrHJvy6bbUtPj8tXf+GBHwq851XMulSQPD8ENXnI2ZTkVUcH',
      'kjtwDz3S5l580JWySgQ=',
      '-----END AGE ENCRYPTED FILE-----',
      '',
    ].join('\n'),
    proofs: ['bf4eb23965c335a6dbb12ad65b22cc645c7016e10f9ab16938348b174947519f'],
  }
  const store = new MemoryStore()
  await store.put(CONFIG, Buffer.from(JSON.stringify(config)))
  const key = await findKey(scratchIo(undefined, { ION_REPLICA_KEY: secret }))
  const { id, sealer } = await openReplica(store, { key })
  expect([id, sealer.name('claude', 'main')]).toEqual([
    '9839f7465cf7ab452965e6e5cb6807af',
    '4b988b1724b4d3d4e897558789dccd97',
  ])
})

/** One key file with the keys of both. */
async function keyOf(...keys: readonly ReplicaKey[]): Promise<ReplicaKey> {
  const text = keys.flatMap((key) => key.identities()).join('\n')
  return (await findKey(scratchIo(undefined, { ION_REPLICA_KEY: text })))!
}

function configOf(store: MemoryStore): { readonly ring: string; readonly proofs: readonly string[] } {
  return JSON.parse(store.objects.get(CONFIG)!.bytes.toString())
}
