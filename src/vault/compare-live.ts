import { statSync } from 'node:fs'
import type { Agent } from '../agents/agent.ts'
import { isProblem } from '../events/item.ts'
import type { SessionHead } from '../events/session.ts'
import { readContext } from '../native/read-context.ts'
import type { Io } from '../platform/io.ts'
import type { BackupVersion, StoredPart } from './manifest.ts'
import { hashOf } from './objects.ts'
import { readPart, storePath } from './part-content.ts'
import type { Vault } from './vault.ts'

/**
 * How the copy differs from the agent's store; undefined when it is identical to the byte and can be read back. Called
 * before anything is removed. An incomplete last line is in no copy.
 */
export function differsFromLive(
  agent: Agent,
  head: SessionHead,
  version: BackupVersion,
  vault: Vault,
  io: Io,
): string | undefined {
  for (const part of agent.backup!.parts(head, readContext(io))) {
    if (isProblem(part)) return part.problem
    const path = storePath(part, agent.backup!, io)
    const pieces: string[] = []
    let size = 0
    const exists = readPart(part, agent.backup!, io, (piece) => {
      pieces.push(hashOf(piece))
      size += piece.length
    })
    if (!exists) continue
    const stored = version.parts.find(
      ({ kind, root, path }) => kind === part.kind && root === part.root && path === part.path,
    )
    if (stored?.size !== size || stored.pieces.join() !== pieces.join()) return `${path} has changed`
    const endsMidLine = part.kind === 'file' && part.form === 'lines' && statSync(path).size !== size
    if (endsMidLine) return `${path} ends in the middle of a line; the agent may be writing it`
  }
  for (const part of version.parts) readBack(part, vault)
  return undefined
}

/** Throws when the copy is damaged. */
function readBack(part: StoredPart, vault: Vault): void {
  let size = 0
  for (const piece of vault.content(part)) size += piece.length
  if (size !== part.size) throw new Error(`the copy of ${part.path} has ${size} bytes instead of ${part.size}`)
}
