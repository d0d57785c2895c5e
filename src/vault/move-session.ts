import { copyFileSync, statSync } from 'node:fs'
import { basename, join } from 'node:path'
import type { Agent } from '../agents/agent.ts'
import type { BackupPart, BackupSpec } from '../agents/backup.ts'
import { isProblem } from '../events/item.ts'
import type { SessionHead } from '../events/session.ts'
import { readContext } from '../native/read-context.ts'
import { privateFolder } from '../platform/atomic-file.ts'
import type { Io } from '../platform/io.ts'
import type { BackupVersion, StoredPart } from './manifest.ts'
import { storePath } from './part-content.ts'
import { type Move, moveFolder } from './path-rewrite.ts'
import { removeParts } from './remove.ts'
import { destinationOf, restore } from './restore.ts'
import type { Vault } from './vault.ts'
import { vaultFolder } from './vault-paths.ts'

export interface MoveRequest {
  readonly agent: Agent
  /** As it is in the store now. */
  readonly head: SessionHead
  /** The exact copy that the caller has just made of it. */
  readonly version: BackupVersion
  readonly vault: Vault
  /** The folder that was moved, and where it is now. */
  readonly from: string
  readonly to: string
  readonly io: Io
}

/**
 * Moves a session to the new place of its folder, in its agent's store and under the same id: restores the copy with the
 * paths rewritten, and then removes what was stored under the old path. Each step can be repeated, so an interrupted move
 * is completed by the next one. Throws `refused` if the store has something else in the new place, or the session is open.
 */
export function moveSession({ agent, head, version, vault, from, to, io }: MoveRequest): void {
  const backup = agent.backup!
  const move = moveFolder(from, to)
  const { native_id, cwd } = head
  const moving = partsThatMove({ head, backup, move, io })
  const isMoving = (part: Pick<BackupPart, 'kind' | 'root' | 'path'>): boolean => moving.has(keyOf(part))
  for (const part of version.parts) keepIncompleteLine(part, head, backup, io)
  const base = { agent, native_id, cwd, content: (part: StoredPart) => vault.content(part), io, move }
  restore({ ...base, parts: version.parts.filter(isMoving) })
  restore({ ...base, parts: version.parts.filter((part) => !isMoving(part)), replace: true })
  removeParts(agent, head, io, isMoving)
}

interface Moving {
  readonly head: SessionHead
  readonly backup: BackupSpec
  readonly move: Move
  readonly io: Io
}

/** The parts that are stored under the folder's path; the others are changed where they are. */
function partsThatMove({ head, backup, move, io }: Moving): ReadonlySet<string> {
  const moving = new Set<string>()
  for (const part of backup.parts(head, readContext(io))) {
    if (isProblem(part)) throw new Error(part.problem)
    const isNamedAfterFolder =
      part.kind === 'file'
        ? destinationOf(part, { cwd: head.cwd, move, io }, backup).place !== part.path
        : part.tables.some(({ table, where }) =>
            Object.entries(where).some(
              ([column, value]) =>
                typeof value === 'string' &&
                backup.rewrite?.columns?.[table]?.includes(column) &&
                move(value) !== value,
            ),
          )
    if (isNamedAfterFolder) moving.add(keyOf(part))
  }
  return moving
}

function keyOf({ kind, root, path }: Pick<BackupPart, 'kind' | 'root' | 'path'>): string {
  return JSON.stringify([kind, root, path])
}

/** A copy ends with the last complete line. What a killed agent left after it is kept, though nothing can read it. */
function keepIncompleteLine(part: StoredPart, { id, agent }: SessionHead, backup: BackupSpec, io: Io): void {
  if (part.kind !== 'file' || part.form !== 'lines' || part.shared) return
  const path = storePath(part, backup, io)
  const stat = statSync(path, { throwIfNoEntry: false })
  if (!stat || stat.size === part.size) return
  const folder = privateFolder(join(vaultFolder(io), 'safety', agent, `moved-${id}`))
  copyFileSync(path, join(folder, basename(path)))
}
