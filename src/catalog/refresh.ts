import { agents } from '../agents/_registry.ts'
import type { Agent, Source } from '../agents/agent.ts'
import { addItem, startSummary } from '../agents/summarise.ts'
import { isProblem, isTransient, type Problem } from '../events/item.ts'
import type { SessionHead } from '../events/session.ts'
import { type ReadContext, readContext } from '../native/read-context.ts'
import { stampOf } from '../native/walk.ts'
import type { Io } from '../platform/io.ts'
import { prefixOf } from '../platform/project.ts'
import { type Database, transaction } from '../platform/sqlite.ts'
import type { Progress, RefreshOptions } from './catalog.ts'
import { type Counted, countSteps } from './line-scan.ts'
import { lateIndexes } from './schema.ts'
import { type FoundSession, SessionStore } from './session-store.ts'
import {
  type KnownSource,
  type ListedFolder,
  lastWritten,
  SourceStore,
  stampedFiles,
  stampText,
} from './source-store.ts'

/** Stores of up to this many sources are compared completely each time: a stat takes about five microseconds. */
const COMPARE_ALL = 2000
/** Of a larger store only the newest: an old session that is continued is noticed by the next full check. */
const HOT = 500
/** Sources that are written together: a commit takes as long as writing a few hundred rows. */
const BATCH = 1000

export interface RefreshResult {
  readonly changed: number
  readonly removed: number
  readonly checked: number
  readonly known: number
}

/**
 * Compares the agents' stores with the index and updates it. In small steps, for callers with other work to do in
 * between; no transaction is open then.
 */
export function* refreshSteps(database: Database, io: Io, options: RefreshOptions): Generator<void, RefreshResult> {
  const refresher = new Refresher(database, io, options)
  for (const agent of agents) {
    if (options.paths) yield* refresher.known(agent, options.paths)
    else yield* refresher.agent(agent, options.extent)
  }
  database.exec(lateIndexes)
  return refresher.result()
}

/** The sources whose files have changed. */
function changedAmong(rows: readonly KnownSource[]): Changed[] {
  return rows.flatMap(({ id, path, stamp }) => {
    const source = { path, files: stampedFiles(path, stamp).flatMap((file) => stampOf(file) ?? []) }
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

  *agent(agent: Agent, extent: RefreshOptions['extent']): Generator<void> {
    const known = this.#sources.count(agent.id)
    const all = extent === 'full' || known <= COMPARE_ALL || this.#sources.foldersChanged(agent.id)
    yield* all ? this.#compareAll(agent) : this.#compareHot(agent, known)
  }

  /** Only the newest sources; unchanged folders have ruled out new and removed files. */
  *#compareHot(agent: Agent, known: number): Generator<void> {
    const rows = this.#sources.hot(agent.id, HOT)
    this.#known += known
    this.#checked += rows.length
    yield* this.#update(agent, changedAmong(rows))
  }

  /** Only these sources, if they are known. */
  *known(agent: Agent, paths: readonly string[]): Generator<void> {
    const rows = this.#sources.at(agent.id, paths)
    this.#known += rows.length
    this.#checked += rows.length
    yield* this.#update(agent, changedAmong(rows))
  }

  *#compareAll(agent: Agent): Generator<void> {
    const folders: ListedFolder[] = []
    const reading = readContext(this.#io, (path, mtime) => folders.push([path, mtime]))
    const known = this.#sources.all(agent.id)
    const changed: Changed[] = []
    const problems: Problem[] = []
    let found = 0
    for (const source of agent.sources(reading)) {
      yield
      if (isProblem(source)) {
        problems.push(source)
        continue
      }
      this.#known++
      this.#checked++
      found++
      const before = known.get(source.path)
      known.delete(source.path)
      if (before?.stamp !== stampText(source)) changed.push({ source, id: before?.id })
    }
    yield* this.#update(agent, changed)
    // The files in a folder that cannot be listed still exist.
    this.#remove(
      agent,
      [...known.values()].filter(({ path }) => !problems.some((one) => path.startsWith(prefixOf(one.path)))),
    )
    this.#sources.setFolders(agent.id, folders, this.#io.now())
    this.#sources.setCount(agent.id, found)
    this.#sources.setListingErrors(agent.id, problems)
  }

  /** Reads changed sources in batches, newest first. One transaction per batch: other processes can write in between. */
  *#update(agent: Agent, changed: readonly Changed[]): Generator<void> {
    const newestFirst = changed
      .map((one) => ({ one, written: lastWritten(one.source) }))
      .sort((a, b) => b.written - a.written)
      .map(({ one }) => one)
    const reading = readContext(this.#io)
    for (let at = 0; at < newestFirst.length; at += BATCH) {
      const batch: { changed: Changed; result: ReadSource }[] = []
      for (const changed of newestFirst.slice(at, at + BATCH)) {
        batch.push({ changed, result: yield* this.#readSource(agent, changed, reading) })
      }
      transaction(this.#database, () => {
        for (const { changed, result } of batch) this.#write(agent, changed, result)
      })
      this.#onProgress?.({ phase: `reading ${agent.title}`, done: at + batch.length, total: newestFirst.length })
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
    if (this.#headsOnly) return { head, summary: startSummary(), scan: undefined, isComplete: true }
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
    let isComplete = true
    for (const item of agent.read(head, reading)) {
      addItem(summary, item)
      if (isProblem(item) && isTransient(item)) isComplete = false
      yield
    }
    return { head, summary, scan: undefined, isComplete }
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
