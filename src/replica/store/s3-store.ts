import type { Io } from '../../platform/io.ts'
import {
  checkKey,
  checkPrefix,
  conflict,
  isKey,
  type ListedObject,
  type ObjectStore,
  type PutCondition,
  type StoredObject,
  StoreError,
  type StoreUsage,
} from './object-store.ts'
import { type Patience, S3Client } from './s3-client.ts'
import type { S3Answer } from './s3-errors.ts'
import { s3Settings } from './s3-settings.ts'
import { type ListPage, parseListPage } from './s3-xml.ts'

/** Objects that are removed at the same time. */
const REMOVED_AT_ONCE = 8

export function openS3Store(
  { bucket, prefix }: { readonly bucket: string; readonly prefix: string },
  io: Io,
  patience?: Patience,
): ObjectStore {
  const address = `s3://${bucket}/${prefix}`.replace(/\/$/, '')
  return new S3Store(new S3Client(bucket, address, () => s3Settings(io), io.now, patience), prefix, io.now)
}

class S3Store implements ObjectStore {
  readonly #client: S3Client
  /** Empty, or ends in a slash. */
  readonly #prefix: string
  readonly #now: () => Date

  constructor(client: S3Client, prefix: string, now: () => Date) {
    this.#client = client
    this.#prefix = prefix
    this.#now = now
  }

  get address(): string {
    return this.#client.place.address
  }

  get usage(): StoreUsage {
    return this.#client.usage
  }

  async get(key: string): Promise<StoredObject | undefined> {
    checkKey(key)
    const answer = await this.#client.send({ method: 'GET', key: this.#prefix + key })
    if (answer.status === 404) return undefined
    const modified = Date.parse(answer.headers['last-modified'] ?? '')
    return { bytes: answer.body, tag: this.#tag(answer), ageMs: this.#age(answer, modified) }
  }

  async put(key: string, bytes: Uint8Array, condition?: PutCondition): Promise<string> {
    checkKey(key)
    const answer = await this.#client.send({
      method: 'PUT',
      key: this.#prefix + key,
      headers: conditionHeaders(condition),
      body: bytes,
    })
    if (answer.status === 200) return this.#tag(answer)
    // The object may be the one that an earlier attempt put, of which we did not hear.
    const found = answer.isRepeated ? await this.get(key) : undefined
    if (found?.bytes.equals(bytes)) return found.tag
    throw conflict(this.address, key)
  }

  async *list(prefix: string, after?: string): AsyncIterable<ListedObject> {
    checkPrefix(prefix)
    for await (const { page, answer } of this.#pages({
      prefix: this.#prefix + prefix,
      ...(after !== undefined && { 'start-after': this.#prefix + after }),
    })) {
      for (const { key, size, modified } of page.objects) {
        const own = key.slice(this.#prefix.length)
        if (isKey(own)) yield { key: own, size, ageMs: this.#age(answer, modified) }
      }
    }
  }

  async folders(prefix: string): Promise<string[]> {
    checkPrefix(prefix)
    const complete = this.#prefix + prefix
    const names: string[] = []
    for await (const { page } of this.#pages({ prefix: complete, delimiter: '/' })) {
      names.push(...page.prefixes.map((one) => one.slice(complete.length, -1)).filter(isKey))
    }
    return names.sort()
  }

  async remove(keys: readonly string[]): Promise<void> {
    for (const key of keys) checkKey(key)
    // One by one: servers differ in what they ask of a request for many, and Amazon charges for neither.
    const rest = keys.values()
    const worker = async (): Promise<void> => {
      for (const key of rest) await this.#client.send({ method: 'DELETE', key: this.#prefix + key })
    }
    await Promise.all(Array.from({ length: Math.min(REMOVED_AT_ONCE, keys.length) }, worker))
  }

  async *#pages(query: Record<string, string>): AsyncIterable<{ page: ListPage; answer: S3Answer }> {
    let next: string | undefined
    do {
      const answer = await this.#client.send({
        method: 'GET',
        query: { 'list-type': '2', ...query, ...(next !== undefined && { 'continuation-token': next }) },
      })
      const page = answer.status === 200 ? parseListPage(answer.body.toString('utf8')) : undefined
      if (!page) throw this.#notS3('its list of objects cannot be read')
      if (page.next !== undefined && page.next === next) throw this.#notS3('its list of objects does not end')
      yield { page, answer }
      next = page.next
    } while (next !== undefined)
  }

  #tag({ headers: { etag } }: S3Answer): string {
    if (!etag) throw this.#notS3('it gives objects no ETag')
    return etag
  }

  /** By the clock of the server, which is in every answer. */
  #age({ headers: { date } }: S3Answer, modified: number): number {
    const theirs = Date.parse(date ?? '')
    const age = (Number.isNaN(theirs) ? this.#now().getTime() : theirs) - modified
    return Number.isNaN(age) ? 0 : Math.max(0, age)
  }

  #notS3(why: string): StoreError {
    const { endpoint } = this.#client.place
    return new StoreError('unsupported', `${endpoint || this.address} does not answer as S3 does: ${why}`, {
      hint: 'check AWS_ENDPOINT_URL_S3, or use another S3 server',
    })
  }
}

function conditionHeaders(condition: PutCondition | undefined): Record<string, string> {
  if (condition === undefined) return {}
  return 'tag' in condition ? { 'if-match': condition.tag } : { 'if-none-match': '*' }
}
