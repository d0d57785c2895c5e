import { randomBytes } from 'node:crypto'
import { dirname } from 'node:path'
import { IonError, messageOf } from '../platform/error.ts'
import type { Io } from '../platform/io.ts'
import { places } from './audit.ts'
import { openPaths } from './in-use.ts'
import { type Journal, type Move, readJournal } from './journal.ts'
import { type Judgement, judge, obstacleIn, type Place } from './judge.ts'
import { pointsTo } from './links.ts'
import { withMigrationLease } from './lock.ts'
import { linkAt, whatIs } from './measure.ts'
import { moveFolder, recover } from './move.ts'

/** What was done with a location; one line of `ion modules migrate --json`. */
export interface Outcome {
  readonly name: string
  readonly from: string
  readonly to: string | null
  readonly outcome:
    | 'moved'
    | 'moved back'
    /** Was interrupted earlier and is complete now. */
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
  /** Empty: everything that can be moved. */
  readonly names: readonly string[]
  readonly isDry: boolean
}

/** Moves data to `.coder-modules`. Without names, locations that stay where they are have no outcome. */
export function migrate({ names, isDry }: Request, io: Io): Outcome[] {
  const work = (): Outcome[] => {
    const recovered = recoverAll(isDry, io)
    const chosen = choose(candidates(io), names, recovered)
    return [...recovered, ...chosen.flatMap((place) => migrateOne(place, names.length > 0, isDry, io))]
  }
  return isDry ? work() : withMigrationLease(io, work)
}

/** Moves back what the journal says was moved. */
export function undo({ names, isDry }: Request, io: Io): Outcome[] {
  const work = (): Outcome[] => {
    const recovered = recoverAll(isDry, io)
    const chosen = choose(readJournal(io).moved, names, recovered)
    return [...recovered, ...chosen.toReversed().map((move) => undoOne(move, isDry, io))]
  }
  return isDry ? work() : withMigrationLease(io, work)
}

/** Moves that were interrupted by a crash. */
export function interruptedMigration(io: Io): readonly Move[] {
  return readJournal(io).unfinished.map(({ move }) => move)
}

/** Moved data is found twice, in its old and its new location; the old one has more information. */
function candidates(io: Io): Place[] {
  const all = places(io)
  const oldNames = new Set(all.flatMap(({ kind, name }) => (kind === 'module-data' ? [] : [name])))
  return all.filter(({ kind, name }) => kind !== 'module-data' || !oldNames.has(name))
}

function recoverAll(isDry: boolean, io: Io): Outcome[] {
  const { unfinished }: Journal = readJournal(io)
  return unfinished.map((one): Outcome => {
    const { name, from, to } = one.move
    const reason = `${one.move.direction === 'migrate' ? 'the move' : 'the undo'} was interrupted`
    if (isDry) return { name, from, to, outcome: 'would finish', reason }
    return attempt({ name, from, to }, () => ({
      outcome: recover(one, io) === 'finished' ? 'finished' : 'taken back',
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
      moveFolder(move, io)
      return { outcome: 'moved', reason }
    }),
  ]
}

function undoOne({ name, from, to }: Move, isDry: boolean, io: Io): Outcome {
  const what = { name, from, to }
  const here = whatIs(to)
  if (here !== 'folder' && here !== 'empty folder')
    return { ...what, outcome: 'left', reason: 'its data no longer exists' }
  if (whatIs(dirname(from)) === 'missing')
    return { ...what, outcome: 'left', reason: 'the old location no longer exists' }
  const obstacle = oldLocationObstacle(from, to) ?? obstacleIn(to, openPaths())
  if (obstacle !== undefined) return { ...what, outcome: 'refused', reason: obstacle }
  const reason = 'undo'
  if (isDry) return { ...what, outcome: 'would move back', reason }
  return attempt(what, () => {
    moveFolder({ id: newId(), direction: 'undo', name, from, to }, io)
    return { outcome: 'moved back', reason }
  })
}

function oldLocationObstacle(from: string, to: string): string | undefined {
  const what = whatIs(from)
  if (what === 'missing' || what === 'empty folder') return undefined
  const link = linkAt(from)
  if (link !== null && pointsTo(from, link, to)) return undefined
  return 'the old location is occupied'
}

/** A failure does not stop the others. */
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

/** Those with the given names, or all. A name that was just recovered counts as known. */
function choose<T extends { readonly name: string }>(
  all: readonly T[],
  names: readonly string[],
  recovered: readonly Outcome[],
): T[] {
  if (names.length === 0) return [...all]
  const known = new Set([...all, ...recovered].map(({ name }) => name))
  const unknown = names.find((name) => !known.has(name))
  if (unknown !== undefined) {
    throw new IonError('not-found', `no module data called "${unknown}"`, { hint: 'ion modules audit' })
  }
  return all.filter(({ name }) => names.includes(name))
}

function newId(): string {
  return randomBytes(6).toString('hex')
}
