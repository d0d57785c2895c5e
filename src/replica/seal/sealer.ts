/** What an object's bytes look like in the store. */
export interface Sealer {
  readonly isEncrypted: boolean
  /** The bytes of an object as they are put at this key. */
  seal(key: string, plain: Uint8Array): Buffer
  /** Throws `SealError` for bytes that were changed, cut, or put at another key. */
  open(key: string, sealed: Uint8Array): Buffer
  /** A name that gives nothing away, the same for the same parts: 32 hex digits. */
  name(...parts: readonly string[]): string
}
