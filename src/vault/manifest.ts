import { existsSync, readFileSync } from 'node:fs'
import { isUuid } from '../events/id.ts'
import { placeFile } from '../platform/atomic-file.ts'
import { IonError, isMissing } from '../platform/error.ts'
import type { Io } from '../platform/io.ts'
import { listNames } from '../platform/list-dir.ts'
import { damaged, hashOf } from './objects.ts'
import type { CopiedPart } from './part-content.ts'
import { isCount, isHash, isListOf, isText, isTextOrNull } from './validate.ts'
import { manifestFile, manifestsFolder } from './vault-paths.ts'

/** A newer version is refused, since its fields may mean something else. */
const MANIFEST_VERSION = 1

export type StoredPart = CopiedPart & {
  readonly size: number
  /** Hashes of its pieces, in order. */
  readonly pieces: readonly string[]
}

/** The session as it was at one moment. */
export interface BackupVersion {
  readonly at: string
  /** Revision of the session in the agent's store. */
  readonly revision: string
  readonly agent_version: string | null
  readonly parts: readonly StoredPart[]
}

export interface BackedUpSession {
  readonly v: 1
  readonly agent: string
  readonly id: string
  readonly native_id: string
  readonly title: string | null
  readonly cwd: string | null
  /** Oldest first. */
  readonly versions: readonly BackupVersion[]
}

/** There is an exact copy of the session, so that it can be restored. */
export function hasCopy({ agent, id }: { readonly agent: string; readonly id: string }, io: Io): boolean {
  return isUuid(id) && existsSync(manifestFile(agent, id, io))
}

/** Undefined when there is no copy. Throws `failed` when the file is damaged, `refused` when a newer Ion wrote it. */
export function readManifest(agent: string, id: string, io: Io): BackedUpSession | undefined {
  const file = manifestFile(agent, id, io)
  let text: string
  try {
    text = readFileSync(file, 'utf8')
  } catch (error) {
    if (isMissing(error)) return undefined
    throw error
  }
  const [body = '', check] = text.split('\n')
  if (hashOf(Buffer.from(body)) !== check) throw damaged(file, 'has changed since it was written')
  const value = JSON.parse(body) as unknown
  const { v } = Object(value) as { v?: unknown }
  if (isCount(v) && v > MANIFEST_VERSION) {
    throw new IonError('refused', `${file} was written by a newer version of Ion (format ${v})`, {
      hint: 'update Ion to the version that made the copy',
    })
  }
  if (!isManifest(value)) throw damaged(file, 'is not a manifest')
  return value
}

function isManifest(value: unknown): value is BackedUpSession {
  const { v, agent, id, native_id, title, cwd, versions } = Object(value) as Record<string, unknown>
  return (
    v === MANIFEST_VERSION &&
    [agent, id, native_id].every(isText) &&
    [title, cwd].every(isTextOrNull) &&
    isListOf(versions, isVersion)
  )
}

function isVersion(value: unknown): boolean {
  const { at, revision, agent_version, parts } = Object(value) as Record<string, unknown>
  return isText(at) && isText(revision) && isTextOrNull(agent_version) && isListOf(parts, isStoredPart)
}

function isStoredPart(value: unknown): boolean {
  const { kind, root, path, size, pieces, form, mode } = Object(value) as Record<string, unknown>
  if (!isText(root) || !isText(path) || !isCount(size) || !isListOf(pieces, isHash)) return false
  return kind === 'rows' || (kind === 'file' && isText(form) && isCount(mode))
}

/** Two lines: the manifest and its hash. On the disk after the folder, which is returned, was synced. */
export function writeManifest(session: BackedUpSession, io: Io): string {
  const body = JSON.stringify(session)
  placeFile(manifestFile(session.agent, session.id, io), `${body}\n${hashOf(Buffer.from(body))}\n`)
  return manifestsFolder(session.agent, io)
}

/** Ids of all sessions of an agent that have an exact copy. */
export function backedUpIds(agent: string, io: Io): string[] {
  return listNames(manifestsFolder(agent, io)).flatMap((name) => /^([0-9a-f-]{36})\.json$/.exec(name)?.[1] ?? [])
}
