import { closeSync, constants, existsSync, fsyncSync, openSync, readSync, renameSync, rmSync, statSync } from 'node:fs'
import { basename, dirname } from 'node:path'
import type { Agent } from '../agents/agent.ts'
import type { BackupSpec } from '../agents/backup.ts'
import { withDatabaseFile } from '../native/database.ts'
import { openRegularFile } from '../native/regular-file.ts'
import { privateFolder, syncFolder, writeAll } from '../platform/atomic-file.ts'
import { IonError } from '../platform/error.ts'
import type { Io } from '../platform/io.ts'
import type { KeptFilePart, KeptPart } from './manifest.ts'
import { placeOf } from './part-content.ts'
import { type Move, movedContent } from './path-rewrite.ts'
import { type KeptRows, parseRows, putRows } from './restore-rows.ts'
import { removeStale, stagedIn } from './staging-file.ts'

export interface RestoreOrder {
  readonly agent: Agent
  readonly native_id: string
  readonly cwd: string | null
  readonly parts: readonly KeptPart[]
  /** The content of a part; throws when it is not what was kept. */
  readonly content: (part: KeptPart) => Iterable<Buffer>
  /** Where to: of another home, all that the agent would look at there. */
  readonly io: Io
  /** Something else of the session may be there, and has been kept. */
  readonly replace?: boolean
  /** Folders are elsewhere than they were. */
  readonly move?: Move
}

/** What became of a part. */
export interface RestoreResult {
  readonly path: string
  readonly act: 'written' | 'same' | 'completed' | 'replaced'
  /** For rows in a database. */
  readonly rows?: number
}

/**
 * Puts a session back where the agent looks. First everything is read and checked, then it is written beside its place,
 * and only then it is put there: what fails before changes nothing, and what is killed in between is finished by the next.
 * Times of files are not put back: some agents delete what is old.
 */
export function restore(order: RestoreOrder): RestoreResult[] {
  const keep = order.agent.backup
  if (!keep) throw new IonError('usage', `sessions of ${order.agent.title} cannot be put back`)
  refuseLive(order)
  const files = order.parts.filter((part) => part.kind === 'file').map((part) => new FileToPut(part, order, keep))
  const databases = order.parts
    .filter((part) => part.kind === 'rows')
    .map((part) => ({ path: placeOf(part, keep, order.io), rows: rowsOf(part, order, keep) }))
  if (!order.replace) for (const file of files) file.refuseOther()
  try {
    for (const file of files) file.stage()
    const restored: RestoreResult[] = databases.map(({ path, rows }) => ({
      path,
      ...putRows(path, rows, order.replace ?? false),
    }))
    for (const file of files) restored.push(file.put())
    return restored
  } finally {
    for (const file of files) file.clear()
  }
}

function refuseLive({ agent, native_id, io }: RestoreOrder): void {
  if (agent.live?.(io, [native_id]).get(native_id)) {
    throw new IonError('refused', `${agent.title} has this session open`, { hint: 'end it there first' })
  }
}

function rowsOf(part: KeptPart, { content, move }: RestoreOrder, keep: BackupSpec): KeptRows {
  const kept = parseRows(content(part), keep.tables ?? [])
  const columns = keep.rewrite?.columns
  if (!move || !columns) return kept
  const moved = <T>(value: T): T => (typeof value === 'string' ? (move(value) as T) : value)
  const tables = kept.header.tables.map((table) => {
    const paths = columns[table.table] ?? []
    const where = Object.entries(table.where).map(([name, value]) => [
      name,
      paths.includes(name) ? moved(value) : value,
    ])
    return { ...table, where: Object.fromEntries(where) as typeof table.where }
  })
  const rows = kept.rows.map((all, index) => {
    const table = tables[index]
    const paths = table ? (columns[table.table] ?? []) : []
    return all.map((row) => row.map((value, at) => (paths.includes(table?.columns[at] ?? '') ? moved(value) : value)))
  })
  return { header: { ...kept.header, tables }, rows }
}

