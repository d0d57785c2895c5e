import { chmodSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { inspect } from 'node:util'
import { expect, test } from 'vitest'
import { MemoryStore } from '../../../test/support/memory-store.ts'
import { newKey } from '../../../test/support/replica-key.ts'
import { scratchIo } from '../../../test/support/scratch.ts'
import { newKeyRing, unwrapKeyRing, wrapKeyRing } from './key-ring.ts'
import { checkPublicKeys, expectedStoreId, findKey, type ReplicaKey } from './keys.ts'
import { CONFIG, openReplica, rekey } from './open-config.ts'

/** A part of a key of this length is too much. */
const PART = 12

test('no part of a key is in any error, with all its causes, or in anything that is printed or serialised', async () => {
  const [key, other] = [await newKey(), await newKey()]
  const secrets = [...key.identities(), ...other.identities()]
  const outcomes = await Promise.all(failures(key, other).map(outcomeOf))
  expect(outcomes.filter((one) => !(one instanceof Error))).toEqual([])

  const ring = newKeyRing()
  const wrapped = await wrapKeyRing(ring, await key.publicKeys())
  const store = new MemoryStore()
  const opened = await openReplica(store, { key })
  const values = [
    ...outcomes,
    key,
    ring,
    await unwrapKeyRing(wrapped, key),
    opened,
    opened.sealer,
    wrapped,
    store.objects,
  ]
  const printed = values.flatMap(allTexts)

  const keys = [ring.names, ...ring.data.map((one) => one.key)].map((one) => one.export())
  const texts = [
    ...secrets.map((secret) => secret.slice('AGE-SECRET-KEY-1'.length)),
    ...keys.flatMap((bytes) => [bytes.toString('base64'), bytes.toString('hex')]),
  ]
  // As a buffer is inspected, and as it is serialised.
  const bytes = keys.flatMap((key) => {
    const some = [...key.subarray(0, 16)]
    return [some.map((byte) => byte.toString(16).padStart(2, '0')).join(' '), some.join(',')]
  })
  const forms = [...texts.flatMap((text) => partsOf(text.toLowerCase())), ...bytes]
  const leaks = forms.filter((form) => printed.some((text) => text.includes(form)))
  expect(leaks).toEqual([])
})

test('the test above would notice a part of a key', () => {
  expect(allTexts(new Error('outer', { cause: new Error('inner SECRETSECRET') })).join()).toContain('secretsecret')
})

/** Everything that a user may do wrong with a key. */
function failures(key: ReplicaKey, other: ReplicaKey): Promise<unknown>[] {
  const [secret] = key.identities()
  const typos = [
    `${secret!.slice(0, -1)}${secret!.endsWith('Q') ? 'P' : 'Q'}`,
    secret!.toLowerCase(),
    secret!.slice(0, -1),
    `${secret} ${secret}`,
    `key=${secret}`,
    secret!.slice(16),
  ]
  const withFile = (text: string, mode: number): Promise<unknown> => {
    const io = scratchIo()
    const file = join(io.home, 'key.txt')
    writeFileSync(file, text)
    chmodSync(file, mode)
    return findKey(io, file)
  }
  const inStore = async (attempt: (store: MemoryStore) => Promise<unknown>): Promise<unknown> => {
    const store = new MemoryStore()
    await openReplica(store, { key })
    return attempt(store)
  }
  const withRing = (ring: string): Promise<unknown> =>
    inStore(async (store) => {
      const config = JSON.parse(store.objects.get(CONFIG)!.bytes.toString())
      await store.put(CONFIG, Buffer.from(JSON.stringify({ ...config, ring })))
      return openReplica(store, { key })
    })
  return [
    ...typos.map((text) => findKey(scratchIo(undefined, { ION_REPLICA_KEY: text }))),
    ...typos.map((text) => withFile(text, 0o600)),
    withFile(secret!, 0o644),
    ...[secret!, ...typos].map((text) => checkPublicKeys([text])),
    ...[secret!, ...typos].map(async (text) => expectedStoreId(scratchIo(undefined, { ION_REPLICA_ID: text }))),
    ...[secret!, ...typos.slice(0, 5)].map((text) => findKey(scratchIo(), text)),
    openReplica(new MemoryStore(), { key, recipients: [secret!] }),
    openReplica(new MemoryStore(), { key, noEncryption: true }),
    inStore((store) => openReplica(store, { key: other })),
    inStore((store) => openReplica(store, { noEncryption: true })),
    inStore((store) => openReplica(store, {})),
    inStore((store) => rekey(store, other, { key })),
    inStore((store) => rekey(store, key, { recipients: [secret!] })),
    inStore((store) => rekey(store, key, {})),
    withRing(secret!),
    withRing('-----BEGIN AGE ENCRYPTED FILE-----\nAAAA\n-----END AGE ENCRYPTED FILE-----\n'),
    inStore(async (store) => {
      const { sealer } = await openReplica(store, { key })
      return sealer.open('a', sealer.seal('b', Buffer.from('x')))
    }),
  ]
}

async function outcomeOf(work: Promise<unknown>): Promise<unknown> {
  try {
    return await work
  } catch (error) {
    return error
  }
}

function allTexts(value: unknown): string[] {
  const own = value instanceof Error ? [value.message, value.stack ?? '', ...allTexts(value.cause)] : []
  const texts = [inspect(value, { depth: null, showHidden: true, maxArrayLength: null }), JSON.stringify(value) ?? '']
  return [...own, ...texts, String(value)].map((text) => text.toLowerCase())
}

function partsOf(text: string): string[] {
  return Array.from({ length: text.length - PART + 1 }, (_, at) => text.slice(at, at + PART))
}
