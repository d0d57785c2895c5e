import { createCipheriv, createDecipheriv, createHmac, type KeyObject, randomBytes } from 'node:crypto'
import { attempt } from '../../platform/error.ts'
import { MAX_PACKED, pack, unpack } from './content.ts'
import { derivedKey, type KeyRing, storeIdOf } from './key-ring.ts'
import { asBuffer, checkHeader, ENCRYPTED, HEADER_SIZE, joinParts, objectHeader } from './object-header.ts'
import { paddedSize } from './padding.ts'
import { SealError, type Sealer } from './sealer.ts'

const CIPHER = 'aes-256-gcm'
const ID = 8
const NONCE = 12
const TAG = 16
const NAME_DIGITS = 32

/** In front of the encrypted bytes; the tag is behind them. */
const START = HEADER_SIZE + ID + NONCE
const SIZES = { min: START + TAG, max: START + paddedSize(MAX_PACKED) + TAG }

const OBJECT_KEY = 'ion-replica/1 object'

export class EncryptedSealer implements Sealer {
  readonly isEncrypted = true
  readonly storeId: string
  readonly #names: KeyObject
  readonly #newest: string
  /** Derived keys by the ids of the keys in the ring. */
  readonly #keys: ReadonlyMap<string, KeyObject>

  constructor(ring: KeyRing) {
    this.storeId = storeIdOf(ring)
    this.#names = ring.names
    this.#newest = ring.data[0].id
    this.#keys = new Map(ring.data.map(({ id, key }) => [id, derivedKey(key, OBJECT_KEY)]))
  }

  seal(key: string, plain: Uint8Array): Buffer {
    const packed = pack(key, plain, paddedSize)
    const header = Buffer.concat([objectHeader(ENCRYPTED), Buffer.from(this.#newest, 'hex')])
    const nonce = randomBytes(NONCE)
    const cipher = createCipheriv(CIPHER, this.#keys.get(this.#newest)!, nonce, { authTagLength: TAG })
    cipher.setAAD(Buffer.concat([header, Buffer.from(key, 'utf8')]))
    return Buffer.concat([header, nonce, cipher.update(packed), cipher.final(), cipher.getAuthTag()])
  }

  open(key: string, sealed: Uint8Array): Buffer {
    const bytes = asBuffer(sealed)
    checkHeader(key, bytes, ENCRYPTED, SIZES)
    const header = bytes.subarray(0, HEADER_SIZE + ID)
    const secret = this.#keys.get(header.subarray(HEADER_SIZE).toString('hex'))
    if (!secret) throw new SealError('unknown-key', key)
    const decipher = createDecipheriv(CIPHER, secret, bytes.subarray(HEADER_SIZE + ID, START), { authTagLength: TAG })
    decipher.setAAD(Buffer.concat([header, Buffer.from(key, 'utf8')]))
    decipher.setAuthTag(bytes.subarray(-TAG))
    const packed = decipher.update(bytes.subarray(START, -TAG))
    // Nothing of it is looked at before its tag was checked.
    if (!attempt(() => decipher.final())) throw new SealError('damaged', key)
    return unpack(key, packed)
  }

  name(...parts: readonly string[]): string {
    return createHmac('sha256', this.#names).update(joinParts(parts)).digest('hex').slice(0, NAME_DIGITS)
  }
}
