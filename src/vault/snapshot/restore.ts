import { createHash } from 'node:crypto'
import { existsSync, statfsSync } from 'node:fs'
import { dirname } from 'node:path'
import { agents } from '../../agents/_registry.ts'
import type { Agent } from '../../agents/agent.ts'
import { IonError, isDiskFull, messageOf } from '../../platform/error.ts'
import type { Io } from '../../platform/io.ts'
import type { KeptPart } from '../manifest.ts'
import { placeOf } from '../part-content.ts'
import { movedHome } from '../path-rewrite.ts'
import { type RestoreResult, restore } from '../restore.ts'
import { bytesOf, HEADER_NAME, type SnapshotHeader, type SnapshotPart, type SnapshotSession } from './format.ts'
import { headsOf } from './heads.ts'
import { Spool } from './spool.ts'
import { type ReadEntry, readTar } from './tar-reader.ts'
import type { VerifyResult } from './verify.ts'

export interface RestoreOrder {
  readonly file: string
  /** The same file, after all of it was read. */
  readonly verified: VerifyResult
  readonly sessions: readonly SnapshotSession[]
  /** Where the agents look: of another home, all that they would look at there. */
  readonly to: Io
  /** The home that the paths of the snapshot are to be in. */
  readonly home: string
  /** Where sessions may be put aside until they are whole. */
  readonly spool: string
  readonly dryRun?: boolean
}

/** What became of a session. */
export interface Outcome {
  readonly session: SnapshotSession
  /** `there`: of a dry run only, which does not compare. */
  readonly outcome: 'restored' | 'same' | 'would restore' | 'there' | 'refused' | 'failed'
  readonly parts: readonly RestoreResult[]
  readonly reason?: string
}

/**
 * Puts sessions back, each by itself: one that cannot be put back does not keep the others from it. A session is first
 * unpacked whole and compared with its checksums once more. Throws `refused` for a file that is not as it was written, and
 * for one that wants to write where no session of its agent is.
 */
export async function* restoreSnapshot(order: RestoreOrder): AsyncGenerator<Outcome> {
  const { header, problems } = order.verified
  if (!header || problems.length > 0) throw damagedSnapshot(order.file, problems)
  refuseStrange(order)
  if (order.dryRun) {
    yield* foreseen(order)
    return
  }
  refuseTooLarge(order)
  const wanted = new Set(order.sessions)
  const spool = new Spool(order.spool)
  const entries = readTar(order.file)
  try {
    await next(entries, HEADER_NAME)
    for (const session of order.verified.sessions) {
      if (!wanted.delete(session)) {
        for (const _ of session.parts) await next(entries)
        continue
      }
      const starts = await unpack(session, entries, spool)
      yield put(session, header, starts, spool, order)
      spool.clear()
      if (wanted.size === 0) break
    }
  } finally {
    spool.clear()
    await entries.return(undefined)
  }
}

export function damagedSnapshot(file: string, problems: readonly string[]): IonError {
  const more = problems.length > 1 ? ` (and ${problems.length - 1} more: ion snapshot verify)` : ''
  return new IonError('refused', `${file} is not as Ion wrote it: ${problems[0] ?? 'not a snapshot of Ion'}${more}`, {
    hint: 'nothing was restored; take another copy of the snapshot',
  })
}

const DATABASE = /\.(db|sqlite3?)$/i

/** The whole file, before anything is written: one part that leads elsewhere says enough about it. */
function refuseStrange({ file, verified, to }: RestoreOrder): void {
  for (const session of verified.sessions) {
    const keep = agents.find(({ id }) => id === session.agent)?.backup
    if (!keep) continue
    for (const part of session.parts) {
      try {
        placeOf(part, keep, to)
        // A database that holds more than sessions is never taken whole.
        if (keep.tables && part.kind === 'file' && DATABASE.test(part.path)) {
          throw new Error(`"${part.path}" is a whole database, and sessions of this agent are rows in it`)
        }
      } catch (error) {
        throw damagedSnapshot(file, [`${session.agent} ${session.id}: ${messageOf(error)}`])
      }
    }
  }
}

