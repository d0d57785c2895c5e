import { createHash } from 'node:crypto'

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i

/** Ion's own namespace for UUIDv5. Never changed: session ids depend on it. */
const NAMESPACE = Buffer.from('5a0c2f5e7d1b4c3a9e468b1f0d2a7c93', 'hex')

export function isUuid(text: string): boolean {
  return UUID.test(text)
}

/** The session's id: the native id where that is a UUID, else the UUIDv5 of `<agent>/<native id>`. */
export function sessionId(agent: string, nativeId: string): string {
  return isUuid(nativeId) ? nativeId.toLowerCase() : uuidV5(`${agent}/${nativeId}`)
}

/** The same for the same name, everywhere. */
export function uuidV5(name: string): string {
  const hash = createHash('sha1').update(NAMESPACE).update(name).digest().subarray(0, 16)
  hash[6] = (hash[6]! & 0x0f) | 0x50
  hash[8] = (hash[8]! & 0x3f) | 0x80
  const hex = hash.toString('hex')
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`
}
