import { isUuid } from '../../events/id.ts'
import { type CarriedMark, isCarriedMark } from '../../organise/carry-marks.ts'
import type { CopiedPart } from '../part-content.ts'
import { isCount, isHash, isListOf, isText, isTextOrNull } from '../validate.ts'

/** A newer version is refused, since its fields may mean something else. */
export const SNAPSHOT_VERSION = 1
export const HEADER_NAME = 'ion-snapshot.json'
export const MANIFEST_NAME = 'manifest.jsonl'

/** The first entry of a snapshot. */
export interface SnapshotHeader {
  readonly format: 'ion-snapshot'
  readonly v: number
  readonly created_at: string
  /** Paths below it are rewritten when restored to another home. */
  readonly home: string
  readonly platform: string
  readonly ion_version: string
  /** With all agent versions that wrote the sessions. */
  readonly agents: readonly { readonly agent: string; readonly versions: readonly string[] }[]
}

export type SnapshotPart = CopiedPart & { readonly size: number; readonly sha256: string }

/** A line of the manifest, which is the last entry. */
export interface SnapshotSession {
  readonly agent: string
  readonly id: string
  readonly native_id: string
  readonly title: string | null
  readonly cwd: string | null
  readonly created_at: string | null
  readonly updated_at: string | null
  readonly agent_version: string | null
  /** In the order of their entries. */
  readonly parts: readonly SnapshotPart[]
  /** What the user added to it with Ion: name, tags, pin and note. Earlier versions of Ion do not know it. */
  readonly marks?: readonly CarriedMark[]
}

/** The last line of the manifest, which proves that it is complete. */
export interface ManifestEnd {
  readonly end: true
  readonly sessions: number
  readonly sha256: string
}

/** The tar entry of a part. */
export function entryName(
  { agent, id }: Pick<SnapshotSession, 'agent' | 'id'>,
  { kind, root, path }: Pick<SnapshotPart, 'kind' | 'root' | 'path'>,
): string {
  return kind === 'file' ? `${agent}/${id}/files/${root}/${path}` : `${agent}/${id}/rows/${root}/${path}.jsonl`
}

export function bytesOf({ parts }: SnapshotSession): number {
  return parts.reduce((sum, { size }) => sum + size, 0)
}

/** Throws for anything that is not a header, and for one written by a newer Ion. */
export function parseSnapshotHeader(text: string): SnapshotHeader {
  const value = parsed(text)
  const { format, v, created_at, home, platform, ion_version, agents } = value
  if (format !== 'ion-snapshot' || !isCount(v)) throw new Error('not an Ion snapshot')
  if (v > SNAPSHOT_VERSION) throw new Error(`written by a newer version of Ion (format ${v})`)
  const isValid =
    [created_at, home, platform, ion_version].every(isText) &&
    Array.isArray(agents) &&
    agents.every((one) => isText(Object(one).agent) && isListOf(Object(one).versions, isText))
  if (!isValid) throw new Error('its header is invalid')
  return value as unknown as SnapshotHeader
}

/** A line of the manifest. Throws for anything that Ion does not write. */
export function parseManifestLine(line: string): SnapshotSession | ManifestEnd {
  const value = parsed(line)
  if (value.end === true && isCount(value.sessions) && isText(value.sha256)) return value as unknown as ManifestEnd
  const { agent, id, native_id, title, cwd, created_at, updated_at, agent_version, parts, marks } = value
  const isValid =
    isText(agent) &&
    /^[a-z][a-z0-9-]*$/.test(agent) &&
    isText(id) &&
    isUuid(id) &&
    isText(native_id) &&
    [title, cwd, created_at, updated_at, agent_version].every(isTextOrNull) &&
    isListOf(parts, isPart) &&
    (marks === undefined || isListOf(marks, isCarriedMark))
  if (!isValid) throw new Error('a line of the manifest is invalid')
  return value as unknown as SnapshotSession
}

function isPart(value: unknown): boolean {
  const { kind, root, path, size, sha256, form, mode, shared } = Object(value) as Record<string, unknown>
  if (!isText(root) || !isText(path) || !isCount(size) || !isHash(sha256)) return false
  if (kind === 'rows') return true
  const isMode = isCount(mode) && mode <= 0o777
  const isForm = form === 'lines' || form === 'whole' || form === 'database'
  return kind === 'file' && isForm && isMode && (shared === undefined || shared === true)
}

function parsed(text: string): Record<string, unknown> {
  try {
    return Object(JSON.parse(text)) as Record<string, unknown>
  } catch (error) {
    throw new Error('a line is not JSON', { cause: error })
  }
}
