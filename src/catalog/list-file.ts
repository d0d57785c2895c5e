import { readFileSync, renameSync, statSync, writeFileSync } from 'node:fs'
import { marksPath } from '../organise/read-marks.ts'
import { attempt } from '../platform/error.ts'
import type { Io } from '../platform/io.ts'
import type { SessionList } from './catalog.ts'
import type { StoreFacts } from './freshness.ts'
import { compareLimit } from './full-check.ts'
import { catalogPath } from './index-file.ts'
import type { SessionFilter } from './session-row.ts'

/**
 * The list file, beside the index: what a check of the stores compares, and the answers that lists were given. As long as the
 * index and the user's marks are the files they were, a list with the same questions needs no database, whose code, binary and
 * queries are a tenth of a short run. It is only a copy: without it, or with anything else in it, the index is asked.
 */

/** What comes after the path of the index. */
export const LIST_ENDING = '.list'

/** Increase it with every change to what is stored. */
const FORMAT = 1
/** An index that was written this recently may be written again without a new time: file systems have coarse clocks. */
const SETTLED_MS = 2000
/** Of a large store some old files are compared too; after this time others. */
const MAX_AGE_MS = 10 * 60_000
/** Reading more takes longer than asking the index. */
const MAX_CHARACTERS = 400_000
const MAX_ANSWERS = 40
const MAX_ROWS = 200

export interface ListFile {
  /** Of the index, when it was read. */
  readonly state: string
  readonly facts: StoreFacts
  readonly answers: Answers
  /** When the facts were read, in milliseconds. */
  readonly readAt: number
}

interface Stored extends ListFile {
  readonly format: number
}

/** By question. */
export type Answers = Readonly<Record<string, unknown>>

/** The list file, if it describes the index as it is now. */
export function readListFile(io: Io): ListFile | undefined {
  return attempt(() => {
    const stored = JSON.parse(readFileSync(catalogPath(io) + LIST_ENDING, 'utf8')) as Stored
    if (stored.format !== FORMAT || stored.state !== indexState(io)?.text) return undefined
    const { facts, readAt } = stored
    if (Math.abs(io.now().getTime() - readAt) > MAX_AGE_MS) return undefined
    return facts.limit === compareLimit(facts.stores, facts.fullCheckAt, io) ? stored : undefined
  })
}

/** Replaces the list file, unless the index has changed since it was in that state. Nothing depends on its being written. */
export function writeListFile(io: Io, file: ListFile): void {
  attempt(() => {
    const now = indexState(io)
    if (now?.text !== file.state || !isSettled(now, io) || Object.keys(file.answers).length > MAX_ANSWERS) return
    const text = JSON.stringify({ format: FORMAT, ...file } satisfies Stored)
    if (text.length > MAX_CHARACTERS) return
    const path = catalogPath(io) + LIST_ENDING
    const temporary = `${path}.${process.pid}.tmp`
    writeFileSync(temporary, text, { mode: 0o600 })
    renameSync(temporary, path)
  })
}

export interface IndexState {
  readonly text: string
  readonly writtenAt: number
}

/** Distinguishes states of the index and of the user's marks; undefined if there is no index. */
export function indexState(io: Io): IndexState | undefined {
  const path = catalogPath(io)
  const stats = [path, `${path}-wal`, marksPath(io)].map((file) => statSync(file, { throwIfNoEntry: false }))
  if (!stats[0]) return undefined
  // Opening the index creates an empty log of changes beside it, and closing it removes that.
  const written = stats.map((stat) => (stat && stat.size > 0 ? stat : undefined))
  return {
    text: written.map((stat) => (stat ? `${stat.dev} ${stat.ino} ${stat.size} ${stat.mtimeMs}` : '-')).join(', '),
    writtenAt: Math.max(...written.map((stat) => stat?.mtimeMs ?? 0)),
  }
}

function isSettled({ writtenAt }: IndexState, io: Io): boolean {
  return io.now().getTime() - writtenAt > SETTLED_MS
}

/** A list file does not have the answer. */
export class NotRemembered extends Error {}

/** Answers as they are stored; throws NotRemembered for all other questions. */
export function rememberedAnswers(answers: Answers): SessionList {
  const answer = (name: keyof SessionList, filter: SessionFilter = {}): never => {
    const question = questionOf(name, filter)
    if (question === undefined || !Object.hasOwn(answers, question)) throw new NotRemembered(name)
    return answers[question] as never
  }
  return {
    sessions: (filter) => answer('sessions', filter),
    has: (filter) => answer('has', filter),
    further: (filter) => answer('further', filter),
    overview: () => answer('overview'),
    sourceErrors: () => answer('sourceErrors'),
    shortIds: () => answer('shortIds'),
  }
}

/** The same list, whose answers are added to `answers`. */
export function remembering(list: SessionList, answers: Record<string, unknown>): SessionList {
  const keep = <T>(name: keyof SessionList, filter: SessionFilter, answer: T): T => {
    const question = questionOf(name, filter)
    const isShort = !Array.isArray(answer) || answer.length <= MAX_ROWS
    if (question !== undefined && isShort) answers[question] = answer
    return answer
  }
  return {
    sessions: (filter = {}) => keep('sessions', filter, list.sessions(filter)),
    has: (filter = {}) => keep('has', filter, list.has(filter)),
    further: (filter = {}) => keep('further', filter, list.further(filter)),
    overview: () => keep('overview', {}, list.overview()),
    sourceErrors: () => keep('sourceErrors', {}, list.sourceErrors()),
    shortIds: (sessions) => list.shortIds(sessions),
  }
}

/** Undefined for a question that nobody asks twice: `since` is a point in time. */
function questionOf(name: keyof SessionList, filter: SessionFilter): string | undefined {
  return filter.since ? undefined : `${name} ${JSON.stringify(filter)}`
}
