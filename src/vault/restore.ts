import { closeSync, constants, existsSync, fsyncSync, openSync, renameSync, rmSync, statSync } from 'node:fs'
import { basename, dirname } from 'node:path'
import type { Agent } from '../agents/agent.ts'
import type { BackupSpec } from '../agents/backup.ts'
import { withDatabaseFile } from '../native/database.ts'
import { openRegularFile } from '../native/regular-file.ts'
import { privateFolder, syncFolder, writeAll } from '../platform/atomic-file.ts'
import { IonError } from '../platform/error.ts'
import type { Io } from '../platform/io.ts'
import type { StoredPart } from './manifest.ts'
import { readFully, storePath } from './part-content.ts'
import { type Move, rewritePaths } from './path-rewrite.ts'
import { parseRows, previewRows, restoreRows, type StoredRows } from './restore-rows.ts'
import { removeStaleStaging, stagingFile } from './staging-file.ts'

export interface RestoreRequest {
  readonly agent: Agent
  readonly native_id: string
  readonly cwd: string | null
  readonly parts: readonly StoredPart[]
  /** The content of a part; throws when it is damaged. */
  readonly content: (part: StoredPart) => Iterable<Buffer>
  /** Where to restore; another home has its own agent folders. */
  readonly io: Io
  /** Replace existing data, which the caller has captured. */
  readonly replace?: boolean
  /** Maps old paths to new ones. */
  readonly move?: Move
  /** Only compare, and return what would be done. */
  readonly dryRun?: boolean
  /** Native ids that become others, for an agent with `idColumns`. */
  readonly newIds?: ReadonlyMap<string, string>
}

/** What happened to a part. */
export interface RestoreResult {
  readonly path: string
  readonly act: 'written' | 'same' | 'completed' | 'replaced'
  /** For rows in a database. */
  readonly rows?: number
}

/**
 * Restores a session to its agent's store. Everything is read and checked first, then written to staging files, and only
 * then moved into place: an error before that changes nothing, and an interrupted restore is completed by the next one.
 * Modification times are not restored, because some agents delete old files.
 */
export function restore(request: RestoreRequest): RestoreResult[] {
  const { backup } = request.agent
  if (!backup) throw new IonError('usage', `sessions of ${request.agent.title} cannot be restored`)
  refuseLive(request)
  const files = request.parts
    .filter((part) => part.kind === 'file')
    .map((part) => new FileRestore(part, request, backup))
  const databases = request.parts
    .filter((part) => part.kind === 'rows')
    .map((part) => ({ path: storePath(part, backup, request.io), rows: rowsOf(part, request, backup) }))
  if (!request.replace) for (const file of files) file.refuseDifferent()
  if (request.dryRun) {
    const rows = databases.map(({ path, rows }) => ({ path, ...previewRows(path, rows, request.replace ?? false) }))
    return [...rows, ...files.map((file) => file.result)]
  }
  try {
    for (const file of files) file.stage()
    const restored: RestoreResult[] = databases.map(({ path, rows }) => ({
      path,
      ...restoreRows(path, rows, request.replace ?? false),
    }))
    for (const file of files) restored.push(file.commit())
    return restored
  } finally {
    for (const file of files) file.clear()
  }
}

function refuseLive({ agent, native_id, io }: RestoreRequest): void {
  if (agent.live?.(io, [native_id]).get(native_id)) {
    throw new IonError('refused', `${agent.title} has this session open`, { hint: 'close it there first' })
  }
}

function rowsOf(part: StoredPart, { content, move, newIds }: RestoreRequest, backup: BackupSpec): StoredRows {
  const stored = parseRows(content(part), backup.tables ?? [])
  const moved = move ? rewriteRows(stored, backup.rewrite?.columns, move) : stored
  return newIds ? rewriteRows(moved, backup.idColumns, (id) => newIds.get(id) ?? id) : moved
}

/** With other texts in some columns, by table. */
function rewriteRows(
  stored: StoredRows,
  columns: BackupSpec['idColumns'],
  change: (text: string) => string,
): StoredRows {
  if (!columns) return stored
  const changed = <T>(value: T): T => (typeof value === 'string' ? (change(value) as T) : value)
  const tables = stored.header.tables.map((table) => {
    const affected = columns[table.table] ?? []
    const where = Object.entries(table.where).map(([name, value]) => [
      name,
      affected.includes(name) ? changed(value) : value,
    ])
    return { ...table, where: Object.fromEntries(where) as typeof table.where }
  })
  const rows = stored.rows.map((all, index) => {
    const table = tables[index]
    const affected = table ? (columns[table.table] ?? []) : []
    return all.map((row) =>
      row.map((value, at) => (affected.includes(table?.columns[at] ?? '') ? changed(value) : value)),
    )
  })
  return { header: { ...stored.header, tables }, rows }
}

