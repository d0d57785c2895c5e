import { isNonRecord } from '../../events/item.ts'
import { readJsonLines } from '../../native/json-lines.ts'
import { asString } from '../../native/narrow.ts'
import { oncePerRead } from '../../native/read-context.ts'
import { type FileStamp, stampOf } from '../../native/walk.ts'
import { namesFile } from './paths.ts'

export interface Names {
  /** Undefined when no session has a name. */
  readonly stamp: FileStamp | undefined
  readonly byId: ReadonlyMap<string, string>
}

/** The last that was read, for the next ReadContext. */
let known: { readonly path: string; readonly names: Names } | undefined

/** The names that users gave with /rename; the last one of an id wins. The file is read again only when it changed. */
export const sessionNames = oncePerRead((reading): Names => {
  const path = namesFile(reading.io)
  const stamp = stampOf(path)
  if (known?.path === path && JSON.stringify(known.names.stamp) === JSON.stringify(stamp)) return known.names
  const byId = new Map<string, string>()
  for (const line of stamp ? readJsonLines(path, reading) : []) {
    // A bad line costs a name, not a session.
    if (isNonRecord(line)) continue
    const id = asString(line.record.id)?.toLowerCase()
    const name = asString(line.record.thread_name)
    if (id && name) byId.set(id, name)
  }
  const names = { stamp, byId }
  known = { path, names }
  return names
})
