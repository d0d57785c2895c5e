import { IonError } from '../../platform/error.ts'

/** Turns content into objects as they are stored, and back. docs/replica-format.md has the format. */
export interface Sealer {
  readonly isEncrypted: boolean
  /** Of the store that it is for; not a secret. */
  readonly storeId: string
  /** The bytes of an object as they are put at this key. */
  seal(key: string, plain: Uint8Array): Buffer
  /** Throws `SealError` for bytes that were changed, cut, or put at another key. Bounded memory: refuses absurd sizes. */
  open(key: string, sealed: Uint8Array): Buffer
  /** A name that gives nothing away, the same for the same parts: 32 hex digits. */
  name(...parts: readonly string[]): string
}

/** The content of an object may not be larger: both sides hold it in memory. */
export const MAX_CONTENT = 64 * 1024 * 1024

/**
 * `damaged`: changed, cut, or put at another key. `unknown-key`: encrypted with a key that the ring did not have when it was
 * opened, so opening the store again may help. `unencrypted`, `encrypted`: the object is not of the store's kind.
 */
export type SealProblem = 'damaged' | 'unknown-key' | 'unencrypted' | 'encrypted' | 'newer' | 'too-large'

const EXPLANATIONS: Readonly<Record<SealProblem, string>> = {
  damaged: 'was changed, cut off, or is not the one that was stored there',
  'unknown-key': 'is encrypted with a key that this store did not have when it was opened',
  unencrypted: 'is not encrypted, but this store is',
  encrypted: 'is encrypted, but this store is not',
  newer: 'was written by a newer version of Ion',
  'too-large': `has more than ${MAX_CONTENT / 1024 / 1024} MiB`,
}

/** An object that was refused. */
export class SealError extends IonError {
  readonly problem: SealProblem
  /** Without the object's name. */
  readonly explanation: string

  constructor(problem: SealProblem, key: string, cause?: unknown) {
    const hint = problem === 'newer' ? { hint: 'update Ion on this machine' } : {}
    super('failed', `object ${key} of the replica ${EXPLANATIONS[problem]}`, { ...hint, cause })
    this.name = 'SealError'
    this.problem = problem
    this.explanation = EXPLANATIONS[problem]
  }
}
