import { loaders } from '../agents/_loaders.ts'
import type { AllMarks } from '../organise/marks.ts'
import { IonError } from '../platform/error.ts'
import type { Database } from '../platform/sqlite.ts'
import { type StoredSession, storedColumns } from './stored-session.ts'

/** Shorter prefixes of an id match too much to be meant. */
const MIN_PREFIX = 4

/** What a reference is compared with. */
interface Named {
  readonly agent: string
  readonly id: string
  readonly native_id: string
  readonly title: string | null
  /** Given by the user. */
  readonly name?: string | null
  readonly updated_at?: string | null
  /** The agent whose store it is in; an archived copy has another than its agent. */
  readonly store?: string
}

type Field = 'id' | 'native_id' | 'name' | 'title'

/** Gives the sessions whose field is `value`, or begins with it. Names and titles are compared as `foldTitle` gives them. */
type Select<T> = (field: Field, value: string, isPrefix: boolean) => readonly T[]

/** The session in the index that `reference` names. */
export function findStored(database: Database, reference: string, marks: AllMarks): StoredSession {
  const select: Select<StoredSession> = (field, value, isPrefix) => {
    if (field === 'name') return withName(database, marks, value, isPrefix)
    if (field === 'title') return withTitle(database, value, isPrefix)
    const [condition, ...values] = conditionOf(field, value, isPrefix)
    return database
      .prepare(`SELECT ${storedColumns} FROM session WHERE ${condition} LIMIT 100`)
      .all(...values) as StoredSession[]
  }
  return resolveReference(reference, (...rule) => select(...rule).map((row) => ({ ...row, name: marks.get(row).name })))
}

function withName(database: Database, marks: AllMarks, value: string, isPrefix: boolean): StoredSession[] {
  const matches = titleMatcher(value, isPrefix)
  const all = database.prepare(`SELECT ${storedColumns} FROM session WHERE id = ? AND agent = ?`)
  return marks.where(({ name }) => matches(name)).flatMap(({ id, agent }) => all.all(id, agent) as StoredSession[])
}

/** Looks at every title, since SQLite folds the case of ASCII only; titles come last, when nothing else matched. */
function withTitle(database: Database, value: string, isPrefix: boolean): StoredSession[] {
  const titles = database.prepare('SELECT key, title FROM session WHERE title IS NOT NULL').all()
  const matches = titleMatcher(value, isPrefix)
  const one = database.prepare(`SELECT ${storedColumns} FROM session WHERE key = ?`)
  return (titles as { key: number; title: string }[])
    .filter(({ title }) => matches(title))
    .map(({ key }) => one.get(key) as StoredSession)
}

function titleMatcher(value: string, isPrefix: boolean): (title: string | null) => boolean {
  const folded = foldTitle(value)
  if (folded === '') return () => false
  return (title) => {
    if (title === null) return false
    return isPrefix ? foldTitle(title).startsWith(folded) : foldTitle(title) === folded
  }
}

/** As a person types it who sees it in a list: one line, any case, and perhaps with the … where the list cuts it. */
function foldTitle(title: string): string {
  return title.normalize('NFC').replace(/\s+/g, ' ').replace(/…$/, '').trim().toLowerCase()
}

function conditionOf(field: 'id' | 'native_id', value: string, isPrefix: boolean): [string, ...(string | number)[]] {
  if (!isPrefix) return [`${field} = ?`, value]
  // A range uses the database's index on ids, and LIKE would not: an id has no character above "g".
  if (field === 'id') return /^[0-9a-f-]+$/.test(value) ? ['id >= ? AND id < ?', value, `${value}g`] : ['0']
  return [`substr(${field}, 1, ?) = ?`, value.length, value]
}

/** The same for sessions that are not in the index: those of a snapshot, or of removed sessions. */
export function findAmong<T extends Named>(sessions: readonly T[], reference: string, missing: () => IonError): T {
  const select: Select<T> = (field, value, isPrefix) => {
    const matchesTitle = titleMatcher(value, isPrefix)
    return sessions.filter((session) => {
      if (field === 'title' || field === 'name') return matchesTitle(session[field] ?? null)
      return isPrefix ? session[field].startsWith(value) : session[field] === value
    })
  }
  return resolveReference(reference, select, missing)
}

/**
 * Resolves a reference: id, native id, unique prefix of either, given name or title, the beginning of one, in that order; with `agent:`
 * before it where two agents share an id, as an agent and its successor may.
 */
function resolveReference<T extends Named>(reference: string, select: Select<T>, missing?: () => IonError): T {
  const { agent, name } = split(reference.trim())
  const found = distinct(
    firstMatch(name, (...rule) => select(...rule).filter((session) => !agent || session.agent === agent)),
  )
  if (found.length === 1) return found[0]!
  if (found.length === 0) throw missing?.() ?? notFound(reference, name)
  const names = found.slice(0, 5).map(({ agent, id, name, title }) => `${agent}:${id}  ${shortTitle(name ?? title)}`)
  throw new IonError('usage', `"${reference}" matches ${found.length} sessions`, {
    hint: ['give more of it, or one of these:', ...names, ...(found.length > names.length ? ['…'] : [])].join(
      '\n     ',
    ),
  })
}

function split(reference: string): { agent: string | undefined; name: string } {
  const colon = reference.indexOf(':')
  const agent = reference.slice(0, Math.max(0, colon))
  return loaders.has(agent) ? { agent, name: reference.slice(colon + 1) } : { agent: undefined, name: reference }
}

function firstMatch<T extends Named>(name: string, select: Select<T>): readonly T[] {
  const id = name.toLowerCase()
  const rules: [Field, string, boolean][] = [
    ['id', id, false],
    ['native_id', name, false],
    ['id', id, true],
    ['native_id', name, true],
    ['name', name, false],
    ['title', name, false],
    ['name', name, true],
    ['title', name, true],
  ]
  for (const [field, value, isPrefix] of rules) {
    const isTooShort = isPrefix && (field === 'id' || field === 'native_id') && name.length < MIN_PREFIX
    const found = isTooShort ? [] : select(field, value, isPrefix)
    const sameCase = isPrefix ? [] : found.filter((session) => session[field] === name)
    if (found.length > 0) return sameCase.length > 0 ? sameCase : found
  }
  return []
}

/** Each session once: the agent's own before Ion's copy of it, the newest where a store holds two of one id. */
function distinct<T extends Named>(found: readonly T[]): T[] {
  const weight = ({ store, agent, updated_at }: T): string =>
    `${store === undefined || store === agent ? 1 : 0} ${updated_at ?? ''}`
  const best = new Map<string, T>()
  for (const session of found) {
    const key = `${session.agent} ${session.id}`
    const other = best.get(key)
    if (!other || weight(session) > weight(other)) best.set(key, session)
  }
  return [...best.values()]
}

function notFound(reference: string, name: string): IonError {
  const isShort = name.length > 0 && name.length < MIN_PREFIX
  return new IonError('not-found', `no session matches "${reference}"`, {
    hint: isShort
      ? `give at least ${MIN_PREFIX} characters of the id, or the beginning of the title`
      : 'ion sessions --all lists all; ion search finds sessions by their text',
  })
}

/** Enough of it to tell the sessions apart. */
function shortTitle(title: string | null): string {
  const line = (title ?? 'untitled').replace(/\s+/g, ' ')
  return line.length > 60 ? `${line.slice(0, 59)}…` : line
}
