import { statSync } from 'node:fs'
import { agents } from '../agents/_registry.ts'
import type { Agent, Source } from '../agents/agent.ts'
import { addItem, startSummary } from '../agents/summarise.ts'
import { isPassing, isProblem, type Problem } from '../events/item.ts'
import type { SessionHead } from '../events/session.ts'
import { type Reading, startReading } from '../native/reading.ts'
import { stampOf } from '../native/walk.ts'
import type { Io } from '../platform/io.ts'
import type { Database, Statement } from '../platform/sqlite.ts'
import type { Progress, RefreshOptions } from './catalog.ts'
import { transaction } from './connection.ts'
import { type Counted, countSteps } from './line-scan.ts'
import { type FoundSession, SessionStore } from './session-store.ts'
import { AGAIN, lastWritten, stampedFiles, stampText } from './source-stamp.ts'

/** Up to this many sources an agent's store is compared whole each time: a stat takes some five microseconds. */
const COMPARE_ALL = 2000
/** Of a larger store, the newest: an old session that goes on is noticed by the next full check. */
const HOT = 500
/** A folder that changed within this time of our look may change again unseen: its clock may be coarse. */
const SETTLED_MS = 2000
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

interface KnownSource {
  readonly id: number
  readonly path: string
  readonly stamp: string
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
  readonly #putSource: Statement
  readonly #clearTrouble: Statement
  readonly #putTrouble: Statement
  readonly #onProgress: ((progress: Progress) => void) | undefined
  #changed = 0
  #removed = 0
  #checked = 0
  #known = 0

