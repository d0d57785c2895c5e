import type { FilePart } from '../../agents/backup.ts'
import { isUuid } from '../../events/id.ts'

/** The number in the header. A newer one is refused, since it may mean something else. */
export const SNAPSHOT_VERSION = 1
export const HEADER_NAME = 'ion-snapshot.json'
export const MANIFEST_NAME = 'manifest.jsonl'

/** The first file in a snapshot. */
export interface SnapshotHeader {
  readonly format: 'ion-snapshot'
  readonly v: number
  readonly created_at: string
  /** Paths below it are below another one where the home is another. */
  readonly home: string
  readonly platform: string
  readonly ion_version: string
  /** With all versions that wrote the sessions. */
  readonly agents: readonly { readonly agent: string; readonly versions: readonly string[] }[]
}

interface PartContent {
  readonly root: string
  readonly path: string
  readonly size: number
  readonly sha256: string
}

/** A part of a session as keep.ts has it; rows as the lines of native/rows.ts. */
export type SnapshotPart =
  | (PartContent & {
      readonly kind: 'file'
      readonly form: FilePart['form']
      readonly mode: number
      readonly shared?: true
    })
  | (PartContent & { readonly kind: 'rows' })

/** A line of the manifest, which is the last file. */
export interface SnapshotSession {
  readonly agent: string
  readonly id: string
  readonly native_id: string
  readonly title: string | null
  readonly cwd: string | null
  readonly created_at: string | null
  readonly updated_at: string | null
  readonly agent_version: string | null
  /** In the order in which they stand in the file. */
  readonly parts: readonly SnapshotPart[]
}

/** The last line of the manifest: so that nothing is missing from it. */
export interface ManifestEnd {
  readonly end: true
  readonly sessions: number
  readonly sha256: string
}

/** The name of a part in the tar. */
export function entryName(
  { agent, id }: Pick<SnapshotSession, 'agent' | 'id'>,
  { kind, root, path }: Pick<SnapshotPart, 'kind' | 'root' | 'path'>,
): string {
  return kind === 'file' ? `${agent}/${id}/files/${root}/${path}` : `${agent}/${id}/rows/${root}/${path}.jsonl`
}

export function bytesOf({ parts }: SnapshotSession): number {
  return parts.reduce((sum, { size }) => sum + size, 0)
}

/** Throws for what is not a header, or one that is newer than this Ion. */
export function parseSnapshotHeader(text: string): SnapshotHeader {
  const value = parsed(text)
  const { format, v, created_at, home, platform, ion_version, agents } = value
  if (format !== 'ion-snapshot' || !isCount(v)) throw new Error('not a snapshot of Ion')
  if (v > SNAPSHOT_VERSION) throw new Error(`a snapshot of version ${v}: written by a newer Ion`)
  const isWhole =
    [created_at, home, platform, ion_version].every(isText) &&
    Array.isArray(agents) &&
    agents.every((one) => isText(Object(one).agent) && isList(Object(one).versions, isText))
  if (!isWhole) throw new Error('its header is not what Ion writes')
  return value as unknown as SnapshotHeader
}

/** A line of the manifest. Throws for anything that Ion would not have written. */
export function parseManifestLine(line: string): SnapshotSession | ManifestEnd {
  const value = parsed(line)
  if (value.end === true && isCount(value.sessions) && isText(value.sha256)) return value as unknown as ManifestEnd
  const { agent, id, native_id, title, cwd, created_at, updated_at, agent_version, parts } = value
  const isWhole =
    isText(agent) &&
    /^[a-z][a-z0-9-]*$/.test(agent) &&
    isText(id) &&
    isUuid(id) &&
    isText(native_id) &&
    [title, cwd, created_at, updated_at, agent_version].every((one) => one === null || isText(one)) &&
    isList(parts, isPart)
  if (!isWhole) throw new Error('a line of the manifest is not what Ion writes')
  return value as unknown as SnapshotSession
}

function isPart(value: unknown): boolean {
  const { kind, root, path, size, sha256, form, mode, shared } = Object(value) as Record<string, unknown>
  if (!isText(root) || !isText(path) || !isCount(size) || !isText(sha256) || !/^[0-9a-f]{64}$/.test(sha256))
    return false
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

function isText(value: unknown): value is string {
  return typeof value === 'string'
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0
}

function isList(value: unknown, isOne: (one: unknown) => boolean): boolean {
  return Array.isArray(value) && value.every(isOne)
}
