import {
  type ListedObject,
  type ObjectStore,
  type PutCondition,
  type StoredObject,
  StoreError,
  type StoreUsage,
} from '../../src/replica/store/object-store.ts'

/** An object store in memory. `objects` may be changed by a test, as someone who owns the bucket could. */
export class MemoryStore implements ObjectStore {
  readonly address = 'memory://test'
  readonly objects = new Map<string, { bytes: Buffer; tag: string; putAt: number }>()
  readonly #usage = { requests: 0, bytesSent: 0, bytesReceived: 0 }
  #puts = 0

  get usage(): StoreUsage {
    return { ...this.#usage }
  }

  async get(key: string): Promise<StoredObject | undefined> {
    this.#usage.requests++
    const found = this.objects.get(key)
    if (!found) return undefined
    this.#usage.bytesReceived += found.bytes.length
    return { bytes: Buffer.from(found.bytes), tag: found.tag, ageMs: Date.now() - found.putAt }
  }

  async put(key: string, bytes: Uint8Array, condition?: PutCondition): Promise<string> {
    this.#usage.requests++
    const tag = this.objects.get(key)?.tag
    if (condition && ('isNew' in condition ? tag !== undefined : tag !== condition.tag)) {
      throw new StoreError('conflict', `${key} was changed by someone else`)
    }
    this.#usage.bytesSent += bytes.length
    this.#puts++
    this.objects.set(key, { bytes: Buffer.from(bytes), tag: String(this.#puts), putAt: Date.now() })
    return String(this.#puts)
  }

  async *list(prefix: string, after = ''): AsyncIterable<ListedObject> {
    this.#usage.requests++
    for (const key of this.#keys(prefix).filter((one) => one > after)) {
      const { bytes, putAt } = this.objects.get(key)!
      yield { key, size: bytes.length, ageMs: Date.now() - putAt }
    }
  }

  async folders(prefix: string): Promise<string[]> {
    this.#usage.requests++
    const names = this.#keys(prefix).map((key) => key.slice(prefix.length).split('/'))
    return [...new Set(names.filter(({ length }) => length > 1).map(([name]) => name!))]
  }

  async remove(keys: readonly string[]): Promise<void> {
    this.#usage.requests++
    for (const key of keys) this.objects.delete(key)
  }

  #keys(prefix: string): string[] {
    return [...this.objects.keys()].filter((key) => key.startsWith(prefix)).sort()
  }
}
