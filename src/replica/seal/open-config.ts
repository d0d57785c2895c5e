import { randomBytes } from 'node:crypto'
import { asArray, asString, parsedObject } from '../../native/narrow.ts'
import { IonError } from '../../platform/error.ts'
import { isConflict, type ObjectStore, type StoredObject } from '../store/object-store.ts'
import { EncryptedSealer } from './encrypted-sealer.ts'
import { type KeyRing, newKeyRing, proofOf, storeIdOf, unwrapKeyRing, withNewDataKey, wrapKeyRing } from './key-ring.ts'
import { checkPublicKeys, type ReplicaKey, STORE_ID } from './keys.ts'
import { PlainSealer } from './plain-sealer.ts'
import type { Sealer } from './sealer.ts'

/** The object that says how a store is encrypted. */
export const CONFIG = 'config'
const FORMAT = 'ion-replica'
const VERSION = 1
const MAX_CONFIG = 1024 * 1024

export interface OpenOptions {
  readonly key?: ReplicaKey | undefined
  /** Public keys that open a new store too, such as a recovery key or those of a team. */
  readonly recipients?: readonly string[]
  /** Asked for by the user: a new store is not encrypted, and only one that is not may be used. */
  readonly noEncryption?: boolean
  /** The id that the store must have: how a user trusts a store that someone else has set up. */
  readonly id?: string | undefined
}

export interface OpenedReplica {
  readonly sealer: Sealer
  /** Not a secret. */
  readonly id: string
  /** It was created by this call. */
  readonly isNew: boolean
  /** As it is in the store, for `openKnown`. */
  readonly config: string
}

interface EncryptedConfig {
  readonly encryption: 'age'
  /** The key ring: a text file of age. */
  readonly ring: string
  /** Which keys vouch for the ring. */
  readonly proofs: readonly string[]
}

interface PlainConfig {
  readonly encryption: 'none'
  readonly id: string
}

type StoreConfig = EncryptedConfig | PlainConfig

/** Opens a store, and creates its config if it is new. Of several that do so at the same time, one wins. */
export async function openReplica(store: ObjectStore, options: OpenOptions): Promise<OpenedReplica> {
  if (options.key && options.noEncryption) {
    throw new IonError('usage', `--no-encryption was given, and a key (${options.key.source})`, {
      hint: 'leave out one of them',
    })
  }
  const found = await store.get(CONFIG)
  if (found) return { ...(await openFound(store, found, options)), isNew: false }
  return createConfig(store, options)
}

/**
 * Opens a store by the config that it had, without asking it. It may have another one by now, so whoever stores something opens
 * it by that one first. Undefined if it cannot be opened in this way.
 */
export async function openKnown(store: ObjectStore, config: string, options: OpenOptions): Promise<Sealer | undefined> {
  try {
    return (await openFound(store, { bytes: Buffer.from(config) }, options)).sealer
  } catch (error) {
    if (error instanceof IonError) return undefined
    throw error
  }
}

export interface NextKey {
  readonly key?: ReplicaKey
  /** Public keys that open the store too. */
  readonly recipients?: readonly string[]
  /** As in `OpenOptions`. */
  readonly id?: string | undefined
}

/**
 * Adds a new data key, and encrypts the ring for these keys only. Old objects stay readable. A writer that has the store
 * open continues with the key that it has, and what it writes is readable, too. Returns what new objects are sealed with.
 */
export async function rekey(store: ObjectStore, key: ReplicaKey, next: NextKey): Promise<Sealer> {
  const found = await store.get(CONFIG)
  if (!found) throw new IonError('not-found', `there is no replica in ${store.address}`, { hint: 'check the address' })
  const config = parseConfig(store, found)
  if (config.encryption === 'none') throw notEncrypted(store, key)
  const ring = await openRing(store, config, { key, id: next.id })
  const renewedRing = withNewDataKey(ring)
  const renewed = await encryptedConfig(
    renewedRing,
    [key, ...(next.key ? [next.key] : [])],
    [...((await next.key?.publicKeys()) ?? []), ...(next.recipients ?? [])],
  )
  try {
    await store.put(CONFIG, renewed, { tag: found.tag })
    return new EncryptedSealer(renewedRing)
  } catch (error) {
    if (!isConflict(error)) throw error
    throw new IonError('refused', `the keys of ${store.address} were changed by someone else at the same time`, {
      cause: error,
      hint: 'run the command again',
    })
  }
}

