import { existsSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { IonError } from '../platform/error.ts'

/** The value of `--limit`; undefined for 0, which means all. */
export function parseLimit(value: string | undefined, fallback: number): number | undefined {
  if (value === undefined) return fallback
  if (!/^\d{1,9}$/.test(value)) {
    throw new IonError('usage', `invalid --limit "${value}"`, { hint: 'use a whole number; 0 = all' })
  }
  return Number(value) || undefined
}

/** Throws unless the path is a file that can be read. */
export function requireFile(path: string): void {
  const found = statSync(path, { throwIfNoEntry: false })
  if (!found) throw new IonError('not-found', `file ${path} does not exist`, { hint: `ls ${dirname(path)}` })
  if (found.isDirectory()) throw new IonError('usage', `${path} is a folder`, { hint: 'give a file, not a folder' })
}

/** Throws unless the folder of a file to write exists. */
export function requireParentFolder(path: string): void {
  const folder = dirname(path)
  if (!existsSync(folder)) {
    throw new IonError('not-found', `folder ${folder} does not exist`, { hint: `mkdir -p ${folder}` })
  }
}
