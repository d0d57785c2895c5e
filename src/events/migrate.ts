import { FORMAT_VERSION } from './format-version.ts'
import { ReadError } from './item.ts'

/** Turns one event of version n (as parsed JSON) into one of version n + 1. New ones are added; none is edited. */
type Migration = (event: Record<string, unknown>) => Record<string, unknown>

/** `migrations[0]` leads from version 1 to 2, and so on. */
const migrations: readonly Migration[] = []

/**
 * Migrates an event of an older log to the current version. A newer version is an error: reading it would lose what this
 * Ion does not know.
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
