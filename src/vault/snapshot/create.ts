import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { dirname } from 'node:path'
import type { Agent } from '../../agents/agent.ts'
import type { BackupPart, BackupSpec } from '../../agents/backup.ts'
import { isProblem } from '../../events/item.ts'
import type { SessionHead } from '../../events/session.ts'
import { readContext } from '../../native/read-context.ts'
import { carriedMarks } from '../../organise/carry-marks.ts'
import { isDiskFull, messageOf } from '../../platform/error.ts'
import type { Io } from '../../platform/io.ts'
import { CopyCoverage } from '../copy-coverage.ts'
import { readPart, retryIfChanged } from '../part-content.ts'
import {
  entryName,
  HEADER_NAME,
  MANIFEST_NAME,
  type ManifestEnd,
  SNAPSHOT_VERSION,
  type SnapshotHeader,
  type SnapshotPart,
  type SnapshotSession,
} from './format.ts'
import { listHeads } from './heads.ts'
import { Spool } from './spool.ts'
import { alreadyExists, TarWriter } from './tar-writer.ts'

export interface CreateRequest {
  readonly file: string
  readonly agents: readonly Agent[]
  /** What Ion's archive has, to report what of it the snapshot does not contain. */
  readonly archived?: Iterable<{ readonly agent: string; readonly id: string }>
  readonly ionVersion: string
  /** Overwrite an existing file. */
  readonly force?: boolean
  readonly onSession?: (done: number, total: number) => void
}

/** A session that is not in the snapshot, and why. */
export interface LeftOut {
  readonly agent: string
  /** Null when the sessions could not be listed. */
  readonly id: string | null
  readonly reason: string
}

export interface SnapshotSummary {
  readonly sessions: number
  /** The size of the sessions. */
  readonly bytes: number
  /** The size of the snapshot file. */
  readonly file_bytes: number
  readonly left_out: readonly LeftOut[]
  /** Number of sessions that are only in Ion's archive, which is not part of a snapshot. */
  readonly only_in_archive: number
  /** Number of sessions of agents that Ion cannot restore. */
  readonly cannot: readonly { readonly agent: string; readonly sessions: number }[]
}

/**
 * Writes all sessions of the agents into one file while the agents keep running: logs up to their last complete line, rows
 * as of one moment. Each part is read completely before any of it is written, so that it can be read again if it changed.
 */
export function createSnapshot(request: CreateRequest, io: Io): SnapshotSummary {
  const { file, agents, force = false } = request
  if (!force && existsSync(file)) throw alreadyExists(file)
  const leftOut: LeftOut[] = []
  const listed = agents.map((agent) => ({ agent, heads: listHeads(agent, io, (one) => leftOut.push(one)) }))
  const sessions = listed.flatMap(({ agent, heads }) => (agent.backup ? heads.map((head) => ({ agent, head })) : []))
  const at = io.now()
  const writer = new TarWriter(file, at)
  try {
    const header: SnapshotHeader = {
      format: 'ion-snapshot',
      v: SNAPSHOT_VERSION,
      created_at: at.toISOString(),
      home: io.home,
      platform: io.platform,
      ion_version: request.ionVersion,
      agents: listed.filter(({ heads }) => heads.length > 0).map(({ agent, heads }) => versionsOf(agent, heads)),
    }
    const text = Buffer.from(`${JSON.stringify(header)}\n`)
    writer.add(HEADER_NAME, text.length, [text])
    const manifest = new Manifest(dirname(file))
    const spool = new Spool(dirname(file))
    const covered = new CopyCoverage()
    const marksOf = carriedMarks(io)
    for (const [done, { agent, head }] of sessions.entries()) {
      request.onSession?.(done, sessions.length)
      try {
        const session = addSession(agent, head, covered, spool, writer, io)
        if (session) manifest.add(withMarks(session, marksOf(session)))
      } catch (error) {
        if (isDiskFull(error) || error instanceof Unwritable) throw error
        leftOut.push({ agent: agent.id, id: head.id, reason: messageOf(error) })
      } finally {
        spool.clear()
      }
    }
    manifest.write(writer)
    const file_bytes = writer.finish(force)
    const cannot = listed.filter(({ agent, heads }) => !agent.backup && heads.length > 0)
    return {
      sessions: manifest.sessions,
      bytes: manifest.bytes,
      file_bytes,
      left_out: leftOut,
      only_in_archive: onlyInArchive(request.archived ?? [], listed),
      cannot: cannot.map(({ agent, heads }) => ({ agent: agent.id, sessions: heads.length })),
    }
  } catch (error) {
    writer.abandon()
    throw error instanceof Unwritable ? error.cause : error
  }
}

