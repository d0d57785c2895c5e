import type { Located } from '../../catalog/read-session.ts'
import { isProblem } from '../../events/item.ts'
import { BranchFinder } from '../../export/branch.ts'
import { SessionFollower } from '../../live/session-follower.ts'
import type { Io } from '../../platform/io.ts'
import { Pace } from '../../platform/pace.ts'
import type { ToolResult } from '../contract.ts'
import type { PromptList, TranscriptEntry } from './contract.ts'
import { type EntryDigest, type EntryKind, entryDigest, isShown } from './entries.ts'
import {
  type EntryWindow,
  promptOf,
  START,
  type Transcript,
  type TranscriptChange,
  type WindowQuery,
} from './transcript.ts'

/** A row of the transcript, and who sees it. */
interface Row {
  readonly entry: TranscriptEntry
  readonly kind: EntryKind
  readonly isMain: boolean
}

/** A session that is read as a whole, and kept while it is open: with its branches, and everything in it can be found. */
export class WholeTranscript implements Transcript {
  readonly #follower: SessionFollower
  /** By event. Of an event that is unchanged it stays the same object, so that a row is compared quickly. */
  #digests = new Map<string, EntryDigest>()
  #order: readonly string[] | undefined
  #rows: readonly Row[] = []
  #revision: string | undefined

  constructor({ reader }: Located, io: Io) {
    this.#follower = new SessionFollower(reader, io, 'conversation')
  }

  async window(query: WindowQuery): Promise<EntryWindow | undefined> {
    const { limit, before, after, around } = query
    const rows = this.#rows.filter(
      ({ kind, isMain, entry }) => (isMain || query.allBranches) && (isShown(kind, query) || entry.event === around),
    )
    const placeOf = (event: string): number => rows.findIndex(({ entry }) => entry.event === event)
    const asked = before ?? after ?? around
    const place = asked === undefined ? rows.length : placeOf(asked)
    if (place < 0 && after !== START) return undefined
    let from = place - limit
    if (after !== undefined) from = place + 1
    if (around !== undefined) from = place - Math.floor(limit / 2)
    from = Math.max(0, from)
    const to = Math.min(rows.length, before === undefined ? from + limit : place)
    const entries = rows.slice(from, to).map(({ entry }) => entry)
    return {
      entries,
      before: from > 0 ? (entries[0]?.event ?? null) : null,
      after: to < rows.length ? (entries.at(-1)?.event ?? null) : null,
    }
  }

  async prompts(): Promise<PromptList> {
    const prompts = this.#rows.filter(({ isMain, entry }) => isMain && entry.role === 'user' && !entry.within)
    return { prompts: prompts.map(({ entry }) => promptOf(entry)), from: null }
  }

  async look({ head }: Located): Promise<TranscriptChange | undefined> {
    const { continues } = this.#follower
    // Any other is read as a whole, so only when the index says that it has changed.
    if (continues !== 'lines' && head.revision === this.#revision) return undefined
    const { kind, items } = this.#follower.read(head)
    const known = this.#digests
    const digests = kind === 'all' ? new Map<string, EntryDigest>() : known
    const pace = new Pace(undefined)
    let isNew = kind === 'all'
    for (const item of items) {
      if (pace.isDue) await pace.turn()
      if (isProblem(item)) continue
      isNew ||= kind === 'added' || !known.has(item.event.id) || item.event.type !== 'session_start'
      const digest = entryDigest(item.event)
      const before = known.get(item.event.id)
      digests.set(item.event.id, before && isSame(before, digest) ? before : digest)
    }
    this.#digests = digests
    this.#revision = head.revision
    const order = this.#follower.order()
    if (!isNew && order?.length === this.#order?.length) return undefined
    this.#order = order
    const rows = this.#rowsNow()
    const change = difference(this.#rows, rows)
    this.#rows = rows
    return change
  }

  close(): void {
    this.#follower.close()
  }

  #rowsNow(): Row[] {
    const digests = this.#order ? this.#order.flatMap((id) => this.#digests.get(id) ?? []) : [...this.#digests.values()]
    const branches = new BranchFinder()
    const results = new Map<string, ToolResult>()
    for (const { link, result } of digests) {
      branches.add(link)
      if (result) results.set(result.tool_use_id, result)
    }
    const { isMain } = branches.finish()
    const before = new Map(this.#rows.map((row) => [row.entry.event, row]))
    return digests.flatMap(({ entry, kind }, place) => {
      if (!entry) return []
      const result = entry.part.type === 'tool_use' ? results.get(entry.event) : undefined
      const known = before.get(entry.event)
      const isKnown =
        known?.entry.part === entry.part && known.entry.result === result && known.isMain === isMain(place)
      return isKnown ? [known] : [{ entry: result ? { ...entry, result } : entry, kind, isMain: isMain(place) }]
    })
  }
}

function isSame(one: EntryDigest, other: EntryDigest): boolean {
  return JSON.stringify(one) === JSON.stringify(other)
}

/** Rows are only added at the end, and those before may change; anything else is a new transcript. */
function difference(before: readonly Row[], now: readonly Row[]): TranscriptChange | undefined {
  const isGrown = before.length <= now.length && before.every((row, at) => row.entry.event === now[at]!.entry.event)
  if (!isGrown || before.some((row, at) => row.isMain !== now[at]!.isMain)) return { kind: 'reset' }
  const entries = now.filter((row, at) => row !== before[at] && row.isMain).map(({ entry }) => entry)
  return entries.length === 0 ? undefined : { kind: 'entries', entries }
}
