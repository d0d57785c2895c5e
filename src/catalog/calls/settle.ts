import type { Database } from '../../platform/sqlite.ts'
import { countCalls, eachIdentity, firstIdentity, type StoredCall, unpackCalls } from './packed-calls.ts'

/** The model calls of all sessions, and where each counts. */
export interface SettledCalls {
  readonly database: Database
  /** What is stored of each session, by its key; without copies, which count nothing. */
  readonly packed: Packed
  /** The session in which a call counts, by identity: only of calls with several records that are not merely in copies. */
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
  const repeating = sessionsWith(repeatedIdentities(all), all)
  const { copies, records: copied } = findCopies(repeating, database)
  const packed = copies.length === 0 ? all : new Map(all)
  for (const session of copies) packed.delete(session)
  const found = new Map<number, Claim | undefined>()
  for (const identity of repeatedIdentities(packed)) found.set(identity, undefined)
  const sharing = [...sessionsWith(found, packed)]
  const orders = ordersOf(
    sharing.map(([session]) => session),
    database,
  )
  let repeated = copied
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

/** The session in which each call counts, by identity. */
export function allOwners({ packed, owners }: SettledCalls): Map<number, number> {
  const all = new Map<number, number>()
  for (const [session, parts] of packed) {
    for (const part of parts) eachIdentity(part, (identity) => all.set(identity, session))
  }
  for (const [identity, session] of owners) all.set(identity, session)
  return all
}

type Packed = ReadonlyMap<number, readonly Uint8Array[]>

/**
 * The archive has a copy of every session. One that has the same calls, byte for byte, counts none of them, so that they need not
 * be compared one by one.
 */
function findCopies(packed: Packed, database: Database): { readonly copies: number[]; readonly records: number } {
  const byFirst = new Map<number, number[][]>()
  for (const [session, parts] of packed) {
    const first = firstIdentity(parts[0]!)
    const known = byFirst.get(first)
    const same = known?.find(([other]) => areEqual(parts, packed.get(other!)!))
    if (same) same.push(session)
    else if (known) known.push([session])
    else byFirst.set(first, [[session]])
  }
  const copied = [...byFirst.values()].flat().filter((sessions) => sessions.length > 1)
  const orders = ordersOf(copied.flat(), database)
  const copies = copied.flatMap((sessions) => {
    const [, ...others] = sessions.flatMap((session) => orders.get(session) ?? []).sort(compareOrders)
    return others.map(({ session }) => session)
  })
  let records = 0
  for (const session of copies) {
    for (const { length } of recordsOf(packed.get(session)!, () => true).values()) records += length
  }
  return { copies, records }
}

function areEqual(some: readonly Uint8Array[], others: readonly Uint8Array[]): boolean {
  return some.length === others.length && some.every((part, place) => Buffer.compare(part, others[place]!) === 0)
}

/** The sessions with one of these calls. */
function sessionsWith(wanted: { readonly size: number; has(identity: number): boolean }, packed: Packed): Packed {
  const found = new Map<number, readonly Uint8Array[]>()
  if (wanted.size === 0) return found
  for (const [session, parts] of packed) {
    let isFound = false
    for (const part of parts) {
      eachIdentity(part, (identity) => {
        isFound ||= wanted.has(identity)
      })
    }
    if (isFound) found.set(session, parts)
  }
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
function repeatedIdentities(packed: Packed): Set<number> {
  let count = 0
  for (const parts of packed.values()) for (const part of parts) count += countCalls(part)
  const identities = new Float64Array(count)
  let at = 0
  for (const parts of packed.values()) {
    for (const part of parts) eachIdentity(part, (identity) => void (identities[at++] = identity))
  }
  identities.sort()
  return new Set(identities.filter((identity, place) => identity === identities[place - 1]))
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
  /** A fork or a sub-agent may begin at the time of the session that it comes from. */
  readonly is_derived: number
  readonly is_copy: number
  readonly id: string
}

/** Without sessions that another process removed a moment ago. */
function ordersOf(sessions: readonly number[], database: Database): Map<number, Order> {
  if (sessions.length === 0) return new Map()
  const rows = database
    .prepare(
      `SELECT key AS session, ifnull(created_at, '~') AS created_at,
         parent_session IS NOT NULL OR forked_from IS NOT NULL AS is_derived, store <> agent AS is_copy, id
       FROM stored_session WHERE key IN (SELECT value FROM json_each(?))`,
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
    a.is_derived - b.is_derived ||
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