function onlyInArchive(
  archived: NonNullable<CreateRequest['archived']>,
  listed: readonly { readonly agent: Agent; readonly heads: readonly SessionHead[] }[],
): number {
  const stored = new Map(listed.map(({ agent, heads }) => [agent.id, new Set(heads.map(({ id }) => id))]))
  return [...archived].filter(({ agent, id }) => stored.get(agent)?.has(id) === false).length
}

function versionsOf(agent: Agent, heads: readonly SessionHead[]): SnapshotHeader['agents'][number] {
  const versions = new Set(heads.flatMap(({ agent_version }) => agent_version ?? []))
  return { agent: agent.id, versions: [...versions].sort() }
}

function withMarks(session: SnapshotSession, marks: NonNullable<SnapshotSession['marks']>): SnapshotSession {
  return marks.length > 0 ? { ...session, marks } : session
}

/** The snapshot file cannot be written, so no other session can be added either. */
class Unwritable extends Error {}

/** Undefined when the session is gone, or all of it is part of its parent. */
function addSession(
  agent: Agent,
  head: SessionHead,
  covered: CopyCoverage,
  spool: Spool,
  writer: TarWriter,
  io: Io,
): SnapshotSession | undefined {
  const found: BackupPart[] = []
  for (const part of agent.backup!.parts(head, readContext(io))) {
    if (isProblem(part)) throw new Error(part.problem)
    found.push(part)
  }
  if (head.parent_session && covered.hasAll(agent.id, found)) return undefined
  const copied: { part: SnapshotPart; from: number }[] = []
  for (const part of found) {
    const one = copyPart(part, agent.backup!, spool, io)
    if (one) copied.push(one)
  }
  if (copied.length === 0) return undefined
  const parts = copied.map(({ part }) => part)
  const { id, native_id, title, cwd, created_at, updated_at, agent_version } = head
  const session = { agent: agent.id, id, native_id, title, cwd, created_at, updated_at, agent_version, parts }
  try {
    for (const { part, from } of copied) writer.add(entryName(session, part), part.size, spool.read(from, part.size))
  } catch (error) {
    throw new Unwritable('', { cause: error })
  }
  covered.add(agent.id, found)
  return session
}

/** Undefined when the part does not exist. */
function copyPart(
  part: BackupPart,
  backup: BackupSpec,
  spool: Spool,
  io: Io,
): { part: SnapshotPart; from: number } | undefined {
  let from = spool.size
  let hash = createHash('sha256')
  const begin = (): void => {
    from = spool.size
    hash = createHash('sha256')
  }
  const take = (piece: Buffer): void => {
    spool.append(piece)
    hash.update(piece)
  }
  const copied = retryIfChanged(begin, () => readPart(part, backup, io, take))
  return copied && { part: { ...copied, size: spool.size - from, sha256: hash.digest('hex') }, from }
}

/** The last entry: the sessions, and a final line that proves it is complete. */
class Manifest {
  readonly #spool: Spool
  readonly #hash = createHash('sha256')
  sessions = 0
  bytes = 0

  constructor(folder: string) {
    this.#spool = new Spool(folder)
  }

  add(session: SnapshotSession): void {
    const line = Buffer.from(`${JSON.stringify(session)}\n`)
    this.#hash.update(line)
    this.#spool.append(line)
    this.sessions++
    this.bytes += session.parts.reduce((sum, { size }) => sum + size, 0)
  }

  write(writer: TarWriter): void {
    const end: ManifestEnd = { end: true, sessions: this.sessions, sha256: this.#hash.digest('hex') }
    this.#spool.append(Buffer.from(`${JSON.stringify(end)}\n`))
    writer.add(MANIFEST_NAME, this.#spool.size, this.#spool.read(0, this.#spool.size))
    this.#spool.clear()
  }
}
