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
 * The root and everything below it, parents first, sorted by name. Opens no file and follows no link. Throws if
 * something cannot be listed, unless `isLenient`.
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

/** Size and last modification, as far as readable. */
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

/** What is at a path. */
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
    // Not readable, so it may contain something.
    return 'folder'
  }
}

/** The text of a link; null for anything else. */
export function linkAt(path: string): string | null {
  return whatIs(path) === 'link' ? readlinkSync(path) : null
}
