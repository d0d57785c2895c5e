import { createHmac, createSecretKey, hkdfSync, type KeyObject, randomBytes } from 'node:crypto'
import { asArray, asObject, asString, parsedObject } from '../../native/narrow.ts'
import type { ReplicaKey } from './keys.ts'

const KEY_BYTES = 32
const ID = /^[0-9a-f]{16}$/

/** The keys of a store. Key objects, because they print and serialise as nothing. */
export interface KeyRing {
  /** For the names of objects; stays the same, or nothing would be found. */
  readonly names: KeyObject
  /** For their content, the newest first: new objects get that one, and the others open old ones. */
  readonly data: readonly [DataKey, ...DataKey[]]
}

interface DataKey {
  readonly id: string
  readonly key: KeyObject
}

export function newKeyRing(): KeyRing {
  return { names: newSecret(), data: [newDataKey()] }
}

export function withNewDataKey({ names, data }: KeyRing): KeyRing {
  return { names, data: [newDataKey(), ...data] }
}

/** The ring as a text file of age that each of these public keys opens. */
export async function wrapKeyRing({ names, data }: KeyRing, publicKeys: readonly string[]): Promise<string> {
  const { armor, Encrypter } = await import('age-encryption')
  const encrypter = new Encrypter()
  for (const publicKey of publicKeys) encrypter.addRecipient(publicKey)
  const content = { v: 1, names: base64(names), data: data.map(({ id, key }) => ({ id, key: base64(key) })) }
  return armor.encode(await encrypter.encrypt(JSON.stringify(content)))
}

/** `wrong-key`: it is encrypted for others. The library's own errors are dropped, since they may contain keys. */
export async function unwrapKeyRing(wrapped: string, key: ReplicaKey): Promise<KeyRing | 'damaged' | 'wrong-key'> {
  const { armor, Decrypter } = await import('age-encryption')
  const decrypter = new Decrypter()
  for (const identity of key.identities()) decrypter.addIdentity(identity)
  let isForOthers = false
  // Asked last, when no identity has opened it.
  decrypter.addIdentity({
    unwrapFileKey: () => {
      isForOthers = true
      return null
    },
  })
  try {
    return parsedRing(await textOf(await decrypter.decrypt(streamOf(armor.decode(wrapped))))) ?? 'damaged'
  } catch {
    return isForOthers ? 'wrong-key' : 'damaged'
  }
}

/** As a stream: given bytes, the library uses `Response`, for which Node loads its HTTP client: twice the CPU of a start. */
function streamOf(bytes: Uint8Array): ReadableStream<Uint8Array> {
  return new ReadableStream({
    start(controller) {
      controller.enqueue(bytes)
      controller.close()
    },
  })
}

async function textOf(stream: ReadableStream<Uint8Array>): Promise<string> {
  const parts: Uint8Array[] = []
  for await (const part of stream) parts.push(part)
  return Buffer.concat(parts).toString('utf8')
}

/**
 * Proves that a wrapped ring was made by someone who has this identity. Anyone who knows a public key can encrypt for it,
 * so a store's owner could otherwise replace the ring by one of their own, and read what is written from then on.
 */
export function proofOf(wrapped: string, identity: string): string {
  const secret = derivedKey(createSecretKey(identity, 'utf8'), 'ion-replica/1 proof')
  return createHmac('sha256', secret).update(wrapped, 'utf8').digest('hex')
}

/** Public, and only a ring with the same names key has it. */
export function storeIdOf({ names }: KeyRing): string {
  return derivedKey(names, 'ion-replica/1 store id').export().toString('hex').slice(0, 32)
}

/** HKDF-SHA256 without salt. */
export function derivedKey(key: KeyObject, purpose: string): KeyObject {
  return createSecretKey(Buffer.from(hkdfSync('sha256', key, '', purpose, KEY_BYTES)))
}

function newDataKey(): DataKey {
  return { id: randomBytes(8).toString('hex'), key: newSecret() }
}

function newSecret(): KeyObject {
  return createSecretKey(randomBytes(KEY_BYTES))
}

function base64(key: KeyObject): string {
  return key.export().toString('base64')
}

/** Undefined if it is not a ring. */
function parsedRing(text: string): KeyRing | undefined {
  const content = parsedObject(text)
  const names = secretFrom(content?.names)
  const data = asArray(content?.data)?.map(dataKeyFrom)
  if (content?.v !== 1 || !names || !data?.every((one) => one !== undefined)) return undefined
  const [newest, ...older] = data
  const hasUniqueIds = new Set(data.map(({ id }) => id)).size === data.length
  return newest && hasUniqueIds ? { names, data: [newest, ...older] } : undefined
}

function dataKeyFrom(value: unknown): DataKey | undefined {
  const { id, key } = asObject(value) ?? {}
  const secret = secretFrom(key)
  return secret && typeof id === 'string' && ID.test(id) ? { id, key: secret } : undefined
}

function secretFrom(value: unknown): KeyObject | undefined {
  const bytes = Buffer.from(asString(value) ?? '', 'base64')
  return bytes.length === KEY_BYTES ? createSecretKey(bytes) : undefined
}
