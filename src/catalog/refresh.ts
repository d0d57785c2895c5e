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
const BATCH = 500

export interface RefreshResult {
  readonly changed: number
  readonly removed: number
  readonly checked: number
  readonly known: number
}

/**
 * Compares the agents' stores with the index and updates it: metadata only, the text is indexed afterwards. In small
 * steps, for callers with other work to do in between; no transaction is open then.
 */
export function* refreshSteps(database: Database, io: Io, options: RefreshOptions): Generator<void, RefreshResult> {
  const refresher = new Refresher(database, io, options)
  for (const agent of agents) {
    if (options.paths) yield* refresher.known(agent, options.paths)
    else yield* refresher.agent(agent, options.extent)
  }
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
    const newestFirst = changed.toSorted((a, b) => lastWritten(b.source) - lastWritten(a.source))
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
    const found: FoundSession[] = []
    const seen = new Set<string>()
    const problems: Problem[] = []
    let retry = false
    for (const head of agent.heads(source, reading)) {
      yield
      if (isProblem(head)) {
        problems.push(head)
        continue
      }
      seen.add(head.native_id)
      const known = id === undefined ? undefined : this.#store.known(id, head)
      // A session that was moved to another folder is the same to some stores.
      if (known?.revision === head.revision && known.cwd === head.cwd) continue
      const { isComplete, ...session } = yield* this.#summarise(agent, head, known?.scan ?? null, reading)
      retry ||= !isComplete
      if (isComplete) found.push(session)
      // Half a session is better than none, but does not replace a complete one.
      else if (!known) found.push({ ...session, head: { ...head, revision: '' } })
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
        const counted = yield* countSteps(head.path, scanner, earlier, reading)
        return { head, summary: counted.summary, scan: { mark: counted.mark, state: counted.state }, isComplete: true }
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

  #write(agent: Agent, { source, id }: Changed, { found, seen, problems, retry }: ReadSource): void {
    const key = this.#sources.put(agent.id, source, retry)
    for (const session of found) this.#store.put(key, agent.id, session)
    this.#changed += found.length
    if (id !== undefined && !retry) this.#removed += this.#store.keepOnly(id, seen)
    if (id !== undefined || problems.length) this.#sources.setErrors(agent.id, key, problems)
  }

  #remove(agent: Agent, gone: readonly KnownSource[]): void {
    if (gone.length === 0) return
    const none = new Set<string>()
    transaction(this.#database, () => {
      for (const { id } of gone) {
        this.#removed += this.#store.keepOnly(id, none)
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
  readonly found: readonly FoundSession[]
  /** Native ids of all its sessions, changed or not. */
  readonly seen: ReadonlySet<string>
  readonly problems: readonly Problem[]
  /** It could not be read completely: its known sessions stay in the index, and the next run reads it again. */
  readonly retry: boolean
}
