import type { Problem } from '../events/item.ts'
import { LineCursor } from './line-cursor.ts'
import { cannotRead } from './problem.ts'
import type { ReadContext } from './read-context.ts'

/** Runs `body` with a cursor over a file's lines. A file that cannot be opened or read is a problem, not an exception. */
export function* withLines<T>(
  path: string,
  reading: ReadContext,
  from: number,
  body: (cursor: LineCursor) => Iterable<T>,
): Generator<T | Problem> {
  let cursor: LineCursor
  try {
    cursor = new LineCursor(path, reading, from)
  } catch (error) {
    yield cannotRead(path, error, 'cannot open')
    return
  }
  try {
    yield* body(cursor)
  } catch (error) {
    yield cannotRead(path, error)
  } finally {
    cursor.close()
  }
}
