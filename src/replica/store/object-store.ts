import { IonError } from '../../platform/error.ts'

/**
 * Where replicas are kept: objects with names, as in S3. Every method throws `StoreError`. No key may be the folder of another
 * (`a` and `a/b`): S3 servers that keep objects as files refuse that.
 */
export interface ObjectStore {
  /** For messages: `s3://bucket/prefix`, without credentials. */
  readonly address: string
  /** What was asked of the store so far, each attempt counted. */
  readonly usage: StoreUsage
  /** Undefined when there is no such object. */
  get(key: string): Promise<StoredObject | undefined>
  /**
   * Durable when it resolves; returns the new tag. Throws `conflict` when the condition does not hold. After any other error
   * it is unknown whether the object was put, and a put without a condition may even take effect later: objects that change are put
   * with one.
   */
  put(key: string, bytes: Uint8Array, condition?: PutCondition): Promise<string>
  /** In the order of their names; those after `after` only, if it is given. */
  list(prefix: string, after?: string): AsyncIterable<ListedObject>
  /** What is directly below a prefix, which is empty or ends in a slash, up to the next slash: `a` for `<prefix>a/b/c`. Sorted. */
  folders(prefix: string): Promise<string[]>
  /** Those that do not exist count as removed. */
  remove(keys: readonly string[]): Promise<void>
}

export interface StoredObject {
  readonly bytes: Buffer
  /** Other bytes have another tag. The same bytes put again may have the same one: on S3 it is a hash of them. */
  readonly tag: string
  /** How long ago it was put, by the store's own clock: ours and that of another workspace may be wrong. S3 counts seconds. */
  readonly ageMs: number
}

/** Only if there is none yet, or only if it is still the one with this tag. */
export type PutCondition = { readonly isNew: true } | { readonly tag: string }

export interface ListedObject {
  readonly key: string
  readonly size: number
  readonly ageMs: number
}

export interface StoreUsage {
  readonly requests: number
  /** Bytes of objects and answers, without headers. */
  readonly bytesSent: number
  readonly bytesReceived: number
}

export type StoreErrorKind =
  | 'conflict'
  | 'denied'
  | 'missing'
  | 'full'
  | 'unreachable'
  | 'slow'
  | 'clock'
  | 'unsupported'
  | 'failed'

/** What is wrong with a store, and what to do about it. Callers decide by `kind`. */
export class StoreError extends Error {
  readonly kind: StoreErrorKind
  /** Trying again may help, without anybody doing anything. */
  readonly isTemporary: boolean
  readonly hint: string | undefined

  constructor(
    kind: StoreErrorKind,
    message: string,
    { isTemporary = false, hint, cause }: { isTemporary?: boolean; hint?: string | undefined; cause?: unknown } = {},
  ) {
    super(message, cause === undefined ? undefined : { cause })
    this.name = 'StoreError'
    this.kind = kind
    this.isTemporary = isTemporary
    this.hint = hint
  }

  /** For commands that end with it. */
  toIonError(): IonError {
    const kind = this.kind === 'missing' ? 'not-found' : this.kind === 'conflict' ? 'refused' : 'failed'
    return new IonError(kind, this.message, { cause: this, ...(this.hint !== undefined && { hint: this.hint }) })
  }
}

export function isConflict(error: unknown): boolean {
  return error instanceof StoreError && error.kind === 'conflict'
}

export function conflict(address: string, key: string): StoreError {
  return new StoreError('conflict', `${key} in ${address} was put by another process in the meantime`)
}

/** Characters that need no encoding in an address and are names of files on every system. */
const KEY = /^(?!.*(?:^|\/)\.{1,2}(?:\/|$))[a-z0-9._-]+(?:\/[a-z0-9._-]+)*$/

/** Whether an object may have this name. Stores leave out others that they find: Ion has not put them. */
export function isKey(key: string): boolean {
  return KEY.test(key)
}

export function checkKey(key: string): void {
  if (!isKey(key)) throw new TypeError(`not a key of an object store: ${JSON.stringify(key)}`)
}

/** Prefixes of listings: where a key, or a part of one, begins. Empty for all. */
export function checkPrefix(prefix: string): void {
  if (prefix !== '' && !isKey(prefix.replace(/\/$/, ''))) {
    throw new TypeError(`not a prefix of keys: ${JSON.stringify(prefix)}`)
  }
}
