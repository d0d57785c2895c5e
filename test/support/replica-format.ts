import { webcrypto } from 'node:crypto'
import { brotliDecompressSync } from 'node:zlib'

/**
 * A second implementation of docs/replica-format.md, which shares nothing with src/replica/seal/: another program could be
 * written like this. It checks less, and it also writes objects that Ion never would.
 */

const { subtle } = webcrypto
const text = (value: string): Uint8Array => new TextEncoder().encode(value)
const hex = (value: ArrayBuffer): string => Buffer.from(value).toString('hex')

export interface PlainRing {
  readonly names: Uint8Array
  readonly data: readonly { readonly id: string; readonly key: Uint8Array }[]
}

/** What is encrypted or hashed: how it is stored, both sizes, and the stored bytes. */
export function frame(form: number, size: number, stored: Uint8Array, padding = 0, storedSize = stored.length): Buffer {
  const head = Buffer.alloc(9)
  head[0] = form
  head.writeUInt32BE(size, 1)
  head.writeUInt32BE(storedSize, 5)
  return Buffer.concat([head, stored, Buffer.alloc(padding)])
}

function contentOf(framed: Buffer): Buffer {
  const stored = framed.subarray(9, 9 + framed.readUInt32BE(5))
  return framed[0] === 1 ? brotliDecompressSync(stored) : Buffer.from(stored)
}

export async function sealDocumented(
  { data: [newest] }: PlainRing,
  key: string,
  framed: Uint8Array,
  nonce: Uint8Array,
): Promise<Buffer> {
  const header = Buffer.concat([text('ionr'), Buffer.from([1, 1]), Buffer.from(newest!.id, 'hex')])
  const additionalData = Buffer.concat([header, text(key)])
  const secret = await objectKey(newest!.key)
  const encrypted = await subtle.encrypt({ name: 'AES-GCM', iv: nonce, additionalData }, secret, framed)
  return Buffer.concat([header, nonce, Buffer.from(encrypted)])
}

export async function openDocumented({ data }: PlainRing, key: string, sealed: Buffer): Promise<Buffer> {
  const id = sealed.subarray(6, 14).toString('hex')
  const secret = await objectKey(data.find((one) => one.id === id)!.key)
  const additionalData = Buffer.concat([sealed.subarray(0, 14), text(key)])
  const algorithm = { name: 'AES-GCM', iv: sealed.subarray(14, 26), additionalData }
  return contentOf(Buffer.from(await subtle.decrypt(algorithm, secret, sealed.subarray(26))))
}

export async function sealPlainDocumented(storeId: string, key: string, framed: Uint8Array): Promise<Buffer> {
  const header = Buffer.concat([text('ionr'), Buffer.from([1, 0])])
  const hash = await subtle.digest('SHA-256', Buffer.concat([header, joined([storeId, key]), framed]))
  return Buffer.concat([header, Buffer.from(hash), framed])
}

export async function nameDocumented({ names }: PlainRing, ...parts: string[]): Promise<string> {
  const key = await subtle.importKey('raw', names, { name: 'HMAC', hash: 'SHA-256' }, false, ['sign'])
  return hex(await subtle.sign('HMAC', key, joined(parts))).slice(0, 32)
}

export async function plainNameDocumented(...parts: string[]): Promise<string> {
  return hex(await subtle.digest('SHA-256', joined(parts))).slice(0, 32)
}

export async function storeIdDocumented({ names }: PlainRing): Promise<string> {
  return (await derived(names, 'ion-replica/1 store id')).toString('hex').slice(0, 32)
}

export async function proofDocumented(ring: string, identity: string): Promise<string> {
  const secret = await derived(text(identity), 'ion-replica/1 proof')
  const key = await subtle.importKey('raw', secret, { name: 'HMAC', hash: 'SHA-256' }, false, ['sign'])
  return hex(await subtle.sign('HMAC', key, text(ring)))
}

async function objectKey(key: Uint8Array): Promise<webcrypto.CryptoKey> {
  const secret = await derived(key, 'ion-replica/1 object')
  return subtle.importKey('raw', secret, 'AES-GCM', false, ['encrypt', 'decrypt'])
}

async function derived(key: Uint8Array, info: string): Promise<Buffer> {
  const base = await subtle.importKey('raw', key, 'HKDF', false, ['deriveBits'])
  const algorithm = { name: 'HKDF', hash: 'SHA-256', salt: new Uint8Array(0), info: text(info) }
  return Buffer.from(await subtle.deriveBits(algorithm, base, 256))
}

/** Each string in UTF-8, after its length in four bytes. */
function joined(parts: readonly string[]): Buffer {
  return Buffer.concat(
    parts.map((part) => {
      const length = Buffer.alloc(4)
      length.writeUInt32BE(Buffer.byteLength(part))
      return Buffer.concat([length, text(part)])
    }),
  )
}
