import { type Stats, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { changeTime } from '../platform/change-time.ts'
import type { Io } from '../platform/io.ts'
import type { Database } from '../platform/sqlite.ts'
import { FULL_CHECK, isFullCheckDue } from './full-check.ts'
import type { KnownSource } from './source-store.ts'
import { isMarkedForRetry, isRetry, stampedFiles, stampNumbers } from './stamp.ts'
import { isUnchanged, type Surroundings } from './surroundings.ts'

/**
 * Whether the index is up to date, decided without any adapter: listing a store reports the folders and files it looked at, and
 * what it asked of the environment (surroundings.ts). As long as all of that is the same, so is the list of sources. This is the
 * part of a list that is paid each time, so it must not load more than this file.
 */

/** Up to this many sources, of the smaller stores first, are compared each time: some eight microseconds for each. */
const COMPARE_ALL = 250
/** And up to this many if they were not for a while: an old session that is continued is soon noticed. */
const COMPARE_ALL_WHEN_DUE = 5000
/** Of larger stores the newest: an old session that is continued is noticed by the next full check, */
const NEWEST = 100
/** or when it is among those that happen to be compared too. */
const OTHERS = 20

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

/** Compares the stores of these agents with what the index knows of them. */
export function checkStores(database: Database, io: Io, agents: readonly string[]): StoreCheck[] {
  const meta = metaValues(database)
  const known = new Map(agents.map((agent) => [agent, Number(meta.get(countKey(agent)) ?? 0)]))
  const folders = new Map(agents.map((agent) => [agent, new Set<string>()]))
  /** Agents whose stores must be listed completely. */
  const uncertain = agentsWithListingErrors(database)
  for (const { agent, path, isFolder } of changedPaths(database)) {
    folders.get(agent)?.add(path)
    if (!isFolder) uncertain.add(agent)
  }
  const compared = new Map(agents.map((agent) => [agent, { checked: 0, changed: [] as KnownSource[] }]))
  const limit = isFullCheckDue(meta.get(FULL_CHECK), io) ? COMPARE_ALL_WHEN_DUE : COMPARE_ALL
  for (const source of sourcesToCompare(database, known, limit, io)) {
    const of = compared.get(source.agent)
    if (!of) continue
    of.checked++
    const state = compare(source)
    if (state === 'same') continue
    of.changed.push(source)
    if (state === 'missing') uncertain.add(source.agent)
  }
  return agents.map((agent) => {
    const seen = meta.get(surroundingsKey(agent))
    const isComparable =
      seen !== undefined && !uncertain.has(agent) && isUnchanged(JSON.parse(seen) as Surroundings, io)
    return {
      agent,
      known: known.get(agent)!,
      ...compared.get(agent)!,
      folders: isComparable ? folders.get(agent) : undefined,
    }
  })
}

export function countKey(agent: string): string {
  return `sources:${agent}`
}

export function surroundingsKey(agent: string): string {
  return `surroundings:${agent}`
}

function metaValues(database: Database): Map<string, string> {
  const rows = database.prepare('SELECT key, value FROM meta').all() as { key: string; value: string }[]
  return new Map(rows.map(({ key, value }) => [key, value]))
}

/** A file decides about more than what is in its folder, and so may a folder that is gone. */
function changedPaths(
  database: Database,
): { readonly agent: string; readonly path: string; readonly isFolder: boolean }[] {
  const rows = database.prepare('SELECT agent, path, mtime FROM folder').all()
  return (rows as { agent: string; path: string; mtime: number }[]).flatMap(({ agent, path, mtime }) => {
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

/** Who may read a folder is not in its time. */
function agentsWithListingErrors(database: Database): Set<string> {
  const rows = database
    .prepare('SELECT DISTINCT agent FROM source_error WHERE source = 0 AND errno IS NOT NULL')
    .all() as { agent: string }[]
  return new Set(rows.map(({ agent }) => agent))
}

interface AgentSource extends KnownSource {
  readonly agent: string
}

function sourcesToCompare(
  database: Database,
  known: ReadonlyMap<string, number>,
  limit: number,
  io: Io,
): AgentSource[] {
  const columns = 'source.id, source.agent, source.path, source.stamp'
  const large = new Set(known.keys())
  let left = limit
  for (const [agent, count] of [...known].sort(([, a], [, b]) => a - b)) {
    if (count > left) break
    left -= count
    large.delete(agent)
  }
  const small = [...known.keys()].filter((agent) => !large.has(agent))
  const places = small.map(() => '?').join(', ')
  const found = database
    .prepare(`SELECT ${columns} FROM source WHERE agent IN (${places})`)
    .all(...small) as AgentSource[]
  if (large.size === 0) return found
  const newest = database
    .prepare(
      `SELECT ${columns} FROM (SELECT source FROM session ORDER BY updated_at DESC LIMIT ${NEWEST}) AS newest
       JOIN source ON source.id = newest.source`,
    )
    .all()
  const failed = database.prepare(`SELECT ${columns} FROM source WHERE ${isMarkedForRetry}`).all()
  const others = database
    .prepare(`SELECT ${columns} FROM source WHERE id >= (SELECT max(id) FROM source) * ? ORDER BY id LIMIT ${OTHERS}`)
    .all(someShare(io.now()))
  const further = ([...newest, ...failed, ...others] as AgentSource[]).filter(({ agent }) => large.has(agent))
  return [...found, ...new Map(further.map((source) => [source.id, source])).values()]
}

/** Another number between 0 and 1 at each time, spread evenly. */
function someShare(now: Date): number {
  return (now.getTime() * 0.618033988749895) % 1
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
