import { createHash } from 'node:crypto'

/** The first 16 hex digits of the SHA-256 of the project's path. It is never decoded. */
export function projectHash(project: string): string {
  return createHash('sha256').update(project).digest('hex').slice(0, 16)
}
