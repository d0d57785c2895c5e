import { IonError, messageOf } from '../../platform/error.ts'
import { SealError, type Sealer } from '../seal/sealer.ts'
import type { ObjectStore, PutCondition } from '../store/object-store.ts'
import { TaskKeys } from './keys.ts'

/** The objects of one task in a store, sealed. */
export class TaskLog {
  /** Its prefix in the store. */
  readonly folder: string
  readonly keys: TaskKeys
  readonly sealer: Sealer
  readonly store: ObjectStore

  constructor(store: ObjectStore, sealer: Sealer, folder: string) {
    this.folder = folder
    this.keys = new TaskKeys(folder)
    this.store = store
    this.sealer = sealer
  }

  put(key: string, plain: Uint8Array, condition?: PutCondition): Promise<string> {
    return this.store.put(key, this.sealer.seal(key, plain), condition)
  }

  /** Throws when it is missing, was changed, or `read` does not accept it. */
  async read<T>(key: string, read: (plain: Buffer) => T): Promise<T> {
    const object = await this.store.get(key)
    if (!object) throw this.damaged(key, 'is missing')
    return this.open(key, object.bytes, read)
  }

  /** Throws when it was changed, or `read` does not accept it. */
  open<T>(key: string, bytes: Buffer, read: (plain: Buffer) => T, hint?: string): T {
    try {
      return read(this.sealer.open(key, bytes))
    } catch (error) {
      throw this.damaged(key, error instanceof SealError ? error.explanation : messageOf(error), { cause: error, hint })
    }
  }

  /** The lease is not the last one that was put: whoever went by it would pass over what was stored since. */
  rolledBack(): IonError {
    return new IonError(
      'refused',
      `${this.store.address} has more of this task than its lease knows of: the lease was removed, or an earlier version was put in its place`,
      { hint: 'ion replica restore <agent> takes what is stored; --replica none starts without it' },
    )
  }

  damaged(
    key: string,
    what: string,
    { cause, hint = DAMAGED }: { cause?: unknown; hint?: string | undefined } = {},
  ): IonError {
    return new IonError('failed', `the replica in ${this.store.address} is damaged: ${key} ${what}`, { cause, hint })
  }
}

const DAMAGED =
  'ion replica verify lists all damage; ion replica restore <agent> --at <time> restores an earlier state; --replica none starts without it'
