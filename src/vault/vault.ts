import type { Agent } from '../agents/agent.ts'
import type { BackupPart } from '../agents/backup.ts'
import { isProblem } from '../events/item.ts'
import type { SessionHead } from '../events/session.ts'
import { readContext } from '../native/read-context.ts'
import { messageOf } from '../platform/error.ts'
import type { Io } from '../platform/io.ts'
import { type BackedUpSession, type BackupVersion, type KeptPart, keptIds, readKept, writeKept } from './manifest.ts'
import { hashOf, Objects, PIECE } from './objects.ts'
import { placeOf, readFilePart, readRowsPart, steadily } from './part-content.ts'

/** So many states of a session are kept where one does not contain the other. */
const VERSIONS = 3

/** What has changed within this time may well change again, or be wanted back: it is not packed yet. */
const YOUNG_MS = 7 * 86_400_000

/** Exact copies of sessions as the agents have them. Whoever writes holds the lease of the archive. */
export class Vault {
  readonly #io: Io
  readonly #objects: Objects

  constructor(io: Io) {
    this.#io = io
    this.#objects = new Objects(io)
  }

  /**
   * Keeps a session as it is now. False for an agent whose sessions cannot be put back, or when nothing is there.
   * `anew` believes nothing that was kept before: what is damaged is written again, or given up.
   */
  keep(agent: Agent, head: SessionHead, { anew = false }: { readonly anew?: boolean } = {}): boolean {
    const { backup: keep } = agent
    if (!keep) return false
    const known = this.#readable(agent, head.id)
    const last = known?.versions.at(-1)
    const how = { isPlain: !(Date.parse(head.updated_at ?? '') < this.#youngSince()), isDoubted: anew }
    const parts: KeptPart[] = []
    let isGrown = true
    for (const part of keep.parts(head, readContext(this.#io))) {
      if (isProblem(part)) throw new Error(part.problem)
      const before = last?.parts.find(({ root, path }) => root === part.root && path === part.path)
      const taken = this.#take(part, placeOf(part, keep, this.#io), before, how)
      if (!taken) continue
      parts.push(taken.kept)
      isGrown &&= taken.isGrown
    }
    if (parts.length === 0) return false
    isGrown &&=
      last?.parts.every(({ root, path }) => parts.some((one) => one.root === root && one.path === path)) ?? false
    const version: BackupVersion = {
      at: this.#io.now().toISOString(),
      revision: head.revision,
      agent_version: head.agent_version,
      parts,
    }
    const { id, native_id, title, cwd } = head
    // What the new state contains need not be kept beside it.
    const others = (known?.versions ?? [])
      .slice(0, isGrown ? -1 : undefined)
      .filter(({ parts }) => !anew || parts.every(({ pieces }) => pieces.every((hash) => this.#objects.isGood(hash))))
      .slice(1 - VERSIONS)
    writeKept({ v: 1, agent: agent.id, id, native_id, title, cwd, versions: [...others, version] }, this.#io)
    return true
  }

  find(agent: Agent, id: string): BackedUpSession | undefined {
    return readKept(agent.id, id, this.#io)
  }

  /** The content of a part, piece by piece; throws when a bit of it has changed. */
  *content({ pieces }: Pick<KeptPart, 'pieces'>): Generator<Buffer> {
    for (const hash of pieces) yield this.#objects.get(hash)
  }

  /** Reads everything back. Gives each session, with what is wrong with it. */
  *verify(agents: readonly Agent[]): Generator<{ agent: string; id: string; bytes: number; problem?: string }> {
    const good = new Set<string>()
    for (const agent of agents) {
      for (const id of keptIds(agent.id, this.#io)) {
        let bytes = 0
        try {
          for (const { pieces, size } of readKept(agent.id, id, this.#io)!.versions.flatMap(({ parts }) => parts)) {
            for (const hash of pieces) {
              if (!good.has(hash)) this.#objects.get(hash)
              good.add(hash)
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

  /** Removes what no session needs any more; nothing while one of them cannot be read. Returns the bytes. */
  sweep(agents: readonly Agent[]): number {
    const needed = new Set<string>()
    for (const agent of agents) {
      for (const id of keptIds(agent.id, this.#io)) {
        try {
          for (const { parts } of readKept(agent.id, id, this.#io)!.versions) {
            for (const { pieces } of parts) for (const hash of pieces) needed.add(hash)
          }
        } catch {
          return 0
        }
      }
    }
    return this.#objects.sweep(needed)
  }

  /** Packs copies of sessions that were young once. Gives what is wrong. */
  pack(): string[] {
    return this.#objects.pack(this.#youngSince())
  }

  #youngSince(): number {
    return this.#io.now().getTime() - YOUNG_MS
  }

  /** A copy that cannot be read is as good as none, and is made anew. */
  #readable(agent: Agent, id: string): BackedUpSession | undefined {
    try {
      return this.find(agent, id)
    } catch {
      return undefined
    }
  }

  #take(
    part: BackupPart,
    path: string,
    before: KeptPart | undefined,
    how: { readonly isPlain: boolean; readonly isDoubted: boolean },
  ): { kept: KeptPart; isGrown: boolean } | undefined {
    let pieces: string[] = []
    let size = 0
    let isGrown = true
    const begin = (): void => {
      pieces = []
      size = 0
      isGrown = before !== undefined || part.kind === 'file'
    }
    const take = (piece: Buffer): void => {
      if (before) isGrown &&= contains(before, pieces.length, piece)
      pieces.push(this.#objects.put(piece, how))
      size += piece.length
    }
    const { root } = part
    if (part.kind === 'rows') {
      steadily(begin, () => readRowsPart(path, part, take))
      return { kept: { kind: 'rows', root, path: part.path, size, pieces }, isGrown: isGrown && size === before?.size }
    }
    const mode = steadily(begin, () => readFilePart(path, part.form, take))
    if (mode === undefined) return undefined
    const { form, shared } = part
    const kept: KeptPart = {
      ...{ kind: 'file', root, path: part.path, form, mode, size, pieces },
      ...(shared ? { shared } : {}),
    }
    return { kept, isGrown: isGrown && size >= (before?.size ?? 0) }
  }
}

/** Whether what was kept of the n-th piece stands at the start of this one. */
function contains({ pieces, size }: KeptPart, index: number, piece: Buffer): boolean {
  const known = pieces[index]
  if (known === undefined) return true
  const length = Math.min(PIECE, size - index * PIECE)
  return piece.length >= length && hashOf(piece.subarray(0, length)) === known
}
