import type { LineScanner } from '../agents/line-scanner.ts'
import { passageOf, roles } from '../agents/passage.ts'
import { isProblem, isTransient } from '../events/item.ts'
import { type ReadContext, readContext } from '../native/read-context.ts'
import { attempt } from '../platform/error.ts'
import type { Io } from '../platform/io.ts'
import { livingProcess } from '../platform/process.ts'
import { type Database, type Statement, transaction } from '../platform/sqlite.ts'
import type { Progress } from './catalog.ts'
import { getMeta, setMeta } from './connection.ts'
import { type Bookmark, bookmarkAt, linePassages, type PlacedPassage, validBookmark } from './line-scan.ts'
import { PassageIds, TITLE_PLACE } from './passages.ts'
import { type Located, readSession, storeAgent } from './read-session.ts'
import { locatedOf, NOT_A_COPY, type StoredSession, storedColumns } from './stored-session.ts'

/** Text buffered before it is written: large enough for full batches, small enough for bounded memory. */
const BATCH_CHARACTERS = 4 * 1024 * 1024
/** Texts per batch for callers that must not block. */
const GENTLE_ROWS = 500

/** Only one process at a time indexes text. Its lock is renewed with each batch; a stale one is taken over. */
const LOCK = 'indexing'
const STALE_MS = 60_000

interface IndexLock {
  readonly pid: number
  readonly at: number
}

/** False if another living process is indexing. */
function takeLock(database: Database, io: Io): boolean {
  return transaction(database, () => {
    const value = getMeta(database, LOCK)
    const lock = value === undefined ? undefined : (JSON.parse(value) as IndexLock)
    const isHeld = lock && lock.pid !== process.pid && livingProcess(lock.pid) !== undefined
    if (isHeld && io.now().getTime() - lock.at < STALE_MS) return false
    renewLock(database, io)
    return true
  })
}

/** Within the transaction of the caller. */
function renewLock(database: Database, io: Io): void {
  const lock: IndexLock = { pid: process.pid, at: io.now().getTime() }
  setMeta(database, LOCK, JSON.stringify(lock))
}

function releaseLock(database: Database): void {
  database.prepare('DELETE FROM meta WHERE key = ?').run(LOCK)
}

interface PendingSession extends StoredSession {
  readonly text_revision: string | null
  readonly text_scan: string | null
}

export interface TextIndexOptions {
  readonly onProgress: ((progress: Progress) => void) | undefined
  /** Maximum number of sessions, for callers that index between keystrokes. */
  readonly limit?: number
  /** Skip larger sessions. */
  readonly maxBytes?: number
  readonly gentle?: boolean
}

/**
 * Indexes the text of all sessions that are not indexed yet, newest first. If another process is doing so, nothing is
 * done: `countUnindexed` says what is missing. In small steps, with no transaction open in between.
 */
export function* indexSteps(database: Database, io: Io, options: TextIndexOptions): Generator<void> {
  if (!takeLock(database, io)) return
  try {
    yield* indexPending(database, io, options)
  } finally {
    releaseLock(database)
  }
}

function* indexPending(database: Database, io: Io, options: TextIndexOptions): Generator<void> {
  const pending = database
    .prepare(
      `SELECT ${storedColumns}, text_revision, text_scan FROM session
       WHERE text_revision IS NOT revision AND bytes <= ? ORDER BY updated_at DESC LIMIT ?`,
    )
    .all(options.maxBytes ?? Number.MAX_SAFE_INTEGER, options.limit ?? -1) as PendingSession[]
  if (pending.length === 0) return
  const most = options.gentle ? GENTLE_ROWS : Number.POSITIVE_INFINITY
  const writer = new TextWriter(database, most, () => renewLock(database, io))
  for (const [index, session] of pending.entries()) {
    yield* addSession(writer, session, io)
    options.onProgress?.({ phase: 'indexing text', done: index + 1, total: pending.length })
  }
  writer.flush()
}

/** `copies: false`: without archived copies of sessions that their agents have. */
export function countUnindexed(
  database: Database,
  { maxBytes = Number.MAX_SAFE_INTEGER, copies = true }: { readonly maxBytes?: number; readonly copies?: boolean } = {},
): number {
  const pending = 'FROM session INDEXED BY session_unindexed WHERE text_revision IS NOT revision AND bytes <= ?'
  const row = database.prepare(`SELECT count(*) AS n ${pending} ${copies ? '' : `AND ${NOT_A_COPY}`}`).get(maxBytes)
  return (row as { n: number }).n
}

