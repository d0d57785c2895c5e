import { isProblem } from '../../events/item.ts'
import { readJsonLines } from '../../native/json-lines.ts'
import type { Reading } from '../../native/reading.ts'
import { asString } from '../../native/shape.ts'
import { type FileStamp, stampOf } from '../../native/walk.ts'
import { namesFile } from './paths.ts'

export interface Names {
  /** Undefined when no session was ever named. */
  readonly stamp: FileStamp | undefined
  readonly byId: ReadonlyMap<string, string>
}

const known = new WeakMap<Reading, Names>()

/** The names that users gave with /rename; the last one of an id holds. The file is read again only when it changed. */
export function sessionNames(reading: Reading): Names {
  const path = namesFile(reading.io)
  const stamp = stampOf(path)
  const before = known.get(reading)
  if (before && before.stamp?.size === stamp?.size && before.stamp?.mtimeMs === stamp?.mtimeMs) return before
  const byId = new Map<string, string>()
  for (const line of stamp ? readJsonLines(path, reading) : []) {
    // A bad line costs a name, not a session.
    if (isProblem(line)) continue
    const id = asString(line.record.id)?.toLowerCase()
    const name = asString(line.record.thread_name)
    if (id && name) byId.set(id, name)
  }
  const names = { stamp, byId }
  known.set(reading, names)
  return names
}
