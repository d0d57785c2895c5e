import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parsedObject } from '../native/narrow.ts'
import { replaceFile } from '../platform/atomic-file.ts'
import { attempt } from '../platform/error.ts'
import { isCount, isText } from '../vault/validate.ts'
import { PROMPT_PARTS, SESSION_PARTS } from './image-about.ts'
import { type Head, isHead, isSameHead } from './log/record.ts'
import type { LogState } from './log/state.ts'

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
}

/** `store`: the id that it must have; undefined before it is known. */
export function readLocalRecord(taskFolder: string, address: string, store?: string): LocalRecord | undefined {
  const record = parsedObject(attempt(() => readFileSync(recordFile(taskFolder), 'utf8')))
  const { folder, head, image, work, tenure, isHalf, pruned } = record ?? {}
  const { epoch, writer } = Object(tenure) as Record<string, unknown>
  if (record?.address !== address || ![record.store, folder, image, work].every(isText)) return undefined
  if (store !== undefined && record.store !== store) return undefined
  if (!(head === null || isHead(head)) || typeof isHalf !== 'boolean') return undefined
  return {
    address,
    store: record.store as string,
    folder: folder as string,
    head,
    image: image as string,
    work: work as string,
    isHalf,
    tenure: isCount(epoch) && isText(writer) ? { epoch, writer } : null,
    ...(isText(pruned) ? { pruned } : {}),
  }
}

export function writeLocalRecord(taskFolder: string, record: LocalRecord): void {
  replaceFile(recordFile(taskFolder), `${JSON.stringify(record)}\n`)
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
