import { type Problem, ReadError } from '../../events/item.ts'
import { bounded, requireReadable, tableNames } from '../../native/database.ts'
import { asObject, asString, parsedObject } from '../../native/narrow.ts'
import { cannotRead } from '../../native/problem.ts'
import type { Database } from '../../platform/sqlite.ts'
import { type Field, readMessage } from './protobuf.ts'

/** What Ion reads from the row of `meta`. The row also has `blobEncryptionKey`, a secret that is never used. */
export interface StoreMeta {
  readonly root: string
  readonly name: string | undefined
  readonly createdAt: unknown
  readonly model: string | undefined
  readonly subagent: { readonly parent: string; readonly call: string | undefined } | undefined
}

/** The row is JSON in UTF-8 in hexadecimal digits. Throws a ReadError when it is missing or unreadable. */
export function readMeta(database: Database): StoreMeta {
  const tables = tableNames(database)
  if (!tables.has('meta') || !tables.has('blobs')) {
    throw new ReadError('unknown_format', 'not a Cursor chat: no tables "meta" and "blobs"')
  }
  const row = database.prepare(`SELECT ${bounded('value')} FROM meta WHERE key = '0'`).get() as
    | { value?: unknown }
    | undefined
  const meta = parseJson(Buffer.from(asString(row?.value) ?? '', 'hex'))
  if (!meta) throw new ReadError('not_json', 'the description of the chat is not JSON')
  const name = asString(meta.name)
  const subagent = asObject(meta.subagentInfo)
  const parent = asString(subagent?.parentAgentId)
  return {
    root: asString(meta.latestRootBlobId) ?? '',
    name: name && name !== 'New Agent' ? name : undefined,
    createdAt: meta.createdAt,
    model: asString(meta.lastUsedModel) || undefined,
    subagent: parent ? { parent, call: asString(subagent?.toolCallId) } : undefined,
  }
}

export function parseJson(bytes: Uint8Array | undefined): Record<string, unknown> | undefined {
  return bytes && parsedObject(Buffer.from(bytes).toString('utf8'))
}

/** Blobs by their id: the SHA-256 of their bytes, in hexadecimal digits or raw as other blobs name them. */
export class Blobs {
  readonly #statement
  readonly path: string

  constructor(database: Database, path: string) {
    this.#statement = database.prepare(`SELECT ${bounded('data')}, octet_length(data) AS bytes FROM blobs WHERE id = ?`)
    this.path = path
  }

  /** Undefined when it is missing or too large. */
  get(id: string | Buffer): Uint8Array | undefined {
    return this.#find(id)?.data
  }

  #find(id: string | Buffer): { readonly data?: Uint8Array; readonly bytes: number } | undefined {
    const row = this.#statement.get(blobName(id)) as { data: unknown; bytes: number | null } | undefined
    if (!row) return undefined
    return { bytes: row.bytes ?? 0, ...(row.data instanceof Uint8Array ? { data: row.data } : {}) }
  }

  /** The message in a blob; a problem when the blob is missing or not a message. */
  message(id: string | Buffer, what: string): Field[] | Problem {
    const { data, bytes = 0 } = this.#find(id) ?? {}
    const name = `${what} (blob ${blobName(id).slice(0, 12)}…)`
    try {
      requireReadable(bytes)
    } catch (error) {
      return cannotRead(this.path, error, `${name} cannot be read`)
    }
    return data ? this.decode(data, name) : { code: 'missing', problem: `${name} is missing`, path: this.path }
  }

  /** A message that is inside another one. */
  decode(data: Uint8Array, what: string): Field[] | Problem {
    try {
      return readMessage(data)
    } catch (error) {
      return cannotRead(this.path, error, `${what} cannot be decoded`)
    }
  }
}

function blobName(id: string | Buffer): string {
  return typeof id === 'string' ? id : id.toString('hex')
}
