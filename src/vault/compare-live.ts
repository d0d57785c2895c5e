import { statSync } from 'node:fs'
import type { Agent } from '../agents/agent.ts'
import type { BackupPart } from '../agents/backup.ts'
import { isProblem } from '../events/item.ts'
import type { SessionHead } from '../events/session.ts'
import { readContext } from '../native/read-context.ts'
import type { Io } from '../platform/io.ts'
import type { BackupVersion, KeptPart } from './manifest.ts'
import { hashOf } from './objects.ts'
import { placeOf, readFilePart, readRowsPart } from './part-content.ts'
import type { Vault } from './vault.ts'

/**
 * Why the copy is not all that is in the agent's store now; undefined when it is, to the byte, and can be read back. To be
 * asked before anything is removed. What an agent has begun to write after the last line break is in no copy.
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
    const kept = version.parts.find(({ kind, root, path }) => [kind, root, path].join() === keyOf(part))
    const path = placeOf(part, agent.backup!, io)
    const there = piecesOf(path, part)
    if (!there) continue
    if (!kept || kept.size !== there.size || kept.pieces.join() !== there.pieces.join()) return `${path} has changed`
    if (there.isCut) return `${path} ends in the middle of a line; the agent may be writing it`
  }
  for (const part of version.parts) readBack(part, vault)
  return undefined
}

function keyOf({ kind, root, path }: BackupPart): string {
  return [kind, root, path].join()
}

/** Throws where the vault is damaged. */
function readBack(part: KeptPart, vault: Vault): void {
  let size = 0
  for (const piece of vault.content(part)) size += piece.length
  if (size !== part.size) throw new Error(`the copy of ${part.path} has ${size} bytes instead of ${part.size}`)
}

interface Pieces {
  readonly size: number
  readonly pieces: readonly string[]
  /** Something stands after the last whole line. */
  readonly isCut: boolean
}

/** Undefined when the part is not there. */
function piecesOf(path: string, part: BackupPart): Pieces | undefined {
  const pieces: string[] = []
  let size = 0
  const take = (piece: Buffer): void => {
    pieces.push(hashOf(piece))
    size += piece.length
  }
  if (part.kind === 'rows') {
    readRowsPart(path, part, take)
    return { size, pieces, isCut: false }
  }
  if (readFilePart(path, part.form, take) === undefined) return undefined
  return { size, pieces, isCut: part.form === 'lines' && statSync(path).size !== size }
}
