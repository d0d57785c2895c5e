import { closeSync, fstatSync, readSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { Agent } from '../agents/agent.ts'
import { type BackupPart, type BackupSpec, type FilePart, pathBelow } from '../agents/backup.ts'
import { isProblem } from '../events/item.ts'
import type { SessionHead } from '../events/session.ts'
import { inPlace, withDatabaseFile, withNativeDatabase } from '../native/database.ts'
import { isLink, requireInside } from '../native/link-boundary.ts'
import { openRegularFile } from '../native/regular-file.ts'
import { rowLines } from '../native/rows.ts'
import { IonError, messageOf } from '../platform/error.ts'
import type { Io } from '../platform/io.ts'
import { PIECE } from './objects.ts'

const TRIES = 5

/** The store changed while it was copied, so what was read is not consistent. */
class Changed extends Error {
  constructor(path: string) {
    super(`${path} keeps changing while it is copied; try again`)
  }
}

export type PartPlace = Pick<BackupPart, 'kind' | 'root' | 'path'> & { readonly form?: FilePart['form'] }

/** The path of a part on this machine. Throws for a part that no session of the agent can have. */
export function partPath(part: PartPlace, backup: BackupSpec, io: Io): string {
  const root = backup.roots(io)[part.root]
  const isOwn = backup.files[part.root]?.some((pattern) => pattern.test(part.path)) ?? false
  const isInside = !part.path
    .split('/')
    .some((name) => name === '' || name === '.' || name === '..' || name.includes('\\'))
  if (root === undefined || !isOwn || !isInside) {
    throw new Error(`"${part.path}" in "${part.root}" is not part of a session of this agent`)
  }
  // Where sessions are rows, the database holds more than one session: it is never copied or replaced as a whole.
  if (part.kind === 'file' && backup.tables && /\.(db|sqlite3?)$/i.test(part.path)) {
    throw new Error(`"${part.path}" is an entire database, but sessions of this agent are rows in it`)
  }
  return join(root, part.path)
}

/** What SQLite keeps beside a database. */
const BESIDE_DATABASE = ['-wal', '-shm', '-journal']

/** The path of a part, which may be read, written and removed. Throws also where links lead out of the store. */
export function storePath(part: PartPlace, backup: BackupSpec, io: Io): string {
  const path = partPath(part, backup, io)
  const root = backup.roots(io)[part.root]!
  const [first] = part.path.split('/')
  requireInside(path, backup.mayBeLinks?.includes(first!) ? join(root, first!) : root)
  if (part.kind === 'rows' || part.form === 'database') {
    const link = BESIDE_DATABASE.map((ending) => path + ending).find(isLink)
    if (link !== undefined) throw new IonError('refused', `${link} is a link, which SQLite does not create`)
  }
  return path
}

/**
 * Why a session is not copied: links lead from its main file out of the agent's store. Undefined when they do not; a file
 * that the user named may be anywhere.
 */
export function whyNotInStore({ path: main }: SessionHead, { backup }: Agent, io: Io): string | undefined {
  if (!backup) return undefined
  for (const [root, folder] of Object.entries(backup.roots(io))) {
    const path = pathBelow(folder, main)
    const isOwn = backup.files[root]?.some((pattern) => pattern.test(path)) ?? false
    if (!isOwn) continue
    try {
      storePath({ kind: 'rows', root, path }, backup, io)
      return undefined
    } catch (error) {
      return messageOf(error)
    }
  }
  return undefined
}

/** A part as copies record it; rows are the lines of native/rows.ts. */
export type CopiedPart =
  | (Omit<FilePart, 'hasOthers'> & { readonly mode: number })
  | { readonly kind: 'rows'; readonly root: string; readonly path: string }

/**
 * Passes the content of a part in pieces of PIECE bytes to `take`; a piece is valid until the next. Undefined when the part
 * does not exist.
 */
export function readPart(
  part: BackupPart,
  backup: BackupSpec,
  io: Io,
  take: (piece: Buffer) => void,
): CopiedPart | undefined {
  const copied = readPartAt(storePath(part, backup, io), part, take)
  // A link may have been put there after the first look.
  storePath(part, backup, io)
  return copied
}

function readPartAt(path: string, part: BackupPart, take: (piece: Buffer) => void): CopiedPart | undefined {
  const { root, path: name } = part
  if (part.kind === 'rows') {
    readRows(path, part, take)
    return { kind: 'rows', root, path: name }
  }
  const mode = readFile(path, part.form, take)
  if (mode === undefined) return undefined
  return { kind: 'file', root, path: name, form: part.form, mode, ...(part.shared ? { shared: true } : {}) }
}

/** Consistent as far as its form allows. Returns its mode. */
function readFile(path: string, form: FilePart['form'], take: (piece: Buffer) => void): number | undefined {
  if (form === 'database') {
    const stat = statSync(path, { throwIfNoEntry: false })
    if (stat) withDatabaseFile(path, (copy) => readPieces(copy, 'whole', take))
    return stat && stat.mode & 0o777
  }
  return readPieces(path, form, take)
}

/** Memory for a piece: allocating it for each of many files takes longer than reading them. */
let spare: Buffer | undefined

function readPieces(path: string, form: 'lines' | 'whole', take: (piece: Buffer) => void): number | undefined {
  if (!statSync(path, { throwIfNoEntry: false })) return undefined
  const fd = openRegularFile(path)
  try {
    const before = fstatSync(fd)
    const end = form === 'lines' ? endOfLines(fd, before.size) : before.size
    spare ??= Buffer.allocUnsafe(PIECE)
    for (let at = 0; at < end; at += PIECE) {
      const piece = spare.subarray(0, Math.min(PIECE, end - at))
      if (readFully(fd, piece, at) < piece.length) throw new Changed(path)
      take(piece)
    }
    const now = statSync(path, { throwIfNoEntry: false })
    const isSame = now !== undefined && now.ino === before.ino && now.size >= before.size
    // A log may have grown meanwhile; anything else must be unchanged.
    if (!isSame || (form === 'whole' && (now.mtimeMs !== before.mtimeMs || now.size !== before.size))) {
      throw new Changed(path)
    }
    return before.mode & 0o777
  } finally {
    closeSync(fd)
  }
}

/** Fills the buffer from position `at`; returns fewer than its length only at the end of the file. */
export function readFully(fd: number, into: Buffer, at: number): number {
  let got = 0
  while (got < into.length) {
    const count = readSync(fd, into, got, into.length - got, at + got)
    if (count === 0) break
    got += count
  }
  return got
}

const NEWLINE = 10
const BLOCK = 64 * 1024

/** The offset after the last line break; what follows is still being written. */
export function endOfLines(fd: number, size: number): number {
  const block = Buffer.allocUnsafe(BLOCK)
  for (let end = size; end > 0; ) {
    const start = Math.max(0, end - BLOCK)
    const count = readSync(fd, block, 0, end - start, start)
    const found = block.subarray(0, count).lastIndexOf(NEWLINE)
    if (found >= 0) return start + found + 1
    end = start
  }
  return 0
}

function readRows(path: string, part: BackupPart & { kind: 'rows' }, take: (piece: Buffer) => void): void {
  let pending: Buffer[] = []
  let size = 0
  const flush = (): void => {
    const all = Buffer.concat(pending)
    let at = 0
    for (; all.length - at >= PIECE; at += PIECE) take(all.subarray(at, at + PIECE))
    pending = at < all.length ? [all.subarray(at)] : []
    size = all.length - at
  }
  for (const line of withNativeDatabase(path, (database) => rowLines(database, part), part.inPlace ? inPlace : {})) {
    if (isProblem(line)) throw new Error(line.problem)
    const bytes = Buffer.from(`${line}\n`)
    pending.push(bytes)
    size += bytes.length
    if (size >= PIECE) flush()
  }
  flush()
  if (pending[0]) take(pending[0])
}

/** Reads again when the store changed in between; `begin` discards what was read before. */
export function retryIfChanged<T>(begin: () => void, read: () => T): T {
  for (let tries = 1; ; tries++) {
    begin()
    try {
      return read()
    } catch (error) {
      if (!(error instanceof Changed) || tries >= TRIES) throw error
    }
  }
}
