import { dirname, isAbsolute, join } from 'node:path'
import type { ImageBlock } from '../../events/event.ts'
import { requireInside } from '../../native/link-boundary.ts'
import { readRegularFile } from '../../native/regular-file.ts'
import { IonError, messageOf } from '../../platform/error.ts'
import type { Archive } from '../archive.ts'
import { type Imported, importLog } from '../import-log.ts'
import { isTrajectory, type Media, parseTrajectory, type Trajectory } from './document.ts'
import { type TrajectoryOrigin, trajectoryLog } from './events.ts'

/** What the import of a document says beside what every import does. */
export interface ImportedTrajectory extends Imported {
  /** Records that Ion does not know, kept as they are. */
  readonly unknown: number
  readonly subAgents: readonly ImportedTrajectory[]
  /** Another document, which has to be imported too. */
  readonly continuedIn: string | undefined
}

/** The document in a JSON file's value; undefined for anything else. Throws for an invalid one, with where and why. */
export function toTrajectory(value: unknown, path: string): Trajectory | undefined {
  if (!isTrajectory(value)) return undefined
  try {
    return parseTrajectory(value)
  } catch (error) {
    throw new IonError('usage', `${path}: ${messageOf(error)}; nothing was imported`, {
      cause: error,
      hint: 'give a valid ATIF document (Harbor and `pip install atif` have validators)',
    })
  }
}

/** Imports a document and its sub-agents, each as a session. */
export function importTrajectory(
  trajectory: Trajectory,
  { path, cwd }: { readonly path: string; readonly cwd: string | null },
  archive: Archive,
): ImportedTrajectory {
  return importOne(trajectory, { cwd, image: (media) => imageIn(dirname(path), media) }, archive)
}

function importOne(trajectory: Trajectory, origin: TrajectoryOrigin, archive: Archive): ImportedTrajectory {
  const { start, events, calls } = trajectoryLog(trajectory, origin)
  const imported = importLog({ start, events: () => events }, archive)
  // The archive may have given the session another id.
  const parent = imported.start
  const subAgents = trajectory.subAgents.map((one) =>
    importOne(one, { ...origin, parent, spawnedBy: calls.get(one.trajectoryId!) }, archive),
  )
  const unknown = events.filter(({ type }) => type === 'native').length
  return { ...imported, unknown, subAgents, continuedIn: trajectory.continuedIn }
}

const MAX_IMAGE = 20 * 1024 * 1024
const DATA = /^data:([^;,]+);base64,([A-Za-z0-9+/=]+)$/

/**
 * The image itself where it is a file beside the document: a document must not be able to have any other file of this machine
 * archived, and handed over to a model. Otherwise the reference to it.
 */
function imageIn(folder: string, { mediaType, path }: Media): ImageBlock {
  const [, type, data] = DATA.exec(path) ?? []
  if (data !== undefined) return { type: 'image', media_type: type!, data }
  const bytes = isAbsolute(path) || path.includes('://') ? undefined : imageBytes(folder, path)
  const content = bytes ? { data: bytes.toString('base64') } : { url: path }
  return { type: 'image', media_type: mediaType, ...content }
}

const STARTS = [/^\x89PNG\r\n\x1a\n/, /^\xff\xd8\xff/, /^GIF8[79]a/, /^RIFF.{4}WEBP/s]

function imageBytes(folder: string, path: string): Buffer | undefined {
  try {
    const file = join(folder, path)
    requireInside(file, folder)
    const bytes = readRegularFile(file, MAX_IMAGE)
    const start = bytes.toString('latin1', 0, 12)
    return STARTS.some((one) => one.test(start)) ? bytes : undefined
  } catch {
    // Missing, too large, or outside the folder.
    return undefined
  }
}
