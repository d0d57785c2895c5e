import { type BigIntStats, lstatSync, readdirSync, readlinkSync } from 'node:fs'
import { join } from 'node:path'
import { isMissing } from '../platform/error.ts'

export interface Entry {
  readonly path: string
  /** Below the root; empty for the root itself. */
  readonly name: string
  readonly stats: BigIntStats
}

/**
 * Everything below a root, the root first and each folder before what is in it, by name. Only listed: nothing is opened,
 * and links are not followed. What cannot be listed throws, unless `isLenient`.
 */
export function* walkEntries(root: string, isLenient = false, name = ''): Generator<Entry> {
  const path = name === '' ? root : join(root, name)
  let stats: BigIntStats | undefined
  let below: string[] = []
  try {
    stats = lstatSync(path, { bigint: true })
    if (stats.isDirectory()) below = readdirSync(path).sort()
  } catch (error) {
    if (!isLenient) throw error
  }
  if (stats) yield { path, name, stats }
  for (const one of below) yield* walkEntries(root, isLenient, name === '' ? one : join(name, one))
}

export interface Measure {
  readonly bytes: number
  readonly files: number
  readonly updatedAt: string | null
}

/** How much is there and when it was last written, as far as it can be seen. */
export function measure(root: string): Measure {
  let bytes = 0n
  let files = 0
  let newest: bigint | undefined
  for (const { stats } of walkEntries(root, true)) {
    if (stats.isFile()) {
      bytes += stats.size
      files++
    }
    if (newest === undefined || stats.mtimeMs > newest) newest = stats.mtimeMs
  }
  return {
    bytes: Number(bytes),
    files,
    updatedAt: newest === undefined ? null : new Date(Number(newest)).toISOString(),
  }
}

/** What is at a path: nothing there is no error. */
export type What = 'missing' | 'empty folder' | 'folder' | 'link' | 'other'

export function whatIs(path: string): What {
  try {
    const stats = lstatSync(path)
    if (stats.isSymbolicLink()) return 'link'
    if (!stats.isDirectory()) return 'other'
  } catch (error) {
    if (isMissing(error)) return 'missing'
    throw error
  }
  try {
    return readdirSync(path).length === 0 ? 'empty folder' : 'folder'
  } catch {
    // It may not be looked into, so it must be taken for one that holds something.
    return 'folder'
  }
}

/** Where a link leads, as it is written; null for what is no link. */
export function linkAt(path: string): string | null {
  return whatIs(path) === 'link' ? readlinkSync(path) : null
}
