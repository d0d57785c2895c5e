import { readFileSync } from 'node:fs'
import type { FilePart } from '../agents/backup.ts'
import { replaceFile } from '../platform/atomic-file.ts'
import { isMissing } from '../platform/error.ts'
import type { Io } from '../platform/io.ts'
import { listNames } from '../platform/list-dir.ts'
import { damaged, hashOf } from './objects.ts'
import { keptFolder, manifestFile } from './vault-paths.ts'

/** Where the content of a part is. */
interface Content {
  readonly size: number
  /** Hashes of its pieces, in order. */
  readonly pieces: readonly string[]
}

export interface KeptFilePart extends Omit<FilePart, 'kind'>, Content {
  readonly kind: 'file'
  readonly mode: number
}

/** Rows as lines: see native/rows.ts. */
export interface KeptRowsPart extends Content {
  readonly kind: 'rows'
  readonly root: string
  readonly path: string
}

export type KeptPart = KeptFilePart | KeptRowsPart

/** The session as it was at one time. */
export interface BackupVersion {
  readonly at: string
  /** Of the agent's store. */
  readonly revision: string
  readonly agent_version: string | null
  readonly parts: readonly KeptPart[]
}

export interface BackedUpSession {
  readonly v: 1
  readonly agent: string
  readonly id: string
  readonly native_id: string
  readonly title: string | null
  readonly cwd: string | null
  /** The oldest first. */
  readonly versions: readonly BackupVersion[]
}

/** Undefined when nothing was ever kept of it; throws for a file that is not what was written. */
export function readKept(agent: string, id: string, io: Io): BackedUpSession | undefined {
  const file = manifestFile(agent, id, io)
  let text: string
  try {
    text = readFileSync(file, 'utf8')
  } catch (error) {
    if (isMissing(error)) return undefined
    throw error
  }
  const [body = '', check] = text.split('\n')
  if (hashOf(Buffer.from(body)) !== check) throw damaged(file, 'is not what was written')
  return JSON.parse(body) as BackedUpSession
}

/** Two lines: what is kept, and its hash. */
export function writeKept(kept: BackedUpSession, io: Io): void {
  const body = JSON.stringify(kept)
  replaceFile(manifestFile(kept.agent, kept.id, io), `${body}\n${hashOf(Buffer.from(body))}\n`)
}

/** Ids of all sessions of an agent of which something is kept. */
export function keptIds(agent: string, io: Io): string[] {
  return listNames(keptFolder(agent, io)).flatMap((name) => /^([0-9a-f-]{36})\.json$/.exec(name)?.[1] ?? [])
}
