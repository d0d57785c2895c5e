import { type Stats, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { changeTime } from '../platform/change-time.ts'
import type { Io } from '../platform/io.ts'
import type { KnownSource } from './source-store.ts'
import { isRetry, stampedFiles, stampNumbers } from './stamp.ts'
import { isUnchanged, type Surroundings } from './surroundings.ts'

/**
 * Whether the index is up to date, decided without any adapter: listing a store reports the folders and files it looked at, and
 * what it asked of the environment (surroundings.ts). As long as all of that is the same, so is the list of sources. This is the
 * part of a list that is paid each time, so it must not load more than this file.
 */

/** All that the comparison takes from the index; see store-facts.ts. */
export interface StoreFacts {
  readonly stores: readonly {
    readonly agent: string
    /** Sources as of the last listing. */
    readonly known: number
    /** What listing it asked of the environment; undefined: it was not listed yet. */
    readonly seen: Surroundings | undefined
    /** Some folder could not be listed. Who may read it is not in its time. */
    readonly hasListingErrors: boolean
  }[]
  readonly folders: readonly { readonly agent: string; readonly path: string; readonly mtime: number }[]
  /** Those to compare. */
  readonly sources: readonly AgentSource[]
  /** When everything was last compared, and how many sources may be compared now because of that. */
  readonly fullCheckAt: string | null
  readonly limit: number
}

export interface AgentSource extends KnownSource {
  readonly agent: string
}

export interface StoreCheck {
  readonly agent: string
  /** Sources as of the last listing, and how many of them were compared now. */
  readonly known: number
  readonly checked: number
  /** Sources with files that have changed. */
  readonly changed: readonly KnownSource[]
  /** Folders that have changed since they were listed; undefined: everything must be listed again. */
  readonly folders: ReadonlySet<string> | undefined
}

export function isFresh({ changed, folders }: StoreCheck): boolean {
  return changed.length === 0 && folders?.size === 0
}

/** How many sources are known, and how many of them were compared. */
export function sumOf(checks: readonly StoreCheck[]): { readonly known: number; readonly checked: number } {
  return {
    known: checks.reduce((sum, { known }) => sum + known, 0),
    checked: checks.reduce((sum, { checked }) => sum + checked, 0),
  }
}

/** Compares the stores with what the index knows of them. */
export function compareStores({ stores, folders, sources }: StoreFacts, io: Io): StoreCheck[] {
  const touched = new Map(stores.map(({ agent }) => [agent, new Set<string>()]))
  /** Agents whose stores must be listed completely. */
  const uncertain = new Set(stores.filter((store) => store.hasListingErrors).map(({ agent }) => agent))
  for (const { agent, path, isFolder } of changedPaths(folders)) {
    touched.get(agent)?.add(path)
    if (!isFolder) uncertain.add(agent)
  }
  const compared = new Map(stores.map(({ agent }) => [agent, { checked: 0, changed: [] as KnownSource[] }]))
  for (const source of sources) {
    const of = compared.get(source.agent)
    if (!of) continue
    of.checked++
    const state = compare(source)
    if (state === 'same') continue
    of.changed.push(source)
    if (state === 'missing') uncertain.add(source.agent)
  }
  return stores.map(({ agent, known, seen }) => ({
    agent,
    known,
    ...compared.get(agent)!,
    folders: seen !== undefined && !uncertain.has(agent) && isUnchanged(seen, io) ? touched.get(agent) : undefined,
  }))
}

/** A file decides about more than what is in its folder, and so may a folder that is gone. */
function changedPaths(
  folders: StoreFacts['folders'],
): { readonly agent: string; readonly path: string; readonly isFolder: boolean }[] {
  return folders.flatMap(({ agent, path, mtime }) => {
    const stat = statOf(path)
    return (stat ? changeTime(stat) : 0) === mtime ? [] : [{ agent, path, isFolder: stat?.isDirectory() ?? false }]
  })
}

function statOf(path: string): Stats | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false })
  } catch {
    return undefined
  }
}

function compare({ path, stamp }: KnownSource): 'same' | 'other' | 'missing' {
  let isSame = !isRetry(stamp)
  for (const [file, expected] of stampedFiles(path, stamp)) {
    const stat = statOf(file)
    if (stat === undefined) return 'missing'
    isSame &&= stampNumbers(stat) === expected
  }
  return isSame ? 'same' : 'other'
}

/** All folders above these paths, with the paths themselves. */
export function withFoldersAbove(paths: ReadonlySet<string>): Set<string> {
  const all = new Set<string>()
  for (const path of paths) {
    for (let at = path; !all.has(at); at = dirname(at)) all.add(at)
  }
  return all
}