  constructor(database: Database, io: Io, onProgress: ((progress: Progress) => void) | undefined) {
    this.#database = database
    this.#io = io
    this.#store = new SessionStore(database)
    this.#putSource = database.prepare(
      `INSERT INTO source(agent, path, stamp) VALUES (?, ?, ?)
       ON CONFLICT(agent, path) DO UPDATE SET stamp = excluded.stamp RETURNING id`,
    )
    this.#clearTrouble = database.prepare('DELETE FROM trouble WHERE source = ? AND agent = ?')
    this.#putTrouble = database.prepare('INSERT INTO trouble(agent, source, path, problem) VALUES (?, ?, ?, ?)')
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
    const known = this.#sourceCount(agent)
    const all = extent === 'full' || known <= COMPARE_ALL || this.#foldersChanged(agent)
    yield* all ? this.#compareAll(agent) : this.#compareHot(agent, known)
  }

  /** As the last full comparison noted it: counting a hundred thousand rows would take longer than all the rest. */
  #sourceCount(agent: Agent): number {
    const row = this.#database.prepare('SELECT value FROM note WHERE key = ?').get(`sources:${agent.id}`)
    return Number((row as { value: string } | undefined)?.value ?? 0)
  }

  #foldersChanged(agent: Agent): boolean {
    const rows = this.#database.prepare('SELECT path, mtime FROM folder WHERE agent = ?').all(agent.id)
    return (rows as { path: string; mtime: number }[]).some(({ path, mtime }) => folderTime(path) !== mtime)
  }

  /** The newest sources only; new and removed files were ruled out by their folders. */
  *#compareHot(agent: Agent, known: number): Generator<void> {
    const newest = this.#database
      .prepare(
        `SELECT source.id, source.path, source.stamp FROM session JOIN source ON source.id = session.source
         WHERE session.store = ? ORDER BY session.updated_at DESC LIMIT ${HOT}`,
      )
      .all(agent.id) as KnownSource[]
    const failed = this.#database
      .prepare(`SELECT id, path, stamp FROM source WHERE agent = ? AND stamp >= '${AGAIN}' AND stamp < '0'`)
      .all(agent.id) as KnownSource[]
    const rows = [...new Map([...newest, ...failed].map((row) => [row.id, row])).values()]
    this.#known += known
    this.#checked += rows.length
    yield* this.#take(agent, changedAmong(rows))
  }

  /** Sources that are known already, and nothing else. */
  *known(agent: Agent, paths: readonly string[]): Generator<void> {
    const find = this.#database.prepare('SELECT id, path, stamp FROM source WHERE agent = ? AND path = ?')
    const rows = paths.flatMap((path) => find.all(agent.id, path) as KnownSource[])
    this.#known += rows.length
    this.#checked += rows.length
    yield* this.#take(agent, changedAmong(rows))
  }

  *#compareAll(agent: Agent): Generator<void> {
    const folders: [string, number][] = []
    const reading = startReading(this.#io, (path, mtime) => folders.push([path, mtime]))
    const known = this.#knownSources(agent)
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
    this.#noteFolders(agent, folders)
    this.#noteCount(agent, found)
    this.#noteListing(agent, problems)
  }

  #knownSources(agent: Agent): Map<string, KnownSource> {
    const rows = this.#database.prepare('SELECT id, path, stamp FROM source WHERE agent = ?').iterate(agent.id)
    const known = new Map<string, KnownSource>()
    for (const row of rows as Iterable<KnownSource>) known.set(row.path, row)
    return known
  }

  /** Reads the changed sources in batches, newest first, each batch written at once: others may write in between. */
  *#take(agent: Agent, changed: readonly Changed[]): Generator<void> {
    const newestFirst = changed.toSorted((a, b) => lastWritten(b.source) - lastWritten(a.source))
    const reading = startReading(this.#io)
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
  *#look(agent: Agent, { source, id }: Changed, reading: Reading): Generator<void, Look> {
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
    again ||= problems.some(isPassing) || (problems.length > 0 && seen.size === 0)
    return { found, seen, problems, again }
  }

  *#summed(
    agent: Agent,
    head: SessionHead,
    before: string | null,
    reading: Reading,
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
      if (isProblem(item) && isPassing(item)) whole = false
      yield
    }
    return { head, summary, scan: undefined, whole }
  }

  #write(agent: Agent, { source, id }: Changed, { found, seen, problems, again }: Look): void {
    const stamp = again ? AGAIN + stampText(source) : stampText(source)
    const row = this.#putSource.get(agent.id, source.path, stamp) as { id: number }
    for (const session of found) this.#store.put(row.id, agent.id, session)
    this.#changed += found.length
    if (id !== undefined && !again) this.#removed += this.#store.keepOnly(id, seen)
    if (id !== undefined || problems.length) this.#trouble(agent, row.id, problems)
  }

  #drop(agent: Agent, gone: readonly KnownSource[]): void {
    if (gone.length === 0) return
    const none = new Set<string>()
    const forget = this.#database.prepare('DELETE FROM source WHERE id = ?')
    transaction(this.#database, () => {
      for (const { id } of gone) {
        this.#removed += this.#store.keepOnly(id, none)
        forget.run(id)
        this.#clearTrouble.run(id, agent.id)
      }
    })
  }

  #noteFolders(agent: Agent, folders: readonly [string, number][]): void {
    const known = this.#database.prepare('SELECT path, mtime FROM folder WHERE agent = ?').all(agent.id)
    const settled = this.#io.now().getTime() - SETTLED_MS
    const wanted = folders.map(([path, mtime]) => ({ path, mtime: mtime > settled ? -1 : mtime }))
    if (sameFolders(known as { path: string; mtime: number }[], wanted)) return
    const insert = this.#database.prepare('INSERT OR REPLACE INTO folder(agent, path, mtime) VALUES (?, ?, ?)')
    transaction(this.#database, () => {
      this.#database.prepare('DELETE FROM folder WHERE agent = ?').run(agent.id)
      for (const { path, mtime } of wanted) insert.run(agent.id, path, mtime)
    })
  }

  #noteCount(agent: Agent, found: number): void {
    if (this.#sourceCount(agent) === found) return
    const note = this.#database.prepare('INSERT OR REPLACE INTO note(key, value) VALUES (?, ?)')
    note.run(`sources:${agent.id}`, String(found))
  }

  #noteListing(agent: Agent, problems: readonly Problem[]): void {
    const known = this.#database
      .prepare('SELECT count(*) AS n FROM trouble WHERE source = 0 AND agent = ?')
      .get(agent.id)
    if (problems.length === 0 && (known as { n: number }).n === 0) return
    transaction(this.#database, () => this.#trouble(agent, 0, problems))
  }

  #trouble(agent: Agent, source: number, problems: readonly Problem[]): void {
    this.#clearTrouble.run(source, agent.id)
    for (const { path, problem } of problems) this.#putTrouble.run(agent.id, source, path, problem)
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

function sameFolders(known: readonly { path: string; mtime: number }[], wanted: typeof known): boolean {
  const times = new Map(wanted.map(({ path, mtime }) => [path, mtime]))
  return known.length === times.size && known.every(({ path, mtime }) => times.get(path) === mtime)
}

function isBelow(path: string, folder: string): boolean {
  return path.startsWith(`${folder}/`)
}

function folderTime(path: string): number {
  try {
    return statSync(path).mtimeMs
  } catch {
    return 0
  }
}
