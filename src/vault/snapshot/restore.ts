import { createHash } from 'node:crypto'
import { existsSync, statfsSync } from 'node:fs'
import { dirname } from 'node:path'
import { agents } from '../../agents/_registry.ts'
import type { Agent } from '../../agents/agent.ts'
import { sessionId } from '../../events/id.ts'
import { mergeMarks } from '../../organise/carry-marks.ts'
import { IonError, isDiskFull, messageOf } from '../../platform/error.ts'
import { hash53 } from '../../platform/hash.ts'
import type { Io } from '../../platform/io.ts'
import type { StoredPart } from '../manifest.ts'
import { partPath } from '../part-content.ts'
import { type Move, moveFolder } from '../path-rewrite.ts'
import { destinationOf, type RestoreResult, restore } from '../restore.ts'
import { bytesOf, HEADER_NAME, type SnapshotHeader, type SnapshotPart, type SnapshotSession } from './format.ts'
import { listHeads } from './heads.ts'
import { Spool } from './spool.ts'
import { type ReadEntry, readTar } from './tar-reader.ts'
import type { VerifyResult } from './verify.ts'

export interface SnapshotRestoreRequest {
  readonly file: string
  /** The result of verifying the same file. */
  readonly verified: VerifyResult
  readonly sessions: readonly SnapshotSession[]
  /** Where to restore; another home has its own agent folders. */
  readonly to: Io
  /** The home that paths in the snapshot are rewritten to. */
  readonly home: string
  /** A folder for sessions that are being unpacked. */
  readonly spool: string
  readonly dryRun?: boolean
}

/** What happened to a session. */
export interface SnapshotOutcome {
  readonly session: SnapshotSession
  readonly outcome: 'restored' | 'same' | 'would restore' | 'refused' | 'failed'
  readonly parts: readonly RestoreResult[]
  readonly reason?: string
  /** How many changes of its name, tags, pin and note were not known here. */
  readonly marks?: number
  /** The id it has here, because another session has its own. */
  readonly restoredAs?: { readonly id: string; readonly native_id: string }
}

/**
 * Restores sessions independently: one that cannot be restored does not stop the others. A session is first unpacked
 * completely and its checksums are verified again; a dry run does the same and only compares. Throws `refused` for a damaged
 * file, and for one with a part outside of its agent's sessions.
 */
