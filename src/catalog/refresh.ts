import { agents } from '../agents/_registry.ts'
import type { Agent, Source } from '../agents/agent.ts'
import { addItem, startSummary } from '../agents/summarise.ts'
import { isProblem, isTransient, type Problem } from '../events/item.ts'
import type { SessionHead } from '../events/session.ts'
import { type ReadContext, readContext } from '../native/read-context.ts'
import { stampOf } from '../native/walk.ts'
import type { Io } from '../platform/io.ts'
import type { Database } from '../platform/sqlite.ts'
import type { Progress, RefreshOptions } from './catalog.ts'
import { transaction } from './connection.ts'
import { type Counted, countSteps } from './line-scan.ts'
import { type FoundSession, SessionStore } from './session-store.ts'
import { lastWritten, stampedFiles, stampText } from './source-stamp.ts'
import { type KnownSource, type ListedFolder, SourceStore } from './source-store.ts'

/** Up to this many sources an agent's store is compared whole each time: a stat takes some five microseconds. */
const COMPARE_ALL = 2000
/** Of a larger store, the newest: an old session that goes on is noticed by the next full check. */
const HOT = 500
const BATCH = 500

export interface RefreshResult {
  readonly changed: number
  readonly removed: number
  readonly checked: number
  readonly known: number
}

/**
 * Compares the stores with the catalogue and takes in what changed: metadata only, texts come after. In small steps, for
 * those who have other things to do in between; no transaction is open then.
 */
export function* refreshSteps(database: Database, io: Io, options: RefreshOptions): Generator<void, RefreshResult> {
  const refresher = new Refresher(database, io, options.onProgress)
  for (const agent of agents) {
    if (options.paths) yield* refresher.known(agent, options.paths)
    else yield* refresher.agent(agent, options.extent)
  }
  return refresher.result()
}

/** Those whose files are not as they were. */
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
  #changed = 0
  #removed = 0
  #checked = 0
  #known = 0

  constructor(database: Database, io: Io, onProgress: ((progress: Progress) => void) | undefined) {
    this.#database = database
    this.#io = io
    this.#store = new SessionStore(database)
    this.#sources = new SourceStore(database)
    this.#onProgress = onProgress
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

  /** The newest sources only; new and removed files were ruled out by their folders. */
  *#compareHot(agent: Agent, known: number): Generator<void> {
    const rows = this.#sources.hot(agent.id, HOT)
    this.#known += known
    this.#checked += rows.length
    yield* this.#take(agent, changedAmong(rows))
  }

  /** Sources that are known already, and nothing else. */
  *known(agent: Agent, paths: readonly string[]): Generator<void> {
    const rows = this.#sources.at(agent.id, paths)
    this.#known += rows.length
    this.#checked += rows.length
    yield* this.#take(agent, changedAmong(rows))
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
    yield* this.#take(agent, changed)
    // What is in a folder that cannot be listed is not gone.
    this.#drop(
      agent,
      [...known.values()].filter(({ path }) => !problems.some((one) => isBelow(path, one.path))),
    )
    this.#sources.noteFolders(agent.id, folders, this.#io.now())
    this.#sources.noteCount(agent.id, found)
    this.#sources.noteListing(agent.id, problems)
  }

  /** Reads the changed sources in batches, newest first, each batch written at once: others may write in between. */
  *#take(agent: Agent, changed: readonly Changed[]): Generator<void> {
    const newestFirst = changed.toSorted((a, b) => lastWritten(b.source) - lastWritten(a.source))
    const reading = readContext(this.#io)
    for (let at = 0; at < newestFirst.length; at += BATCH) {
      const batch: { one: Changed; look: Look }[] = []
      for (const one of newestFirst.slice(at, at + BATCH)) {
        batch.push({ one, look: yield* this.#look(agent, one, reading) })
      }
      transaction(this.#database, () => {
        for (const { one, look } of batch) this.#write(agent, one, look)
      })
      this.#onProgress?.({ phase: `reading ${agent.title}`, done: at + batch.length, total: newestFirst.length })
    }
  }

  /** Heads of a source, and the summaries of those that changed. */
  *#look(agent: Agent, { source, id }: Changed, reading: ReadContext): Generator<void, Look> {
    const found: FoundSession[] = []
    const seen = new Set<string>()
    const problems: Problem[] = []
    let again = false
    for (const head of agent.heads(source, reading)) {
      yield
      if (isProblem(head)) {
        problems.push(head)
        continue
      }
      seen.add(head.native_id)
      const known = id === undefined ? undefined : this.#store.known(id, head)
      if (known?.revision === head.revision) continue
      const { whole, ...session } = yield* this.#summed(agent, head, known?.scan ?? null, reading)
      again ||= !whole
      if (whole) found.push(session)
      // Better half a session than none, but not instead of a whole one.
      else if (!known) found.push({ ...session, head: { ...head, revision: '' } })
    }
    again ||= problems.some(isTransient) || (problems.length > 0 && seen.size === 0)
    return { found, seen, problems, again }
  }

  *#summed(
    agent: Agent,
    head: SessionHead,
    before: string | null,
    reading: ReadContext,
  ): Generator<void, FoundSession & { whole: boolean }> {
    const { scanner } = agent
    if (scanner && (scanner.applies?.(head) ?? true)) {
      try {
        const earlier = before === null ? undefined : (JSON.parse(before) as Counted)
        const counted = yield* countSteps(head.path, scanner, earlier, reading)
        return { head, summary: counted.summary, scan: { mark: counted.mark, state: counted.state }, whole: true }
      } catch {
        // Gone or unreadable by now: reading it tells what is wrong.
      }
    }
    const summary = startSummary()
    let whole = true
    for (const item of agent.read(head, reading)) {
      addItem(summary, item)
      if (isProblem(item) && isTransient(item)) whole = false
      yield
    }
    return { head, summary, scan: undefined, whole }
  }

  #write(agent: Agent, { source, id }: Changed, { found, seen, problems, again }: Look): void {
    const key = this.#sources.put(agent.id, source, again)
    for (const session of found) this.#store.put(key, agent.id, session)
    this.#changed += found.length
    if (id !== undefined && !again) this.#removed += this.#store.keepOnly(id, seen)
    if (id !== undefined || problems.length) this.#sources.noteTrouble(agent.id, key, problems)
  }

  #drop(agent: Agent, gone: readonly KnownSource[]): void {
    if (gone.length === 0) return
    const none = new Set<string>()
    transaction(this.#database, () => {
      for (const { id } of gone) {
        this.#removed += this.#store.keepOnly(id, none)
        this.#sources.forget(agent.id, id)
      }
    })
  }
}

interface Changed {
  readonly source: Source
  /** Of the row it has, when it is not new. */
  readonly id: number | undefined
}

/** What looking at one source gave. */
interface Look {
  readonly found: readonly FoundSession[]
  /** Native ids of all of its sessions, changed or not. */
  readonly seen: ReadonlySet<string>
  readonly problems: readonly Problem[]
  /** It could not be read, or not whole: what was known of it stays, and the next run looks again. */
  readonly again: boolean
}

function isBelow(path: string, folder: string): boolean {
  return path.startsWith(`${folder}/`)
}
