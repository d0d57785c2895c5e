import { randomBytes } from 'node:crypto'
import { dirname } from 'node:path'
import { IonError, messageOf } from '../platform/error.ts'
import type { Io } from '../platform/io.ts'
import { places } from './audit.ts'
import { openPaths } from './in-use.ts'
import { leadsTo } from './inside.ts'
import { type Journal, type Move, readJournal } from './journal.ts'
import { type Judgement, judge, obstacleIn, type Place } from './judge.ts'
import { withMigrationLease } from './lock.ts'
import { linkAt, whatIs } from './measure.ts'
import { perform, settle } from './move.ts'

/** What became of a place; one line of `ion modules migrate --json`. */
export interface Outcome {
  readonly name: string
  readonly from: string
  readonly to: string | null
  readonly outcome:
    | 'moved'
    | 'moved back'
    /** Was cut off earlier, and is whole now. */
    | 'finished'
    | 'taken back'
    | 'would move'
    | 'would move back'
    | 'would finish'
    | 'nothing to do'
    | 'left'
    | 'refused'
    | 'failed'
  readonly reason: string
}

export interface Request {
  /** None: all that can be moved. */
  readonly names: readonly string[]
  readonly isDry: boolean
}

/** Moves data under `.coder-modules`. Without names, what is to stay where it is comes up in no outcome. */
export function migrate({ names, isDry }: Request, io: Io): Outcome[] {
  const work = (): Outcome[] => {
    const settled = settleAll(isDry, io)
    const chosen = choose(candidates(io), names, settled)
    return [...settled, ...chosen.flatMap((place) => migrateOne(place, names.length > 0, isDry, io))]
  }
  return isDry ? work() : withMigrationLease(io, work)
}

/** Moves back what the journal says was moved. */
export function undo({ names, isDry }: Request, io: Io): Outcome[] {
  const work = (): Outcome[] => {
    const settled = settleAll(isDry, io)
    const chosen = choose(readJournal(io).inForce, names, settled)
    return [...settled, ...chosen.toReversed().map((move) => undoOne(move, isDry, io))]
  }
  return isDry ? work() : withMigrationLease(io, work)
}

/** Moves that a crash cut off. */
export function interruptedMigration(io: Io): readonly Move[] {
  return readJournal(io).unfinished.map(({ move }) => move)
}

/** What was moved is found twice, by its old name and in its new place; the old one tells more. */
function candidates(io: Io): Place[] {
  const all = places(io)
  const elsewhere = new Set(all.flatMap(({ kind, name }) => (kind === 'module-data' ? [] : [name])))
  return all.filter(({ kind, name }) => kind !== 'module-data' || !elsewhere.has(name))
}

function settleAll(isDry: boolean, io: Io): Outcome[] {
  const { unfinished }: Journal = readJournal(io)
  return unfinished.map((one): Outcome => {
    const { name, from, to } = one.move
    const reason = `${one.move.direction === 'migrate' ? 'the move' : 'the way back'} was cut off`
    if (isDry) return { name, from, to, outcome: 'would finish', reason }
    return attempt({ name, from, to }, () => ({
      outcome: settle(one, io) === 'finished' ? 'finished' : 'taken back',
      reason,
    }))
  })
}

function migrateOne(place: Place, isNamed: boolean, isDry: boolean, io: Io): Outcome[] {
  const { action, target, reason }: Judgement = judge(place, openPaths(), io)
  const what = { name: place.name, from: place.path, to: target }
  if (action === 'none') return isNamed || target ? [{ ...what, outcome: 'nothing to do', reason }] : []
  if (action === 'leave') return isNamed ? [{ ...what, outcome: 'refused', reason }] : []
  if (action === 'refuse' || target === null) return [{ ...what, outcome: 'refused', reason }]
  if (isDry) return [{ ...what, outcome: 'would move', reason }]
  const move: Move = { id: newId(), direction: 'migrate', name: place.name, from: place.path, to: target }
  return [
    attempt(what, () => {
      perform(move, io)
      return { outcome: 'moved', reason }
    }),
  ]
}

function undoOne({ name, from, to }: Move, isDry: boolean, io: Io): Outcome {
  const what = { name, from, to }
  const here = whatIs(to)
  if (here !== 'folder' && here !== 'empty folder') return { ...what, outcome: 'left', reason: 'its data is gone' }
  if (whatIs(dirname(from)) === 'missing') return { ...what, outcome: 'left', reason: 'the old place is gone' }
  const obstacle = oldPlaceObstacle(from, to) ?? obstacleIn(to, openPaths())
  if (obstacle !== undefined) return { ...what, outcome: 'refused', reason: obstacle }
  const reason = 'as it was before'
  if (isDry) return { ...what, outcome: 'would move back', reason }
  return attempt(what, () => {
    perform({ id: newId(), direction: 'undo', name, from, to }, io)
    return { outcome: 'moved back', reason }
  })
}

function oldPlaceObstacle(from: string, to: string): string | undefined {
  const what = whatIs(from)
  if (what === 'missing' || what === 'empty folder') return undefined
  const link = linkAt(from)
  if (link !== null && leadsTo(from, link, to)) return undefined
  return 'something else is in the old place'
}

/** One that goes wrong does not keep the others from being done. */
function attempt(
  what: Pick<Outcome, 'name' | 'from' | 'to'>,
  body: () => Pick<Outcome, 'outcome' | 'reason'>,
): Outcome {
  try {
    return { ...what, ...body() }
  } catch (error) {
    const isRefusal = error instanceof IonError && error.kind === 'refused'
    return { ...what, outcome: isRefusal ? 'refused' : 'failed', reason: messageOf(error) }
  }
}

/** Those of the names that were given, or all. A name that was just settled is known too. */
function choose<T extends { readonly name: string }>(
  all: readonly T[],
  names: readonly string[],
  settled: readonly Outcome[],
): T[] {
  if (names.length === 0) return [...all]
  const known = new Set([...all, ...settled].map(({ name }) => name))
  const unknown = names.find((name) => !known.has(name))
  if (unknown !== undefined) {
    throw new IonError('not-found', `nothing is called "${unknown}"`, { hint: 'ion modules audit' })
  }
  return all.filter(({ name }) => names.includes(name))
}

function newId(): string {
  return randomBytes(6).toString('hex')
}
