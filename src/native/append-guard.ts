import { createHash } from 'node:crypto'
import type { ReadContext } from './read-context.ts'
import { readAt } from './window.ts'

const GUARDED_BYTES = 4096

/**
 * Fingerprint of an append-only file up to `offset`: a hash of its first bytes and of the last ones before `offset`. As
 * long as it stays the same, the file has only grown; a file that was rewritten differs in one of the two places.
 */
export function appendGuard(path: string, offset: number, reading: ReadContext): string {
  const hash = createHash('sha1').update(readAt(path, 0, Math.min(GUARDED_BYTES, offset), reading))
  const from = Math.max(GUARDED_BYTES, offset - GUARDED_BYTES)
  if (offset > from) hash.update(readAt(path, from, offset - from, reading))
  return hash.digest('base64url')
}