function refuseTooLarge({ sessions, to }: RestoreOrder): void {
  const needed = sessions.reduce((sum, session) => sum + bytesOf(session), 0)
  const free = freeAt(to.home)
  if (free === undefined || needed <= free) return
  throw new IonError('refused', `the sessions hold ${needed} bytes, and ${free} are free in ${to.home}`, {
    hint: 'make room, or choose some of them: ion snapshot restore <file> <id>…',
  })
}

/** Undefined where the file system does not say. */
function freeAt(path: string): number | undefined {
  let folder = path
  while (!existsSync(folder) && dirname(folder) !== folder) folder = dirname(folder)
  try {
    const { bavail, blocks, bsize } = statfsSync(folder)
    return blocks > 0 ? bavail * bsize : undefined
  } catch {
    return undefined
  }
}

/** What would be done, as far as that is known without unpacking. */
function* foreseen({ sessions, to }: RestoreOrder): Generator<Outcome> {
  const there = new Map<Agent, ReadonlySet<string>>()
  for (const session of sessions) {
    const agent = agents.find(({ id }) => id === session.agent)
    if (!agent?.backup) {
      yield { session, outcome: 'failed', parts: [], reason: unknown(session, agent) }
      continue
    }
    const known = there.get(agent) ?? new Set(headsOf(agent, to).map(({ id }) => id))
    there.set(agent, known)
    yield { session, outcome: known.has(session.id) ? 'there' : 'would restore', parts: [] }
  }
}

function unknown({ agent }: SnapshotSession, known: Agent | undefined): string {
  return known ? `sessions of ${known.title} cannot be put back` : `this Ion knows no agent called "${agent}"`
}

async function next(entries: AsyncGenerator<ReadEntry>, name?: string): Promise<ReadEntry> {
  const { value } = await entries.next()
  if (!value || (name !== undefined && (value as ReadEntry).name !== name)) throw changed()
  return value as ReadEntry
}

function changed(): IonError {
  return new IonError('failed', 'the snapshot has changed while it was read', { hint: 'start it again' })
}

/** Where each part begins in the spool. */
async function unpack(
  { parts }: SnapshotSession,
  entries: AsyncGenerator<ReadEntry>,
  spool: Spool,
): Promise<Map<string, number>> {
  const starts = new Map<string, number>()
  for (const part of parts) {
    const hash = createHash('sha256')
    starts.set(keyOf(part), spool.size)
    for await (const piece of (await next(entries)).content) {
      spool.append(piece)
      hash.update(piece)
    }
    if (hash.digest('hex') !== part.sha256) throw changed()
  }
  return starts
}

function keyOf({ kind, root, path }: Pick<SnapshotPart, 'kind' | 'root' | 'path'>): string {
  return JSON.stringify([kind, root, path])
}

function put(
  session: SnapshotSession,
  header: SnapshotHeader,
  starts: ReadonlyMap<string, number>,
  spool: Spool,
  { to, home }: RestoreOrder,
): Outcome {
  const agent = agents.find(({ id }) => id === session.agent)
  if (!agent?.backup) return { session, outcome: 'failed', parts: [], reason: unknown(session, agent) }
  try {
    const parts = restore({
      agent,
      native_id: session.native_id,
      cwd: session.cwd,
      parts: session.parts.map(keptPart),
      content: (part) => spool.read(starts.get(keyOf(part))!, part.size),
      io: to,
      ...(header.home === home ? {} : { move: movedHome(header.home, home) }),
    })
    return { session, outcome: parts.every(({ act }) => act === 'same') ? 'same' : 'restored', parts }
  } catch (error) {
    if (isDiskFull(error)) throw error
    const isRefused = error instanceof IonError && error.kind === 'refused'
    return { session, outcome: isRefused ? 'refused' : 'failed', parts: [], reason: messageOf(error) }
  }
}

/** As the vault has it. The file may be from somebody else: nobody but its owner may write what comes out of it. */
function keptPart(part: SnapshotPart): KeptPart {
  const { root, path, size } = part
  if (part.kind === 'rows') return { kind: 'rows', root, path, size, pieces: [] }
  const { form, mode, shared } = part
  const file: KeptPart = { kind: 'file', root, path, form, mode: (mode & 0o755) | 0o600, size, pieces: [] }
  return shared ? { ...file, shared } : file
}