export async function* restoreSnapshot(request: SnapshotRestoreRequest): AsyncGenerator<SnapshotOutcome> {
  const { header, problems } = request.verified
  if (!header || problems.length > 0) throw damagedSnapshot(request.file, problems)
  refuseForeignParts(request)
  const newIds = new NewIds(request)
  refuseTooLarge(request)
  const planned = new Set<string>()
  const wanted = new Set(request.sessions)
  const spool = new Spool(request.spool)
  const entries = readTar(request.file)
  try {
    await next(entries, HEADER_NAME)
    for (const session of request.verified.sessions) {
      if (!wanted.delete(session)) {
        for (const _ of session.parts) await next(entries)
        continue
      }
      const starts = await unpack(session, entries, spool)
      const outcome = restoreSession(session, header, starts, spool, request, newIds)
      yield request.dryRun ? plannedOutcome(outcome, planned) : outcome
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
  return new IonError('refused', `${file} is damaged: ${problems[0] ?? 'not an Ion snapshot'}${more}`, {
    hint: 'nothing was restored; use another copy of the snapshot',
  })
}

/** Checks all parts before anything is written: one that is not a session's disqualifies the file. */
function refuseForeignParts(request: SnapshotRestoreRequest): void {
  const { file, verified, to } = request
  const move = moveOf(verified.header!, request)
  for (const session of verified.sessions) {
    const backup = agents.find(({ id }) => id === session.agent)?.backup
    if (!backup) continue
    const seen = new Set<string>()
    for (const part of session.parts) {
      try {
        partPath(part, backup, to)
        const { place } = destinationOf(part, { cwd: session.cwd, io: to, ...move }, backup)
        const path = partPath(part.kind === 'file' ? { ...part, path: place } : part, backup, to)
        const key = ignoresCase(to) ? path.normalize('NFC').toLowerCase() : path
        if (seen.has(key)) throw new Error(`two parts would be written to ${path}`)
        seen.add(key)
      } catch (error) {
        throw damagedSnapshot(file, [`${session.agent} ${session.id}: ${messageOf(error)}`])
      }
    }
  }
}

/** Where two names that differ in case, or in the form of Unicode, are usually one file. */
function ignoresCase({ platform }: Io): boolean {
  return platform === 'darwin' || platform === 'win32'
}

function moveOf(header: SnapshotHeader, { home }: SnapshotRestoreRequest): { move?: Move } {
  return header.home === home ? {} : { move: moveFolder(header.home, home) }
}

function refuseTooLarge({ sessions, to }: SnapshotRestoreRequest): void {
  const needed = sessions.reduce((sum, session) => sum + bytesOf(session), 0)
  const free = freeAt(to.home)
  if (free === undefined || needed <= free) return
  throw new IonError('refused', `the sessions need ${needed} bytes, but only ${free} are free in ${to.home}`, {
    hint: 'free disk space, or restore only some of them: ion snapshot restore <file> <id>…',
  })
}

/** Undefined when the file system does not report it. */
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

/** In a dry run a file that several sessions share is missing for each of them, but only the first would write it. */
function plannedOutcome(result: SnapshotOutcome, planned: Set<string>): SnapshotOutcome {
  const parts = result.parts.map((part) => {
    if (part.rows !== undefined || part.act !== 'written') return part
    return planned.has(part.path) ? ({ ...part, act: 'same' } as const) : part
  })
  for (const { path, rows } of parts) if (rows === undefined) planned.add(path)
  const outcome = result.outcome === 'restored' ? outcomeOf(parts) : result.outcome
  return { ...result, parts, outcome: outcome === 'restored' ? 'would restore' : outcome }
}

function outcomeOf(parts: readonly RestoreResult[]): 'same' | 'restored' {
  return parts.every(({ act }) => act === 'same') ? 'same' : 'restored'
}

/**
 * The ids of sessions that are not restored under their own: their agent numbers sessions, and here another session has the
 * number. They follow from the snapshot, so that restoring it again finds what was restored.
 */
class NewIds {
  readonly #request: SnapshotRestoreRequest
  readonly #byAgent = new Map<string, ReadonlyMap<string, string>>()

  constructor(request: SnapshotRestoreRequest) {
    this.#request = request
  }

  of({ agent, native_id }: SnapshotSession): SnapshotOutcome['restoredAs'] {
    const known = agents.find(({ id }) => id === agent)
    const own = known && this.all(known).get(native_id)
    return own === undefined ? undefined : { id: sessionId(agent, own), native_id: own }
  }

  /** New native ids by those in the snapshot. */
  all(agent: Agent): ReadonlyMap<string, string> {
    let found = this.#byAgent.get(agent.id)
    if (!found) {
      const { verified, to } = this.#request
      const sessions = agent.backup?.idColumns ? verified.sessions.filter((one) => one.agent === agent.id) : []
      found = newIds(sessions, sessions.length > 0 ? listHeads(agent, to) : [])
      this.#byAgent.set(agent.id, found)
    }
    return found
  }
}

type Numbered = Pick<SnapshotSession, 'native_id' | 'created_at'>

/** Two sessions with one id are different ones if they were created at different times. */
function newIds(sessions: readonly Numbered[], existing: readonly Numbered[]): Map<string, string> {
  const times = new Map(existing.map(({ native_id, created_at }) => [native_id, created_at]))
  const found = new Map<string, string>()
  for (const { native_id, created_at } of sessions) {
    const other = times.get(native_id)
    if (!other || !created_at || other === created_at) continue
    found.set(native_id, `${native_id}-${hash53(created_at).toString(36)}`)
  }
  return found
}

function unsupported({ agent }: SnapshotSession, known: Agent | undefined): string {
  return known ? `sessions of ${known.title} cannot be restored` : `unknown agent "${agent}"`
}

async function next(entries: AsyncGenerator<ReadEntry>, name?: string): Promise<ReadEntry> {
  const { value } = await entries.next()
  if (!value || (name !== undefined && (value as ReadEntry).name !== name)) throw changed()
  return value as ReadEntry
}

function changed(): IonError {
  return new IonError('failed', 'the snapshot changed while it was read', { hint: 'run it again' })
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

function restoreSession(
  session: SnapshotSession,
  header: SnapshotHeader,
  starts: ReadonlyMap<string, number>,
  spool: Spool,
  request: SnapshotRestoreRequest,
  newIds: NewIds,
): SnapshotOutcome {
  const agent = agents.find(({ id }) => id === session.agent)
  if (!agent?.backup) return { session, outcome: 'failed', parts: [], reason: unsupported(session, agent) }
  const restoredAs = newIds.of(session)
  const named = restoredAs ? { restoredAs } : {}
  try {
    const parts = restore({
      agent,
      native_id: restoredAs?.native_id ?? session.native_id,
      cwd: session.cwd,
      parts: session.parts.map(storedPart),
      content: (part) => spool.read(starts.get(keyOf(part))!, part.size),
      io: request.to,
      ...moveOf(header, request),
      ...(request.dryRun ? { dryRun: true } : {}),
      newIds: newIds.all(agent),
    })
    const as = { agent: agent.id, id: restoredAs?.id ?? session.id }
    const marks = request.dryRun ? 0 : mergeMarks(request.to, as, session.marks ?? [])
    return { session, outcome: outcomeOf(parts), parts, ...named, ...(marks > 0 ? { marks } : {}) }
  } catch (error) {
    if (isDiskFull(error)) throw error
    const isRefused = error instanceof IonError && error.kind === 'refused'
    return { session, outcome: isRefused ? 'refused' : 'failed', parts: [], reason: messageOf(error), ...named }
  }
}

/** The snapshot may come from somebody else: only the owner may write the restored files. */
function storedPart(part: SnapshotPart): StoredPart {
  if (part.kind === 'rows') return { ...part, pieces: [] }
  return { ...part, mode: (part.mode & 0o755) | 0o600, pieces: [] }
}
