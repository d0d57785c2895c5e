import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parsedObject } from '../native/narrow.ts'
import { replaceFile } from '../platform/atomic-file.ts'
import { attempt } from '../platform/error.ts'
import { isText } from '../vault/validate.ts'
import { type Head, isHead } from './log/record.ts'
import type { Image } from './log/write-log.ts'

/** What this home knows of a task's replica. Without it, the store is asked. */
export interface LocalRecord {
  readonly address: string
  /** The task's own prefix in the store. */
  readonly folder: string
  /** The last record that was stored from here, or restored here. */
  readonly head: Head
  /** Of the task as it was then: another one means that it was used since. */
  readonly image: string
  /** When old states were last removed from here. */
  readonly pruned?: string | undefined
}

export function readLocalRecord(taskFolder: string, address: string): LocalRecord | undefined {
  const record = parsedObject(attempt(() => readFileSync(recordFile(taskFolder), 'utf8')))
  const { folder, head, image, pruned } = record ?? {}
  if (record?.address !== address || !isText(folder) || !isHead(head) || !isText(image)) return undefined
  return { address, folder, head, image, ...(isText(pruned) ? { pruned } : {}) }
}

export function writeLocalRecord(taskFolder: string, record: LocalRecord): void {
  replaceFile(recordFile(taskFolder), `${JSON.stringify(record)}\n`)
}

export function imageDigest({ parts }: Image): string {
  const lines = parts.map(({ name, sha256 }) => `${sha256} ${name}`).sort()
  return createHash('sha256').update(lines.join('\n')).digest('hex')
}

function recordFile(taskFolder: string): string {
  return join(taskFolder, 'replica.json')
}
