import type { Agent } from '../agents/agent.ts'
import type { BackupPart, BackupSpec } from '../agents/backup.ts'
import { isProblem } from '../events/item.ts'
import type { SessionHead } from '../events/session.ts'
import { readContext } from '../native/read-context.ts'
import { syncFolder } from '../platform/atomic-file.ts'
import { IonError, messageOf } from '../platform/error.ts'
import type { Io } from '../platform/io.ts'
import {
  type BackedUpSession,
  type BackupVersion,
  backedUpIds,
  readManifest,
  type StoredPart,
  writeManifest,
} from './manifest.ts'
import { hashOf, Objects, PIECE, type PutOptions } from './objects.ts'
import { readPart, retryIfChanged } from './part-content.ts'

/** The number of versions kept of a session, where one does not contain the other. */
const MAX_VERSIONS = 3

/** A session that changed this recently may change again or be needed soon: its copy is not compressed yet. */
const RECENT_MS = 7 * 86_400_000

export interface BackUpOptions {
  readonly force?: boolean
  readonly unsynced?: Set<string>
}

/** Exact copies of sessions. A writer holds the archive's lease. */
export class Vault {
  readonly #io: Io
  readonly #objects: Objects

  constructor(io: Io) {
    this.#io = io
    this.#objects = new Objects(io)
  }

  /**
   * Copies a session as it is now. False for an agent whose sessions cannot be restored, or when the session has no data.
   * `force` verifies earlier copies: damaged pieces are written again, or their version is dropped. The copy counts after a
   * power failure when this returns; with `unsynced`, after the folder that is added there was synced.
   */
  backUp(agent: Agent, head: SessionHead, { force = false, unsynced }: BackUpOptions = {}): boolean {
    const { backup } = agent
    if (!backup) return false
    const known = this.#readable(agent, head.id)
    const last = known?.versions.at(-1)
    const how = { changed: this.#lastChange(head), verify: force }
    const parts: StoredPart[] = []
    let containsLast = true
    for (const part of backup.parts(head, readContext(this.#io))) {
      if (isProblem(part)) throw new Error(part.problem)
      const before = last?.parts.find(({ root, path }) => root === part.root && path === part.path)
      const copied = this.#copy(part, backup, before, how)
      if (!copied) continue
      parts.push(copied.stored)
      containsLast &&= copied.containsBefore
    }
    if (parts.length === 0) return false
    containsLast &&=
      last?.parts.every(({ root, path }) => parts.some((one) => one.root === root && one.path === path)) ?? false
    const version: BackupVersion = {
      at: this.#io.now().toISOString(),
      revision: head.revision,
      agent_version: head.agent_version,
      parts,
    }
    const { id, native_id, title, cwd } = head
    // A version that the new one contains is dropped.
    const others = (known?.versions ?? [])
      .slice(0, containsLast ? -1 : undefined)
      .filter(
        ({ parts }) => !force || parts.every(({ pieces }) => pieces.every((hash) => this.#objects.isIntact(hash))),
      )
      .slice(1 - MAX_VERSIONS)
    const session: BackedUpSession = {
      v: 1,
      agent: agent.id,
      id,
      native_id,
      title,
      cwd,
      versions: [...others, version],
    }
    const folder = writeManifest(session, this.#io)
    if (unsynced) unsynced.add(folder)
    else syncFolder(folder)
    return true
  }

  find(agent: Agent, id: string): BackedUpSession | undefined {
    return readManifest(agent.id, id, this.#io)
  }

  /** The content of a part, piece by piece; throws when it is damaged. */
  *content({ pieces }: Pick<StoredPart, 'pieces'>): Generator<Buffer> {
    for (const hash of pieces) yield this.#objects.get(hash)
  }

  /** Reads everything back. Yields each session, with its problem if it has one. */
  *verify(agents: readonly Agent[]): Generator<{ agent: string; id: string; bytes: number; problem?: string }> {
    const intact = new Set<string>()
    for (const agent of agents) {
      for (const id of backedUpIds(agent.id, this.#io)) {
        let bytes = 0
        try {
          for (const { pieces, size } of this.#allParts(agent, id)) {
            for (const hash of pieces) {
              if (!intact.has(hash)) this.#objects.get(hash)
              intact.add(hash)
            }
            bytes += size
          }
          yield { agent: agent.id, id, bytes }
        } catch (error) {
          yield { agent: agent.id, id, bytes, problem: messageOf(error) }
        }
      }
    }
  }

  /** Removes pieces that no session needs; none while a manifest cannot be read. Returns the bytes freed. */
  sweep(agents: readonly Agent[]): number {
    const needed = new Set<string>()
    for (const agent of agents) {
      for (const id of backedUpIds(agent.id, this.#io)) {
        try {
          for (const { pieces } of this.#allParts(agent, id)) for (const hash of pieces) needed.add(hash)
        } catch {
          return 0
        }
      }
    }
    return this.#objects.sweep(needed)
  }

  /** Compresses copies of sessions that are no longer recent, except those made here. Returns the problems. */
  pack(): string[] {
    return this.#objects.pack(this.#recentSince())
  }

  /** Of all versions. Throws when the manifest is damaged. */
  #allParts(agent: Agent, id: string): StoredPart[] {
    return this.find(agent, id)!.versions.flatMap(({ parts }) => parts)
  }

  /** Undefined where it is not known, or cannot be true. */
  #lastChange({ updated_at }: SessionHead): number | undefined {
    const time = Date.parse(updated_at ?? '')
    return time > 0 && time < this.#io.now().getTime() ? time : undefined
  }

  #recentSince(): number {
    return this.#io.now().getTime() - RECENT_MS
  }

  /** A damaged manifest is replaced; one of a newer Ion must not be. */
  #readable(agent: Agent, id: string): BackedUpSession | undefined {
    try {
      return this.find(agent, id)
    } catch (error) {
      if (error instanceof IonError && error.kind === 'refused') throw error
      return undefined
    }
  }

  #copy(
    part: BackupPart,
    backup: BackupSpec,
    before: StoredPart | undefined,
    how: PutOptions,
  ): { stored: StoredPart; containsBefore: boolean } | undefined {
    let pieces: string[] = []
    let size = 0
    let containsBefore = true
    const begin = (): void => {
      pieces = []
      size = 0
      containsBefore = before !== undefined || part.kind === 'file'
    }
    const take = (piece: Buffer): void => {
      if (before) containsBefore &&= contains(before, pieces.length, piece)
      pieces.push(this.#objects.put(piece, how))
      size += piece.length
    }
    const copied = retryIfChanged(begin, () => readPart(part, backup, this.#io, take))
    if (!copied) return undefined
    containsBefore &&= part.kind === 'rows' ? size === before?.size : size >= (before?.size ?? 0)
    return { stored: { ...copied, size, pieces }, containsBefore }
  }
}

/** Whether this piece starts with the content of the earlier piece of that index. */
function contains({ pieces, size }: StoredPart, index: number, piece: Buffer): boolean {
  const hash = pieces[index]
  if (hash === undefined) return true
  const length = Math.min(PIECE, size - index * PIECE)
  return piece.length >= length && hashOf(piece.subarray(0, length)) === hash
}
