import {
  type ListedObject,
  type ObjectStore,
  type PutCondition,
  type StoredObject,
  StoreError,
} from '../../src/replica/store/object-store.ts'

/** Whether an operation fails, before or after its effect: after it, only the answer is lost. */
export type Fault = (operation: 'get' | 'put' | 'list' | 'remove', key: string) => 'before' | 'after' | undefined

/** A store in memory, with a clock and faults of its own. */
export class MemoryStore implements ObjectStore {
  readonly address = 'memory://test'
  readonly objects = new Map<string, { bytes: Buffer; tag: string; at: number }>()
  readonly usage = { requests: 0, bytesSent: 0, bytesReceived: 0 }
  now = 0
  fault: Fault = () => undefined
  #puts = 0

  async get(key: string): Promise<StoredObject | undefined> {
    return this.#perform('get', key, () => {
      const object = this.objects.get(key)
      this.usage.bytesReceived += object?.bytes.length ?? 0
      return object && { bytes: Buffer.from(object.bytes), tag: object.tag, ageMs: this.now - object.at }
    })
  }

  async put(key: string, bytes: Uint8Array, condition?: PutCondition): Promise<string> {
    return this.#perform('put', key, () => {
      const known = this.objects.get(key)
      const holds = !condition || ('isNew' in condition ? !known : known?.tag === condition.tag)
      if (!holds) throw new StoreError('conflict', `${key} is another one`)
      const tag = String(++this.#puts)
      this.objects.set(key, { bytes: Buffer.from(bytes), tag, at: this.now })
      this.usage.bytesSent += bytes.length
      return tag
    })
  }

  async *list(prefix: string, after = ''): AsyncGenerator<ListedObject> {
    const keys = this.#perform('list', prefix, () => [...this.objects.keys()].filter((key) => key.startsWith(prefix)))
    for (const key of keys.sort()) {
      const object = this.objects.get(key)
      if (key > after && object) yield { key, size: object.bytes.length, ageMs: this.now - object.at }
    }
  }

  async folders(prefix: string): Promise<string[]> {
    const names = [...this.objects.keys()]
      .filter((key) => key.startsWith(prefix))
      .map((key) => key.slice(prefix.length).split('/'))
    return [...new Set(names.filter(({ length }) => length > 1).map(([name]) => name!))].sort()
  }

  async remove(keys: readonly string[]): Promise<void> {
    for (const key of keys) this.#perform('remove', key, () => this.objects.delete(key))
  }

  #perform<T>(operation: Parameters<Fault>[0], key: string, effect: () => T): T {
    this.usage.requests++
    const fault = this.fault(operation, key)
    if (fault === 'before') throw new StoreError('unreachable', `${operation} ${key}: not connected`)
    const result = effect()
    if (fault === 'after') throw new StoreError('unreachable', `${operation} ${key}: no answer`)
    return result
  }
}
