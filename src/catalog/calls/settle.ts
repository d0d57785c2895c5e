import type { Database } from '../../platform/sqlite.ts'
import { countCalls, eachIdentity, firstIdentity, type StoredCall, unpackCalls } from './packed-calls.ts'

/** The model calls of all sessions, and where each counts. */
export interface SettledCalls {
  readonly database: Database
  /** What is stored of each session, by its key; without copies, which count nothing. */
  readonly packed: ReadonlyMap<number, readonly Uint8Array[]>
  /** Of calls with more than one record, by identity: the key of the session in which they count. */
  readonly owners: ReadonlyMap<number, number>
  /** Records of calls that count in another session. */
  readonly repeated: number
}

/**
 * Decides in which session a call counts that several contain: forks, resumed sessions, replays by sub-agents, archived copies.
 * It is the session that knows most of it, and of those that know the same the earliest, so that the answer depends neither on
 * the order in which sessions were indexed nor on copies that are made later. Every report decides it again: comparing all
 * identities takes less time than keeping the answer up to date in the index.
 */
export function settleCalls(database: Database): SettledCalls {
  const all = packedCalls(database)
  const { packed, dropped } = withoutCopies(all, database)
  const found = new Map<number, Claim | undefined>(repeatedIdentities(packed).map((identity) => [identity, undefined]))
  const sharing = found.size === 0 ? [] : [...packed].filter(([, parts]) => parts.some((part) => hasAny(part, found)))
  const orders = ordersOf(
    sharing.map(([session]) => session),
    database,
  )
  let repeated = dropped
  for (const [session, parts] of sharing) {
    const order = orders.get(session)
    if (!order) continue
    for (const [identity, records] of recordsOf(parts, ({ identity }) => found.has(identity))) {
      const known = records.reduce((sum, record) => sum + tokensOf(record), 0)
      const claim = { ...order, records: records.length, known }
      const other = found.get(identity)
      const isFirst = other === undefined || compareClaims(claim, other) < 0
      if (other) repeated += isFirst ? other.records : claim.records
      if (isFirst) found.set(identity, claim)
    }
  }
  const owners = new Map<number, number>()
  for (const [identity, claim] of found) if (claim) owners.set(identity, claim.session)
  return { database, packed, owners, repeated }
}

/**
 * The archive has a copy of every session. One that has the same calls, byte for byte, counts none of them, so that they need not
 * be compared one by one.
 */
function withoutCopies(
  all: ReadonlyMap<number, readonly Uint8Array[]>,
  database: Database,
): { readonly packed: Map<number, readonly Uint8Array[]>; readonly dropped: number } {
  const byFirst = new Map<number, number[][]>()
  for (const [session, parts] of all) {
    const first = firstIdentity(parts[0]!)
    const known = byFirst.get(first)
    const same = known?.find(([other]) => areEqual(parts, all.get(other!)!))
    if (same) same.push(session)
    else if (known) known.push([session])
    else byFirst.set(first, [[session]])
  }
  const packed = new Map(all)
  let dropped = 0
  const copied = [...byFirst.values()].flat().filter((sessions) => sessions.length > 1)
  const orders = ordersOf(copied.flat(), database)
  for (const sessions of copied) {
    const [, ...copies] = sessions.flatMap((session) => orders.get(session) ?? []).sort(compareOrders)
    for (const { session } of copies) {
      for (const records of recordsOf(all.get(session)!, () => true).values()) dropped += records.length
      packed.delete(session)
    }
  }
  return { packed, dropped }
}

function areEqual(some: readonly Uint8Array[], others: readonly Uint8Array[]): boolean {
  return some.length === others.length && some.every((part, place) => Buffer.compare(part, others[place]!) === 0)
}

function hasAny(part: Uint8Array, wanted: ReadonlyMap<number, unknown>): boolean {
  let found = false
  eachIdentity(part, (identity) => {
    found ||= wanted.has(identity)
  })
  return found
}

/** The records of calls in a session, by identity. One that was stored again replaces the earlier one. */
function recordsOf(
  parts: readonly Uint8Array[],
  isWanted: (call: StoredCall) => boolean,
): Map<number, readonly StoredCall[]> {
  const calls = new Map<number, StoredCall[]>()
  for (const part of parts) {
    for (const call of unpackCalls(part)) if (isWanted(call)) addRecord(calls, call)
  }
  return calls
}

/** One that was stored again replaces the earlier one. */
export function addRecord(calls: Map<number, StoredCall[]>, call: StoredCall): void {
  const records = calls.get(call.identity)
  const known = records?.findIndex(({ event }) => event === call.event) ?? -1
  if (!records) calls.set(call.identity, [call])
  else if (known < 0) records.push(call)
  else records[known] = call
}

/** By sorting them, which needs a tenth of the memory of a map. */
function repeatedIdentities(packed: ReadonlyMap<number, readonly Uint8Array[]>): number[] {
  let count = 0
  for (const parts of packed.values()) for (const part of parts) count += countCalls(part)
  const identities = new Float64Array(count)
  let at = 0
  for (const parts of packed.values()) {
    for (const part of parts) eachIdentity(part, (identity) => void (identities[at++] = identity))
  }
  identities.sort()
  return [...identities.filter((identity, place) => identity === identities[place - 1])]
}

function packedCalls(database: Database): Map<number, Uint8Array[]> {
  const rows = database.prepare('SELECT session, calls FROM session_calls ORDER BY part').all()
  const packed = new Map<number, Uint8Array[]>()
  for (const { session, calls } of rows as { session: number; calls: Uint8Array }[]) {
    const parts = packed.get(session)
    if (parts) parts.push(calls)
    else packed.set(session, [calls])
  }
  return packed
}

/** What decides between sessions that know the same of a call. */
interface Order {
  readonly session: number
  readonly created_at: string
  readonly is_copy: number
  readonly id: string
}

/** Without sessions that another process removed a moment ago. */
function ordersOf(sessions: readonly number[], database: Database): Map<number, Order> {
  if (sessions.length === 0) return new Map()
  const rows = database
    .prepare(
      `SELECT key AS session, ifnull(created_at, '~') AS created_at, store <> agent AS is_copy, id FROM stored_session
       WHERE key IN (SELECT value FROM json_each(?))`,
    )
    .all(JSON.stringify(sessions)) as Order[]
  return new Map(rows.map((order) => [order.session, order]))
}

/** A session that has a call: how many records it has of it, and the tokens in them. */
interface Claim extends Order {
  readonly records: number
  readonly known: number
}

function compareClaims(a: Claim, b: Claim): number {
  return b.known - a.known || compareOrders(a, b)
}

function compareOrders(a: Order, b: Order): number {
  return (
    compareTexts(a.created_at, b.created_at) ||
    a.is_copy - b.is_copy ||
    compareTexts(a.id, b.id) ||
    a.session - b.session
  )
}

function compareTexts(a: string, b: string): number {
  return a < b ? -1 : Number(a > b)
}

function tokensOf({ input, output, cache_read, cache_write }: StoredCall): number {
  return input + output + cache_read + cache_write
}
