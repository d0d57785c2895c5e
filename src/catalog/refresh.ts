import { dirname } from 'node:path'
import type { Agent, Source } from '../agents/agent.ts'
import { addItem, startSummary } from '../agents/summarise.ts'
import { isEvent, isProblem, isTransient, type Problem } from '../events/item.ts'
import { type CallEvent, callEvent } from '../events/model-call.ts'
import type { SessionHead } from '../events/session.ts'
import { type ReadContext, readContext } from '../native/read-context.ts'
import { stampOf } from '../native/walk.ts'
import type { Io } from '../platform/io.ts'
import { prefixOf } from '../platform/project.ts'
import { type Database, transaction } from '../platform/sqlite.ts'
import type { Progress, RefreshOptions } from './catalog.ts'
import { type StoreCheck, withFoldersAbove } from './freshness.ts'
import { type Counted, countSteps } from './line-scan.ts'
import { lateIndexes } from './schema.ts'
import { type FoundSession, SessionStore } from './session-store.ts'
import { type KnownSource, type ListedFolder, SourceStore } from './source-store.ts'
import { lastWritten, stampedFiles, stampText } from './stamp.ts'
import { checkStores } from './store-facts.ts'
import { observed, type Surroundings } from './surroundings.ts'

/** Sources that are written together: a commit takes as long as writing a few hundred rows. */
const BATCH = 1000

export interface RefreshResult {
  readonly changed: number
  readonly removed: number
  readonly checked: number
  readonly known: number
}

/**
 * Compares the agents' stores with the index and updates it. In small steps, for callers with other work to do in between; no
 * transaction is open then.
 */
export function* refreshSteps(
  database: Database,
  io: Io,
  agents: readonly Agent[],
  options: RefreshOptions,
): Generator<void, RefreshResult> {
  const refresher = new Refresher(database, io, options)
  if (options.paths) for (const agent of agents) yield* refresher.known(agent, options.paths)
  else if (options.extent === 'full') for (const agent of agents) yield* refresher.all(agent)
  else {
    const ids = agents.map(({ id }) => id)
    const checks = new Map(checkStores(database, io, ids).map((check) => [check.agent, check]))
    for (const agent of agents) yield* refresher.checked(agent, checks.get(agent.id)!)
  }
  database.exec(lateIndexes)
  return refresher.result()
}

/** The same after the stores were checked: the agents of those that are not up to date are enough. */
export function refreshChecked(
  database: Database,
  io: Io,
  agents: readonly Agent[],
  checks: readonly StoreCheck[],
  options: RefreshOptions,
): RefreshResult {
  const refresher = new Refresher(database, io, options)
  for (const agent of agents) {
    for (const check of checks) if (check.agent === agent.id) for (const _step of refresher.checked(agent, check));
  }
  database.exec(lateIndexes)
  return refresher.result()
}

/** The sources whose files have changed. */
function changedAmong(rows: readonly KnownSource[]): Changed[] {
  return rows.flatMap(({ id, path, stamp }) => {
    const source = { path, files: stampedFiles(path, stamp).flatMap(([file]) => stampOf(file) ?? []) }
    return stampText(source) === stamp ? [] : [{ source, id }]
  })
}

class Refresher {
  readonly #database: Database
  readonly #io: Io
  readonly #store: SessionStore
  readonly #sources: SourceStore
  readonly #onProgress: ((progress: Progress) => void) | undefined
  readonly #headsOnly: boolean
  #changed = 0
  #removed = 0
  #checked = 0
  #known = 0

  constructor(database: Database, io: Io, { onProgress, headsOnly = false }: RefreshOptions) {
    this.#database = database
    this.#io = io
    this.#store = new SessionStore(database)
    this.#sources = new SourceStore(database)
    this.#onProgress = onProgress
    this.#headsOnly = headsOnly
  }

  result(): RefreshResult {
    return {
      changed: this.#changed,
      removed: this.#removed,
      checked: this.#checked,
      known: this.#known,
    }
  }

  /** What the check of a store has left to do. */
  *checked(agent: Agent, check: StoreCheck): Generator<void> {
    const { folders } = check
    if (folders === undefined) yield* this.all(agent)
    else if (folders.size > 0) yield* this.#comparePart(agent, check, withFoldersAbove(folders))
    else {
      this.#known += check.known
      this.#checked += check.checked
      yield* this.#update(agent, changedAmong(check.changed))
    }
  }

  /** Only these sources, if they are known. */
  *known(agent: Agent, paths: readonly string[]): Generator<void> {
    const rows = this.#sources.at(agent.id, paths)
    this.#known += rows.length
    this.#checked += rows.length
    yield* this.#update(agent, changedAmong(rows))
  }

