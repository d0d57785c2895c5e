import { agents } from '../agents/_registry.ts'
import { IonError } from '../platform/error.ts'
import type { Database } from '../platform/sqlite.ts'
import type { Value } from './query.ts'
import { type StoredSession, storedColumns } from './stored-session.ts'

export const MIN_PREFIX = 4

/** What a reference can mean. */
export interface Candidate {
  readonly store: string
  readonly id: string
  readonly agent: string
  readonly title: string | null
  readonly updated_at: string | null
}

/**
 * The one session that `reference` names: id, unique prefix, native id or exact title; with `agent:` before it where two
 * agents share an id, as an agent and its successor may.
 */
export function findStored(database: Database, reference: string): StoredSession {
  return pickOne(reference, (name) => candidates(database, name))
}

/** The same wherever the candidates come from. */
export function pickOne<T extends Candidate>(reference: string, ask: (name: string) => readonly T[]): T {
  const { agent, name } = split(reference.trim())
  const found = distinct(ask(name).filter((session) => !agent || session.agent === agent))
  if (found.length === 1) return found[0]!
  if (found.length === 0) {
    const short = name.length > 0 && name.length < MIN_PREFIX
    throw new IonError('not-found', `no session matches "${reference}"`, {
      hint: short ? `give at least ${MIN_PREFIX} characters of the id` : 'ion sessions --all',
    })
  }
  const names = found.slice(0, 5).map(({ agent, id, title }) => `${agent}:${id}  ${titleOf(title)}`)
  throw new IonError('usage', `"${reference}" matches ${found.length} sessions`, {
    hint: ['give more of the id:', ...names, ...(found.length > names.length ? ['…'] : [])].join('\n     '),
  })
}

/** As much of it as tells one session from the other. */
function titleOf(title: string | null): string {
  const line = (title ?? 'untitled').replace(/\s+/g, ' ')
  return line.length > 60 ? `${line.slice(0, 59)}…` : line
}

function split(reference: string): { agent: string | undefined; name: string } {
  const colon = reference.indexOf(':')
  const agent = colon > 0 ? agents.find(({ id }) => id === reference.slice(0, colon))?.id : undefined
  return { agent, name: agent ? reference.slice(colon + 1) : reference }
}

/** Each session once: the agent's own before Ion's copy of it, the newest where a store holds two of one id. */
function distinct<T extends Candidate>(found: readonly T[]): T[] {
  const weight = (session: T): string => `${session.store === session.agent ? 1 : 0} ${session.updated_at ?? ''}`
  const best = new Map<string, T>()
  for (const session of found) {
    const key = `${session.agent} ${session.id}`
    const other = best.get(key)
    if (!other || weight(session) > weight(other)) best.set(key, session)
  }
  return [...best.values()]
}

function candidates(database: Database, reference: string): StoredSession[] {
  const ask = (condition: string, ...values: Value[]): StoredSession[] =>
    database
      .prepare(`SELECT ${storedColumns} FROM session WHERE ${condition} LIMIT 100`)
      .all(...values) as StoredSession[]
  const lower = reference.toLowerCase()
  const exact = ask('id = ?', lower)
  if (exact.length) return exact
  const native = ask('native_id = ?', reference)
  if (native.length) return native
  if (reference.length >= MIN_PREFIX) {
    // A range on the index, not LIKE: an id has no character above "g".
    const prefixed = /^[0-9a-f-]+$/.test(lower) ? ask('id >= ? AND id < ?', lower, `${lower}g`) : []
    if (prefixed.length) return prefixed
    const nativePrefix = ask('substr(native_id, 1, ?) = ?', reference.length, reference)
    if (nativePrefix.length) return nativePrefix
  }
  return ask('title = ?', reference)
}
