import { createHash } from 'node:crypto'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Agent } from '../agents/agent.ts'
import type { WrittenPart, WrittenSession } from '../agents/write.ts'
import { isProblem } from '../events/item.ts'
import type { SessionHead } from '../events/session.ts'
import { readContext } from '../native/read-context.ts'
import { encode, type RowsHeader } from '../native/rows.ts'
import { IonError } from '../platform/error.ts'
import type { Io } from '../platform/io.ts'
import { openDatabase, transaction } from '../platform/sqlite.ts'
import type { StoredPart } from '../vault/manifest.ts'
import { readPart, storePath } from '../vault/part-content.ts'
import { restore } from '../vault/restore.ts'

/** A part of a session in its agent's store, and what it contains. */
export interface PartHash {
  readonly root: string
  readonly path: string
  readonly sha256: string
}

/** Puts a written session into its agent's store, in the way in which copies are restored: all of it, or nothing. */
export function placeSession(agent: Agent, written: WrittenSession, cwd: string, io: Io, replace: boolean): string[] {
  for (const part of written.parts) requireDatabase(agent, part, io)
  const contents = new Map(written.parts.map((part) => [storedPart(part), contentOf(part)]))
  const results = restore({
    agent,
    native_id: written.nativeId,
    cwd,
    parts: [...contents.keys()],
    content: (part) => [contents.get(part)!],
    io,
    replace,
  })
  return results.map(({ path }) => path)
}

/** The agent creates its database at its first start; Ion does not know how a version that is not installed yet would. */
function requireDatabase(agent: Agent, part: WrittenPart, io: Io): void {
  if (part.kind !== 'rows') return
  const path = storePath(part, agent.backup!, io)
  if (existsSync(path)) return
  throw new IonError('refused', `${agent.title} has no sessions yet: ${path} does not exist`, {
    hint: `start ${agent.binaries[0]} once, then try again`,
  })
}

function storedPart(part: WrittenPart): StoredPart {
  const { root, path } = part
  if (part.kind === 'rows') return { kind: 'rows', root, path, size: 0, pieces: [] }
  if (part.kind === 'database') {
    return { kind: 'file', root, path, form: part.kind, mode: 0o600, size: 0, pieces: [] }
  }
  const shared = part.shared ? { shared: part.shared } : {}
  return { kind: 'file', root, path, form: part.form, mode: 0o600, size: 0, pieces: [], ...shared }
}

function contentOf(part: WrittenPart): Buffer {
  if (part.kind === 'file') return Buffer.from(part.content)
  return part.kind === 'database' ? databaseOf(part) : Buffer.from(rowsOf(part))
}

function databaseOf({ schema, rows }: WrittenPart & { readonly kind: 'database' }): Buffer {
  const folder = mkdtempSync(join(tmpdir(), 'ion-write-'))
  try {
    const file = join(folder, 'new.db')
    const database = openDatabase(file)
    try {
      transaction(database, () => {
        for (const statement of schema) database.exec(statement)
        for (const [table, all] of Object.entries(rows)) {
          if (all[0] === undefined) continue
          const insert = database.prepare(`INSERT INTO "${table}" VALUES (${all[0].map(() => '?').join(', ')})`)
          for (const row of all) insert.run(...row)
        }
      })
    } finally {
      database.close()
    }
    return readFileSync(file)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

function rowsOf(part: WrittenPart & { readonly kind: 'rows' }): string {
  const tables = part.tables.map(({ rows, ...table }) => ({
    ...table,
    columns: [...new Set(rows.flatMap((row) => Object.keys(row)))],
  }))
  const header: RowsHeader = { v: 1, schema: [], tables, bookkeeping: [] }
  const lines = part.tables.flatMap(({ rows }, index) =>
    rows.map((row) => JSON.stringify([index, ...tables[index]!.columns.map((column) => encode(row[column] ?? null))])),
  )
  return [JSON.stringify(header), ...lines].join('\n')
}

/** What is written, in bytes; of rows their values as JSON. */
export function bytesOf({ parts }: WrittenSession): number {
  return parts.reduce((sum, part) => sum + Buffer.byteLength(contentOf(part)), 0)
}

/** Everything that belongs to the session in its agent's store: whether it is still what was written can be told by it. */
export function hashesOf(agent: Agent, head: SessionHead, io: Io): PartHash[] {
  const hashes: PartHash[] = []
  for (const part of agent.backup!.parts(head, readContext(io))) {
    if (isProblem(part)) throw new Error(part.problem)
    if (part.shared) continue
    const hash = createHash('sha256')
    if (!readPart(part, agent.backup!, io, (piece) => hash.update(piece))) continue
    hashes.push({ root: part.root, path: part.path, sha256: hash.digest('hex') })
  }
  return hashes
}
