import { type Problem, ReadError } from '../events/item.ts'
import { messageOf } from '../platform/error.ts'
import { isDamaged, isLocked, isSqliteError } from '../platform/sqlite.ts'

/** The error as a problem. */
export function problemOf(path: string, error: unknown): Problem {
  return { ...reason(error), problem: messageOf(error), path }
}

/** The same, saying first what failed. */
export function cannotRead(path: string, error: unknown, what = 'cannot read'): Problem {
  return { ...reason(error), problem: `${what}: ${messageOf(error)}`, path }
}

function reason(error: unknown): Pick<Problem, 'code' | 'errno'> {
  if (error instanceof ReadError) return { code: error.code }
  if (error instanceof SyntaxError) return { code: 'not_json' }
  if (isLocked(error)) return { code: 'locked' }
  if (isDamaged(error)) return { code: 'damaged' }
  if (isSqliteError(error)) return { code: 'cannot_read' }
  const { code } = Object(error) as { code?: string | number }
  // Anything without a code was thrown by a parser about what it found.
  if (code === undefined) return { code: 'invalid_record' }
  // Those of decompression: numbers for zstd, Z_DATA_ERROR and the like for zlib.
  return typeof code === 'number' || code.startsWith('Z_') ? { code: 'damaged' } : { code: 'cannot_read', errno: code }
}
