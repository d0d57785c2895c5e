import { statSync } from 'node:fs'
import type { Problem } from '../../events/item.ts'
import { asObject } from '../../native/narrow.ts'
import { cannotRead } from '../../native/problem.ts'
import type { ReadContext } from '../../native/read-context.ts'
import { readWhole } from '../../native/window.ts'
import type { Fields } from './records.ts'

/** A larger file is reported and not opened: as one JSON value it has to be in memory at once. */
const MAX_FILE = 256 * 1024 * 1024

/** The session file; a problem if it is not one. Auggie rewrites it after each request. */
export function readSession(path: string, reading: ReadContext): Fields | Problem {
  try {
    const { size } = statSync(path)
    if (size > MAX_FILE)
      return { code: 'too_large', problem: `${Math.round(size / 1e6)} MB of JSON is too much to read`, path }
    const session = asObject(
      JSON.parse(
        readWhole(path, reading)
          .toString('utf8')
          .replace(/^\uFEFF/, ''),
      ),
    )
    return session ?? { code: 'not_json', problem: 'not a JSON object', path }
  } catch (error) {
    return cannotRead(path, error)
  }
}