async function createConfig(store: ObjectStore, options: OpenOptions): Promise<OpenedReplica> {
  const { key, recipients = [], noEncryption = false, id } = options
  if (!key && !noEncryption) throw noKey(store, 'is new, and there is no key to encrypt it with', true)
  // What is stored there belongs to a config that was lost: with a new one it would look as if there was nothing.
  if (await hasObjects(store)) {
    const late = await store.get(CONFIG)
    if (late) return { ...(await openFound(store, late, options)), isNew: false }
    throw new IonError('refused', `${store.address} is not empty, but has no object "${CONFIG}"`, {
      hint: 'restore that object; or, if the store was emptied on purpose, remove what is left there, or use another prefix',
    })
  }
  if (id !== undefined) throw otherStore(store, 'is new', id)
  const created = key
    ? await encryptedConfig(newKeyRing(), [key], [...(await key.publicKeys()), ...recipients])
    : configBytes({ encryption: 'none', id: randomBytes(16).toString('hex') })
  let isNew = true
  try {
    await store.put(CONFIG, created, { isNew: true })
  } catch (error) {
    if (!isConflict(error)) throw error
    isNew = false
  }
  // Also what we have put is read back: a store that does not keep what it accepted is found out at once.
  const stored = await store.get(CONFIG)
  if (!stored) throw damaged(store)
  return { ...(await openFound(store, stored, options)), isNew }
}

async function openFound(
  store: ObjectStore,
  found: ConfigObject,
  { key, noEncryption = false, id }: OpenOptions,
): Promise<Omit<OpenedReplica, 'isNew'>> {
  const text = found.bytes.toString('utf8')
  const config = parseConfig(store, found)
  if (config.encryption === 'age') {
    if (noEncryption) {
      throw new IonError('refused', `${store.address} is encrypted`, {
        hint: 'leave out --no-encryption and ION_REPLICA_ENCRYPTION=none, and set its key',
      })
    }
    if (!key) throw noKey(store, 'is encrypted, and no key is set', false)
    const ring = await openRing(store, config, { key, id })
    return { sealer: new EncryptedSealer(ring), id: storeIdOf(ring), config: text }
  }
  if (key) throw notEncrypted(store, key)
  if (!noEncryption) {
    throw new IonError('refused', `${store.address} is not encrypted`, {
      hint: 'add --no-encryption to use it as it is, or set a key and use an empty prefix',
    })
  }
  if (id !== undefined && id !== config.id) throw otherStore(store, `has the id ${config.id}`, id)
  return { sealer: new PlainSealer(config.id), id: config.id, config: text }
}

/** The ring, if there is a reason to trust it: our own key vouches for it, or it has the id that the user has named. */
async function openRing(
  store: ObjectStore,
  { ring: wrapped, proofs }: EncryptedConfig,
  { key, id }: { readonly key: ReplicaKey; readonly id: string | undefined },
): Promise<KeyRing> {
  const ring = await unwrapKeyRing(wrapped, key)
  if (ring === 'damaged') throw damaged(store)
  if (ring === 'wrong-key') {
    const publicKeys = (await key.publicKeys()).join(', ')
    throw new IonError(
      'refused',
      `${store.address} is encrypted for other keys than that of ${key.source} (${publicKeys})`,
      {
        hint: 'use the key of that store; whoever has it can change it to another one: ion replica rekey --new-key-file <file>',
      },
    )
  }
  const found = storeIdOf(ring)
  if (id !== undefined) {
    if (id !== found) throw otherStore(store, `has the id ${found}`, id)
    return ring
  }
  if (key.identities().some((identity) => proofs.includes(proofOf(wrapped, identity)))) return ring
  throw new IonError('refused', `the keys of ${store.address} were created by someone else, for yours`, {
    hint: `ask who has set it up for its id; if that is ${found}, set ION_REPLICA_ID=${found}`,
  })
}

