import { FORMAT_VERSION } from './format-version.ts'
import { ReadError } from './item.ts'

/** Turns one event of version n (as parsed JSON) into one of version n + 1. Added to, never edited. */
type Migration = (event: Record<string, unknown>) => Record<string, unknown>

/** `migrations[0]` leads from version 1 to 2, and so on. Version 1 is the first, so there is none yet. */
const migrations: readonly Migration[] = []

/**
 * Brings an event of an older log up to the present version.
 * A newer version is an error that says so: reading it half would lose what we do not know.
 */
export function migrate(event: Record<string, unknown>, version: number): Record<string, unknown> {
  if (!Number.isInteger(version) || version < 1)
    throw new ReadError('invalid_record', `format version ${version} does not exist`)
  if (version > FORMAT_VERSION) {
    throw new ReadError(
      'unknown_format',
      `format version ${version} is newer than this Ion, which reads up to ${FORMAT_VERSION}; update Ion`,
    )
  }
  return migrations.slice(version - 1).reduce((current, step) => step(current), event)
}