/** The path below its root that a file gets: as renamed for a folder that moved, and as the agent finds it on this machine. */
export function destinationOf(
  part: Pick<StoredPart, 'path'>,
  { move, cwd, io }: Pick<RestoreRequest, 'move' | 'cwd' | 'io'>,
  backup: BackupSpec,
): { readonly path: string; readonly place: string } {
  const to = move && cwd !== null ? { from: cwd, to: move(cwd) } : undefined
  const path = to && to.from !== to.to ? (backup.rewrite?.path?.(part.path, to) ?? part.path) : part.path
  const folder = to?.to ?? cwd
  return { path, place: folder === null ? path : (backup.place?.(path, folder, io) ?? path) }
}

type StoredFilePart = StoredPart & { readonly kind: 'file' }

/** The restore of one file. */
class FileRestore {
  readonly path: string
  readonly #part: StoredFilePart
  readonly #content: () => Iterable<Buffer>
  readonly #state: 'missing' | 'same' | 'shorter' | 'different'
  readonly #isShared: boolean
  #staged: string | undefined

  constructor(part: StoredFilePart, request: RestoreRequest, backup: BackupSpec) {
    const { move, content, io } = request
    this.#part = part
    const { path, place } = destinationOf(part, request, backup)
    this.path = storePath({ ...part, path: place }, backup, io)
    const { rewrite } = backup
    this.#content =
      move && rewrite && part.form !== 'database'
        ? () => rewritePaths(content(part), rewrite, part.form === 'lines', move, path)
        : () => content(part)
    this.#isShared = part.shared ?? false
    this.#state = !existsSync(this.path)
      ? 'missing'
      : part.form === 'database'
        ? withDatabaseFile(this.path, (file) => compare(file, this.#content))
        : compare(this.path, this.#content)
  }

  refuseDifferent(): void {
    if (this.#state !== 'different' || this.#isShared) return
    throw new IonError('refused', `${this.path} exists and differs from the copy; it may be newer`, {
      hint: 'restore into another folder with --to <folder>, or use --replace, which captures the existing version first',
    })
  }

  get #needsWrite(): boolean {
    return this.#state !== 'same' && !(this.#isShared && this.#state !== 'missing')
  }

  /** What becomes of the file. */
  get result(): RestoreResult {
    const act = this.#state === 'missing' ? 'written' : this.#state === 'shorter' ? 'completed' : 'replaced'
    return { path: this.path, act: this.#needsWrite ? act : 'same' }
  }

  /** Writes the content to a staging file. */
  stage(): void {
    if (!this.#needsWrite) return
    const folder = dirname(this.path)
    privateFolder(folder)
    removeStaleStaging(folder)
    this.#staged = stagingFile(folder)
    const fd = openSync(this.#staged, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL, this.#part.mode)
    try {
      for (const piece of this.#content()) writeAll(fd, piece)
      fsyncSync(fd)
    } finally {
      closeSync(fd)
    }
  }

  commit(): RestoreResult {
    if (!this.#needsWrite || this.#staged === undefined) return this.result
    if (this.#part.form === 'database') {
      for (const ending of ['-wal', '-shm', '-journal']) rmSync(this.path + ending, { force: true })
    }
    // Also a path of this session that is the same file: some systems ignore case, or forms of Unicode.
    if (this.#state === 'missing' && existsSync(this.path)) {
      throw new IonError('refused', `${this.path} was created in the meantime`, { hint: 'run it again, to compare it' })
    }
    renameSync(this.#staged, this.path)
    this.#staged = undefined
    syncFolder(dirname(this.path))
    return this.result
  }

  clear(): void {
    if (this.#staged !== undefined) rmSync(this.#staged, { force: true })
  }
}

/** Compares the existing file with the copy. `shorter`: the copy starts with it. */
function compare(path: string, content: () => Iterable<Buffer>): 'same' | 'shorter' | 'different' {
  const size = statSync(path).size
  const fd = openRegularFile(path)
  try {
    let at = 0
    for (const piece of content()) {
      const existing = Buffer.alloc(piece.length)
      const count = readFully(fd, existing, at)
      if (!existing.subarray(0, count).equals(piece.subarray(0, count))) return 'different'
      at += count
      if (count < piece.length) return 'shorter'
    }
    return at === size ? 'same' : 'different'
  } catch (error) {
    if (error instanceof IonError) throw error
    throw new Error(`cannot compare ${basename(path)}: ${(error as Error).message}`, { cause: error })
  } finally {
    closeSync(fd)
  }
}