/** Vouched for by those of our keys that can open it. */
async function encryptedConfig(
  ring: KeyRing,
  ours: readonly ReplicaKey[],
  recipients: readonly string[],
): Promise<Buffer> {
  const publicKeys = [...new Set(recipients)]
  if (publicKeys.length === 0) {
    throw new IonError('usage', 'there is no key to encrypt for', { hint: 'name at least one public key (age1…)' })
  }
  await checkPublicKeys(publicKeys)
  const wrapped = await wrapKeyRing(ring, publicKeys)
  const proofs = new Set<string>()
  for (const key of ours) {
    const own = await key.publicKeys()
    for (const [index, identity] of key.identities().entries()) {
      if (publicKeys.includes(own[index]!)) proofs.add(proofOf(wrapped, identity))
    }
  }
  return configBytes({ encryption: 'age', ring: wrapped, proofs: [...proofs] })
}

function configBytes(config: StoreConfig): Buffer {
  return Buffer.from(`${JSON.stringify({ format: FORMAT, v: VERSION, ...config }, null, 2)}\n`, 'utf8')
}

type ConfigObject = Pick<StoredObject, 'bytes'>

function parseConfig(store: ObjectStore, { bytes }: ConfigObject): StoreConfig {
  const content = bytes.length > MAX_CONFIG ? undefined : parsedObject(bytes.toString('utf8'))
  if (content?.format !== FORMAT || !Number.isSafeInteger(content.v)) throw damaged(store)
  if ((content.v as number) > VERSION) {
    throw new IonError('failed', `the replica in ${store.address} was created by a newer version of Ion`, {
      hint: 'update Ion on this machine',
    })
  }
  const [id, ring] = [asString(content.id), asString(content.ring)]
  const proofs = asArray(content.proofs)?.filter((proof) => typeof proof === 'string')
  if (content.v !== VERSION) throw damaged(store)
  if (content.encryption === 'age' && ring !== undefined && proofs) return { encryption: 'age', ring, proofs }
  if (content.encryption === 'none' && id !== undefined && STORE_ID.test(id)) return { encryption: 'none', id }
  throw damaged(store)
}

/** Without those with which a store is checked before its first use: another workspace may be doing that. */
async function hasObjects(store: ObjectStore): Promise<boolean> {
  for await (const { key } of store.list('')) if (!key.startsWith('check/')) return true
  return false
}

function damaged(store: ObjectStore): IonError {
  return new IonError('failed', `the object "${CONFIG}" of ${store.address} is damaged`, {
    hint: 'restore it from an earlier version of the object, if the store keeps them',
  })
}

function noKey(store: ObjectStore, what: string, isNew: boolean): IonError {
  const key = isNew ? 'ion replica key <file> creates a key' : 'the key is the one with which this store was created'
  return new IonError('usage', `${store.address} ${what}`, {
    hint: `set ION_REPLICA_KEY, or add --replica-key-file <file>; ${key}`,
  })
}

function notEncrypted(store: ObjectStore, { source }: ReplicaKey): IonError {
  return new IonError('refused', `${store.address} is not encrypted, but a key is set (${source})`, {
    hint: 'use another store, or none of your keys and --no-encryption',
  })
}

function otherStore(store: ObjectStore, what: string, id: string): IonError {
  return new IonError('refused', `${store.address} ${what}, but ION_REPLICA_ID is ${id}`, {
    hint: 'check the address, or ask who has set the store up',
  })
}