  /** Lists the store and compares all of its sources. */
  *all(agent: Agent): Generator<void> {
    const listing = yield* this.#list(agent)
    const known = this.#sources.all(agent.id)
    const { changed, gone } = compared(listing, known)
    this.#known += listing.sources.length
    this.#checked += listing.sources.length
    yield* this.#update(agent, changed)
    this.#remove(agent, gone)
    this.#recordListing(agent, listing, listing.sources.length)
  }

  /**
   * The same, but without what is in folders that are unchanged, as far as the adapter can leave them out: a new file in one
   * of a thousand folders. What the check found is compared there.
   */
  *#comparePart(agent: Agent, check: StoreCheck, touched: ReadonlySet<string>): Generator<void> {
    if (this.#sources.hasListingErrors(agent.id)) return yield* this.all(agent)
    const listed = new Set(this.#sources.folders(agent.id).map(([path]) => path))
    const listing = yield* this.#list(agent, (folder) => listed.has(folder) && !touched.has(folder))
    const known = this.#sources.outside(agent.id, [...listing.skipped])
    const { changed, gone } = compared(listing, known)
    // What is left out could matter to a session that is in two places, or was until now.
    if (listing.skipped.size > 0 && gone.length > 0) return yield* this.all(agent)
    const inSkipped = check.changed.filter(({ path }) => !known.has(path))
    yield* this.#update(agent, [...changed, ...changedAmong(inSkipped)])
    const added = changed.filter(({ id }) => id === undefined).map(({ source }) => source.path)
    if (listing.skipped.size > 0 && this.#sources.hasSecond(agent.id, added)) return yield* this.all(agent)
    this.#remove(agent, gone)
    const count = check.known - known.size + listing.sources.length
    this.#known += count
    this.#checked += Math.min(count, check.checked + listing.sources.length)
    this.#recordListing(agent, listing, count)
  }

  *#list(agent: Agent, isUnchanged?: (folder: string) => boolean): Generator<void, Listing> {
    const folders: ListedFolder[] = []
    const skipped = new Set<string>()
    const { io, seen } = observed(this.#io)
    const reading = readContext(io, {
      onFolder: (path, mtime) => folders.push([path, mtime]),
      ...(isUnchanged
        ? { isUnchanged: (folder: string) => isUnchanged(folder) && skipped.add(folder) !== undefined }
        : {}),
    })
    const sources: Source[] = []
    const problems: Problem[] = []
    for (const source of agent.sources(reading)) {
      yield
      if (isProblem(source)) problems.push(source)
      else sources.push(source)
    }
    return { sources, problems, folders, skipped, seen }
  }

  #recordListing(agent: Agent, { folders, problems, skipped, seen }: Listing, count: number): void {
    const isSkipped = (path: string): boolean => {
      for (let at = path; ; at = dirname(at)) {
        if (skipped.has(at)) return true
        if (at === dirname(at)) return false
      }
    }
    this.#sources.setFolders(agent.id, folders, this.#io.now(), isSkipped)
    this.#sources.setListed(agent.id, count, seen)
    this.#sources.setListingErrors(agent.id, problems)
  }

  /** Reads changed sources in batches. One transaction per batch: other processes can write in between. */
  *#update(agent: Agent, changed: readonly Changed[]): Generator<void> {
    const ordered = newestFoldersFirst(changed)
    const reading = readContext(this.#io)
    for (let at = 0; at < ordered.length; at += BATCH) {
      const batch: { changed: Changed; result: ReadSource }[] = []
      for (const changed of ordered.slice(at, at + BATCH)) {
        batch.push({ changed, result: yield* this.#readSource(agent, changed, reading) })
      }
      transaction(this.#database, () => {
        for (const { changed, result } of batch) this.#write(agent, changed, result)
      })
      this.#onProgress?.({ phase: `reading ${agent.title}`, done: at + batch.length, total: ordered.length })
    }
  }

  /** The heads of a source, and the summaries of the sessions that changed. */
  *#readSource(agent: Agent, { source, id }: Changed, reading: ReadContext): Generator<void, ReadSource> {
    const found = new Map<string, FoundSession>()
    const seen = new Set<string>()
    const known = id === undefined ? undefined : this.#store.known(id)
    const problems: Problem[] = []
    let retry = false
    for (const head of agent.heads(source, reading)) {
      yield
      if (isProblem(head)) {
        problems.push(head)
        continue
      }
      seen.add(head.native_id)
      const before = known?.get(head.native_id)
      // A session that was moved to another folder is the same to some stores.
      if (before?.revision === head.revision && before.cwd === head.cwd) continue
      const { isComplete, ...session } = yield* this.#summarise(agent, head, before?.scan ?? null, reading)
      retry ||= !isComplete
      if (isComplete) found.set(head.native_id, session)
      // Half a session is better than none, but does not replace a complete one.
      else if (!before) found.set(head.native_id, { ...session, head: { ...head, revision: '' } })
    }
    retry ||= problems.some(isTransient) || (problems.length > 0 && seen.size === 0)
    return { found, seen, problems, retry }
  }

  *#summarise(
    agent: Agent,
    head: SessionHead,
    before: string | null,
    reading: ReadContext,
  ): Generator<void, FoundSession & { isComplete: boolean }> {
    if (this.#headsOnly) {
      return { head, summary: startSummary(), scan: undefined, calls: { events: [], isMore: false }, isComplete: true }
    }
    const { scanner } = agent
    if (scanner && (scanner.applies?.(head) ?? true)) {
      try {
        const earlier = before === null ? undefined : (JSON.parse(before) as Counted)
        return { head, ...(yield* countSteps(head.path, scanner, earlier, reading)), isComplete: true }
      } catch {
        // Missing or unreadable by now: reading it reports what is wrong.
      }
    }
    const summary = startSummary()
    const events: CallEvent[] = []
    let isComplete = true
    for (const item of agent.read(head, reading)) {
      addItem(summary, item)
      if (isEvent(item) && item.event.token_usage) events.push(callEvent(item.event))
      if (isProblem(item) && isTransient(item)) isComplete = false
      yield
    }
    return { head, summary, scan: undefined, calls: { events, isMore: false }, isComplete }
  }

