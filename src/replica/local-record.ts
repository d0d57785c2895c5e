import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parsedObject } from '../native/narrow.ts'
import { replaceFile } from '../platform/atomic-file.ts'
import { attempt } from '../platform/error.ts'
import { isCount, isText } from '../vault/validate.ts'
import { PROMPT_PARTS, SESSION_PARTS } from './image-about.ts'
import type { ReplicaLease } from './lease.ts'
import { type Head, isHead, isSameHead } from './log/record.ts'
import type { LogState } from './log/state.ts'
import type { TaskLog } from './log/task-log.ts'

/** What this home knows of a task's replica. Without it, the store is asked. */
export interface LocalRecord {
  readonly address: string
  /** The id of the store: at the same address there may be another one by now. */
  readonly store: string
  /** The task's own prefix in the store. */
  readonly folder: string
  /** The last record that was stored from here, or restored here; null before the first one. */
  readonly head: Head | null
  /** Of the task as it was then: another one means that it was used since. */
  readonly image: string
  /** The same of its session and prompts alone: what counts as having continued it. */
  readonly work: string
  /** The tenure of this home. What it has stored is from here, even if nothing could be noted here afterwards. */
  readonly tenure: { readonly epoch: number; readonly writer: string } | null
  /** Being restored: what is here is a part of the old state and a part of the new one. */
  readonly isHalf: boolean
  /** When old states were last removed from here. */
  readonly pruned?: string | undefined
  /** The lease as it was released at the end of the tenure, with `head` as the newest record; undefined if it was not. */
  readonly released?: ReleasedHere | undefined
}

/** What the next start here needs to take the lease again in one request. */
export interface ReleasedHere {
  /** Of the lease in the store. */
  readonly tag: string
  /** The config of the store, as it was read: its keys are encrypted, there and here. */
  readonly config: string
}

/** The address and the id of the store that it must be of; undefined for any. */
export function readLocalRecord(taskFolder: string, address?: string, store?: string): LocalRecord | undefined {
  const record = parsedObject(attempt(() => readFileSync(recordFile(taskFolder), 'utf8')))
  const { folder, head, image, work, tenure, isHalf, pruned, released } = record ?? {}
  const { tag, config } = Object(released) as Record<string, unknown>
  const { epoch, writer } = Object(tenure) as Record<string, unknown>
  if (![record?.address, record?.store, folder, image, work].every(isText)) return undefined
  if (address !== undefined && record?.address !== address) return undefined
  if (store !== undefined && record?.store !== store) return undefined
  if (!(head === null || isHead(head)) || typeof isHalf !== 'boolean') return undefined
  return {
    address: record?.address as string,
    store: record?.store as string,
    folder: folder as string,
    head,
    image: image as string,
    work: work as string,
    isHalf,
    tenure: isCount(epoch) && isText(writer) ? { epoch, writer } : null,
    ...(isText(pruned) ? { pruned } : {}),
    ...(isText(tag) && isText(config) ? { released: { tag, config } } : {}),
  }
}

export function writeLocalRecord(taskFolder: string, record: LocalRecord): void {
  replaceFile(recordFile(taskFolder), `${JSON.stringify(record)}\n`)
}

/** A tenure of this home that is over. */
export interface EndedTenure {
  readonly log: TaskLog
  readonly lease: ReplicaLease
  /** The last record, and the image that it is of. */
  readonly head: Head
  readonly parts: Iterable<PartDigest>
  readonly pruned?: string | undefined
  /** That of the store, if the lease was released. */
  readonly config?: string | undefined
}

export function recordEnd(taskFolder: string, { log, lease, head, parts, pruned, config }: EndedTenure): void {
  const { epoch, writer } = lease.tenure
  writeLocalRecord(taskFolder, {
    address: log.store.address,
    store: log.sealer.storeId,
    folder: log.folder,
    head,
    ...digestsOf(parts),
    tenure: { epoch, writer },
    isHalf: false,
    pruned,
    released: config === undefined ? undefined : { tag: lease.tag, config },
  })
}

interface PartDigest {
  readonly name: string
  readonly sha256: string
}

function imageDigest(parts: Iterable<PartDigest>): string {
  const lines = Array.from(parts, ({ name, sha256 }) => `${sha256} ${name}`).sort()
  return createHash('sha256').update(lines.join('\n')).digest('hex')
}

/** What a record has of an image. */
export function digestsOf(parts: Iterable<PartDigest>): Pick<LocalRecord, 'image' | 'work'> {
  const all = [...parts]
  const work = all.filter(({ name }) => name.startsWith(SESSION_PARTS) || name.startsWith(PROMPT_PARTS))
  return { image: imageDigest(all), work: imageDigest(work) }
}

/** The same of what is in the store. */
export function storedDigests({ parts }: LogState): Pick<LocalRecord, 'image' | 'work'> {
  return digestsOf(Array.from(parts, ([name, { sha256 }]) => ({ name, sha256 })))
}

/** Whether the newest state in the store is from here: nobody else has continued the task. */
export function isOwn(record: LocalRecord | undefined, { head, writer }: LogState): boolean {
  if (!record || record.isHalf) return false
  return record.tenure?.writer === writer || isSameHead(record.head, head)
}

function recordFile(taskFolder: string): string {
  return join(taskFolder, 'replica.json')
}