/** One file on its way to its place. */
class FileToPut {
  readonly path: string
  readonly #part: KeptFilePart
  readonly #content: () => Iterable<Buffer>
  readonly #state: 'missing' | 'same' | 'shorter' | 'other'
  readonly #isShared: boolean
  #staged: string | undefined

  constructor(part: KeptFilePart, order: RestoreOrder, keep: BackupSpec) {
    const { move, cwd, content, io } = order
    this.#part = part
    const to = move && cwd !== null ? { from: cwd, to: move(cwd) } : undefined
    const path = to && to.from !== to.to ? (keep.rewrite?.path?.(part.path, to) ?? part.path) : part.path
    const folder = to?.to ?? cwd
    const place = folder === null ? path : (keep.place?.(path, folder, io) ?? path)
    this.path = placeOf({ ...part, path: place }, keep, io)
    const { rewrite: moved } = keep
    this.#content =
      move && moved && part.form !== 'database'
        ? () => movedContent(content(part), moved, part.form === 'lines', move, path)
        : () => content(part)
    this.#isShared = part.shared ?? false
    this.#state = !existsSync(this.path)
      ? 'missing'
      : part.form === 'database'
        ? withDatabaseFile(this.path, (file) => compare(file, this.#content))
        : compare(this.path, this.#content)
  }

  refuseOther(): void {
    if (this.#state !== 'other' || this.#isShared) return
    throw new IonError('refused', `${this.path} is there, and is not what was kept: it may be newer`, {
      hint: 'put the copy elsewhere with --to <folder>, or in its place with --replace (what is there now is kept first)',
    })
  }

  get #isDue(): boolean {
    return this.#state !== 'same' && !(this.#isShared && this.#state !== 'missing')
  }

  /** On the disk, beside its place, under a name that no agent looks at. */
  stage(): void {
    if (!this.#isDue) return
    const folder = dirname(this.path)
    privateFolder(folder)
    removeStale(folder)
    this.#staged = stagedIn(folder)
    const fd = openSync(this.#staged, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL, this.#part.mode)
    try {
      for (const piece of this.#content()) writeAll(fd, piece)
      fsyncSync(fd)
    } finally {
      closeSync(fd)
    }
  }

  put(): RestoreResult {
    if (!this.#isDue || this.#staged === undefined) return { path: this.path, act: 'same' }
    if (this.#part.form === 'database') {
      for (const ending of ['-wal', '-shm', '-journal']) rmSync(this.path + ending, { force: true })
    }
    renameSync(this.#staged, this.path)
    this.#staged = undefined
    syncFolder(dirname(this.path))
    const act = this.#state === 'missing' ? 'written' : this.#state === 'shorter' ? 'completed' : 'replaced'
    return { path: this.path, act }
  }

  clear(): void {
    if (this.#staged !== undefined) rmSync(this.#staged, { force: true })
  }
}

/** What is there, against what was kept. `shorter`: all of it stands at the start of what was kept. */
function compare(path: string, content: () => Iterable<Buffer>): 'same' | 'shorter' | 'other' {
  const size = statSync(path).size
  const fd = openRegularFile(path)
  try {
    let at = 0
    for (const piece of content()) {
      const there = Buffer.alloc(piece.length)
      const count = readFully(fd, there, at)
      if (!there.subarray(0, count).equals(piece.subarray(0, count))) return 'other'
      at += count
      if (count < piece.length) return 'shorter'
    }
    return at === size ? 'same' : 'other'
  } catch (error) {
    if (error instanceof IonError) throw error
    throw new Error(`cannot compare ${basename(path)}: ${(error as Error).message}`, { cause: error })
  } finally {
    closeSync(fd)
  }
}

function readFully(fd: number, into: Buffer, at: number): number {
  let got = 0
  while (got < into.length) {
    const count = readSync(fd, into, got, into.length - got, at + got)
    if (count === 0) break
    got += count
  }
  return got
}
