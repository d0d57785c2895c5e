import { join } from 'node:path'
import { ionHome } from '../platform/home.ts'
import type { Io } from '../platform/io.ts'
import { CATALOG_VERSION } from './schema.ts'

/** The version is in the name, so that two versions of Ion on one home do not rebuild each other's index in turns. */
export function catalogPath(io: Io): string {
  return join(ionHome(io), `catalog.${CATALOG_VERSION}.db`)
}

/** The path of an index that nothing is written to disk for. */
export const IN_MEMORY = ':memory:'