/** A session that cannot be read at the moment (deleted, locked) stays unindexed. */
function* addSession(writer: TextWriter, session: PendingSession, io: Io): Generator<void> {
  const reading = readContext(io)
  const located = locatedOf(session)
  const { path } = located.head
  const { scanner } = storeAgent(located)
  const isScanned = scanner && (scanner.applies?.(located.head) ?? true)
  const before = session.text_scan === null ? undefined : (JSON.parse(session.text_scan) as Bookmark)
  const from = (isScanned && attempt(() => validBookmark(path, before, reading))?.offset) || 0
  const texts = isScanned ? scannedTexts(path, scanner, from, reading) : readTexts(located, io, reading)
  writer.begin(session, from)
  for (;;) {
    // Only reading may fail silently; a failure to write is an error.
    const step = attempt(() => texts.next())
    if (!step) return
    if (step.done) return writer.end(step.value)
    writer.add(step.value)
    yield
  }
}

/** Returns where it stopped. */
function* scannedTexts(
  path: string,
  scanner: LineScanner,
  from: number,
  reading: ReadContext,
): Generator<PlacedPassage, string> {
  const end = yield* linePassages(path, scanner, from, reading)
  return JSON.stringify(bookmarkAt(path, end, reading))
}

function* readTexts(located: Located, io: Io, reading: ReadContext): Generator<PlacedPassage, null> {
  for (const item of readSession(located, io, reading)) {
    if (isProblem(item) && isTransient(item)) throw new Error(item.problem)
    const passage = isProblem(item) ? undefined : passageOf(item.event)
    if (passage && !isProblem(item)) yield { passage, place: item.event.seq }
  }
  return null
}

interface Row extends PlacedPassage {
  /** The lowest id for its time. */
  readonly id: number
  readonly session: number
}

/** Buffers texts and writes them in batches ordered by time: FTS5 is fastest when row ids only grow. */
class TextWriter {
  readonly #database: Database
  readonly #insertPassage: Statement
  readonly #insertText: Statement
  readonly #done: Statement
  readonly #has: Statement
  readonly #beforeFlush: () => void
  readonly #most: number
  readonly #ids = new PassageIds()
  #rows: Row[] = []
  #finished: { session: PendingSession; scan: string | null }[] = []
  #characters = 0
  #current: PendingSession | undefined

  constructor(database: Database, most: number, beforeFlush: () => void) {
    this.#database = database
    this.#most = most
    this.#beforeFlush = beforeFlush
    this.#has = database.prepare('SELECT 1 FROM passage WHERE session = ? LIMIT 1')
    this.#insertPassage = database.prepare(
      'INSERT OR IGNORE INTO passage(id, session, place, role) VALUES (?, ?, ?, ?)',
    )
    this.#insertText = database.prepare('INSERT INTO passage_fts(rowid, text) VALUES (?, ?)')
    this.#done = database.prepare('UPDATE session SET text_revision = ?, text_scan = ? WHERE key = ?')
  }

  /** `from`: where its unindexed text begins; what an interrupted run wrote from there on is deleted. */
  begin(session: PendingSession, from: number): void {
    this.#current = session
    if (this.#has.get(session.key)) transaction(this.#database, () => this.#remove(session.key, from))
    if (session.title === null) return
    const time = session.updated_at ?? ''
    this.add({ passage: { role: 'title', text: session.title, time, cut: false }, place: TITLE_PLACE })
  }

  add(placed: PlacedPassage): void {
    const session = this.#current!
    const { passage, place } = placed
    this.#rows.push({ id: this.#ids.first(passage.time), session: session.key, place, passage })
    this.#characters += placed.passage.text.length
    if (this.#characters > BATCH_CHARACTERS || this.#rows.length >= this.#most) this.flush()
  }

  end(scan: string | null): void {
    this.#finished.push({ session: this.#current!, scan })
  }

  flush(): void {
    const rows = this.#rows.sort((a, b) => a.id - b.id)
    transaction(this.#database, () => {
      this.#beforeFlush()
      let next = 0
      for (const { id, session, place, passage } of rows) {
        next = Math.max(id, next)
        // The id may be taken by another text of the same second: the next free one is as good. Where very many texts
        // have the same time, or none, it is found in increasing steps.
        for (let taken = 0; ; next += 1 + (++taken >> 4)) {
          if (this.#insertPassage.run(next, session, place, roles.indexOf(passage.role)).changes !== 0) break
        }
        this.#insertText.run(next, passage.text)
        next++
      }
      for (const { session, scan } of this.#finished) this.#done.run(session.revision, scan, session.key)
    })
    this.#rows = []
    this.#finished = []
    this.#characters = 0
  }

  #remove(key: number, from: number): void {
    const removed = 'SELECT id FROM passage WHERE session = ? AND (place >= ? OR place = ?)'
    this.#database.prepare(`DELETE FROM passage_fts WHERE rowid IN (${removed})`).run(key, from, TITLE_PLACE)
    this.#database.prepare(`DELETE FROM passage WHERE id IN (${removed})`).run(key, from, TITLE_PLACE)
  }
}
