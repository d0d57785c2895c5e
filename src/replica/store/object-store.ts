/** Where replicas are kept: objects with names, as in S3. */
export interface ObjectStore {
  /** For messages: `s3://bucket/prefix`, without credentials. */
  readonly address: string
  /** Undefined when there is no such object. */
  get(key: string): Promise<StoredObject | undefined>
  /** Durable when it resolves; returns the new tag. Throws StoreError `conflict` when the condition does not hold. */
  put(key: string, bytes: Uint8Array, condition?: PutCondition): Promise<string>
  /** In the order of their names; those after `after` only, if it is given. */
  list(prefix: string, after?: string): AsyncIterable<ListedObject>
  /** The names directly below a prefix that ends in a slash, with what follows the next slash left out, as folders. */
  folders(prefix: string): Promise<string[]>
  /** Those that do not exist count as removed. */
  remove(keys: readonly string[]): Promise<void>
  /** What was asked of the store so far. */
  readonly usage: StoreUsage
}

export interface StoreUsage {
  readonly requests: number
  readonly bytesSent: number
  readonly bytesReceived: number
}

export interface StoredObject {
  readonly bytes: Buffer
  /** Changes with every put. */
  readonly tag: string
  /** How long ago it was put, by the store's own clock: ours and that of another workspace may be wrong. */
  readonly ageMs: number
}

/** Only if there is none yet, or only if it is still the one with this tag. */
export type PutCondition = { readonly isNew: true } | { readonly tag: string }

export interface ListedObject {
  readonly key: string
  readonly size: number
  readonly ageMs: number
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

export class StoreError extends Error {
  readonly kind: StoreErrorKind
  /** Trying again may help. */
  readonly isTemporary: boolean

  constructor(kind: StoreErrorKind, message: string, options: { isTemporary?: boolean; cause?: unknown } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause })
    this.name = 'StoreError'
    this.kind = kind
    this.isTemporary = options.isTemporary ?? false
  }
}

export function isConflict(error: unknown): boolean {
  return error instanceof StoreError && error.kind === 'conflict'
}
