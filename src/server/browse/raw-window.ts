import type { Located } from '../../catalog/read-session.ts'
import { isOfLines, sizeOf } from '../../catalog/read-tail.ts'
import { isEvent } from '../../events/item.ts'
import { readContext } from '../../native/read-context.ts'
import { attempt } from '../../platform/error.ts'
import type { Io } from '../../platform/io.ts'
import { toJsonText } from '../../platform/json-text.ts'
import { Pace } from '../../platform/pace.ts'
import type { RawWindow } from './contract.ts'

export interface RawQuery {
  readonly after?: string
  /** An event. */
  readonly around?: string
  readonly limit: number
}

const MAX_LINE = 64 * 1024

/**
 * Some events of a session as lines of JSON. A cursor is a line's offset in a file of lines, where reading continues there; in any
 * other store it is a number of events, and those before are read again. Undefined if there is no such event or cursor.
 */
export async function rawWindow({ head, reader }: Located, query: RawQuery, io: Io): Promise<RawWindow | undefined> {
  const { after, around, limit } = query
  const [, sign, digits] = /^([@#])(\d{1,15})$/.exec(after ?? '#0') ?? []
  const isLines = isOfLines(reader, head, io)
  if (digits === undefined || (sign === '@' && !isLines)) return undefined
  const from = Number(digits)
  if (sign === '@' && from > (attempt(() => sizeOf(head.path)) ?? 0)) return undefined
  const startAt = sign === '@' && from > 0 ? { startAt: { path: head.path, offset: from } } : {}
  const lines: string[] = []
  const before: string[] = []
  const pace = new Pace(undefined)
  let isFound = around === undefined
  let hasBegun = false
  let count = 0
  let last = -1
  for (const item of reader.read(head, { ...readContext(io), ...startAt })) {
    if (pace.isDue) await pace.turn()
    if (!isEvent(item)) continue
    const { event, span } = item
    const place = count++
    // A reader that starts within the file gives the session's own event first, again; after the lines may come others.
    hasBegun ||= sign === '@' ? (span?.offset ?? -1) >= from : place >= from
    if (!hasBegun) continue
    if (lines.length >= limit) {
      if (!isLines) return { lines, after: `#${place}` }
      // A line may be several events, and is not divided; what comes after all lines belongs to the last one.
      if (span?.path === head.path && span.offset !== last) return { lines, after: `@${span.offset}` }
    }
    last = span?.offset ?? -1
    const line = lineOf(event)
    isFound ||= event.id === around
    if (isFound) lines.push(...before.splice(0), line)
    else if (before.push(line) > limit / 4) before.shift()
  }
  return isFound ? { lines, after: null } : undefined
}

function lineOf(event: object): string {
  const line = toJsonText(event)
  return line.length <= MAX_LINE ? line : `${line.slice(0, MAX_LINE)}…`
}