  #write(agent: Agent, { source, id: before }: Changed, { found, seen, problems, retry }: ReadSource): void {
    const { id, isNew } = this.#sources.put(agent.id, source, retry)
    const keys = isNew ? undefined : this.#store.keys(id)
    const place = { id, path: source.path, store: agent.id }
    for (const [native_id, session] of found) this.#store.put(place, session, keys?.get(native_id))
    this.#changed += found.size
    if (keys && !retry) this.#keepOnly(keys, seen)
    if (before !== undefined || problems.length) this.#sources.setErrors(agent.id, id, problems)
  }

  /** Deletes the sessions whose native ids are not in `found`. */
  #keepOnly(keys: ReadonlyMap<string, number>, found: ReadonlySet<string>): void {
    for (const [native_id, key] of keys) {
      if (found.has(native_id)) continue
      this.#store.delete(key)
      this.#removed++
    }
  }

  #remove(agent: Agent, gone: readonly KnownSource[]): void {
    if (gone.length === 0) return
    const none = new Set<string>()
    transaction(this.#database, () => {
      for (const { id } of gone) {
        this.#keepOnly(this.#store.keys(id), none)
        this.#sources.remove(agent.id, id)
      }
    })
  }
}

/** What an adapter listed, and what it asked for to do so. */
interface Listing {
  readonly sources: readonly Source[]
  readonly problems: readonly Problem[]
  readonly folders: readonly ListedFolder[]
  /** Folders whose sources it left out, because nothing in them changed. */
  readonly skipped: ReadonlySet<string>
  readonly seen: Surroundings
}

/** Sources that are new or have changed, and those that are known and were not listed. */
function compared(
  { sources, problems }: Listing,
  known: ReadonlyMap<string, KnownSource>,
): { readonly changed: Changed[]; readonly gone: KnownSource[] } {
  const changed = sources.flatMap((source) => {
    const before = known.get(source.path)
    return before?.stamp === stampText(source) ? [] : [{ source, id: before?.id }]
  })
  const listed = new Set(sources.map(({ path }) => path))
  const gone = [...known.values()].filter(
    // The files in a folder that cannot be listed still exist.
    ({ path }) => !listed.has(path) && !problems.some((one) => path.startsWith(prefixOf(one.path))),
  )
  return { changed, gone }
}

/**
 * Folder by folder, the one with the newest source first: what a user worked on last is there first. Not by time alone: paths
 * of one folder are close together in the index of paths, and a batch from all folders would change most of its pages.
 */
function newestFoldersFirst(changed: readonly Changed[]): Changed[] {
  const folders = new Map<string, { newest: number; readonly sources: Changed[] }>()
  for (const one of changed) {
    const folder = dirname(one.source.path)
    const written = lastWritten(one.source)
    const known = folders.get(folder)
    if (known) {
      known.newest = Math.max(known.newest, written)
      known.sources.push(one)
    } else folders.set(folder, { newest: written, sources: [one] })
  }
  return [...folders.values()].sort((a, b) => b.newest - a.newest).flatMap(({ sources }) => sources)
}

interface Changed {
  readonly source: Source
  /** The id of its row; undefined for a new source. */
  readonly id: number | undefined
}

/** What was read from one source. */
interface ReadSource {
  /** The sessions that changed, by their native ids. */
  readonly found: ReadonlyMap<string, FoundSession>
  /** Native ids of all its sessions, changed or not. */
  readonly seen: ReadonlySet<string>
  readonly problems: readonly Problem[]
  /** It could not be read completely: its known sessions stay in the index, and the next run reads it again. */
  readonly retry: boolean
}
