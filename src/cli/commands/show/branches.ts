import type { IonEvent } from '../../../events/schema.ts'
import { type Branches, BranchSurvey } from '../../../export/branch.ts'
import { IonError } from '../../../platform/error.ts'

export interface Selection {
  /** Whether the event at this place of the log is shown. */
  readonly includes: (place: number) => boolean
  /** How many branches there are beside the main one. */
  readonly others: number
}

/** What of a log is to be shown. `wanted`: nothing for the main branch, `all`, or a number: 1 is the main branch. */
export function selectBranch(events: () => Iterable<IonEvent>, wanted: string | undefined): Selection {
  const survey = new BranchSurvey()
  for (const event of events()) survey.add(event)
  const main = survey.finish()
  if (main.others === 0) {
    if (wanted !== undefined && wanted !== 'all' && wanted !== '1') throw noSuchBranch(wanted, 0)
    return { includes: () => true, others: 0 }
  }
  const { branchAt, parents } = numberBranches(events(), main)
  const others = parents.length
  if (wanted === 'all') return { includes: () => true, others }
  if (wanted === undefined || wanted === '1') return { includes: main.isMain, others }
  const number = Number(wanted)
  const parent = /^\d+$/.test(wanted) ? parents[number - 2] : undefined
  if (parent === undefined) throw noSuchBranch(wanted, others)
  const fork = placeOf(parent, events())
  // The way there, and then what was left behind.
  return { includes: (place) => branchAt.get(place) === number || (place <= fork && main.isMain(place)), others }
}

interface Numbered {
  /** Numbers from 2, for the places that are not on the main branch. */
  readonly branchAt: ReadonlyMap<number, number>
  /** The event that each goes on from; null for one that begins anew. */
  readonly parents: readonly (string | null)[]
}

/** Numbers what was left behind, in the order in which it was begun. What forks off such a branch belongs to it. */
function numberBranches(events: Iterable<IonEvent>, main: Branches): Numbered {
  const branchAt = new Map<number, number>()
  const branchOf = new Map<string, number>()
  const parents: (string | null)[] = []
  let place = -1
  for (const event of events) {
    place++
    if (main.isMain(place)) continue
    let branch = event.parent_id === null ? undefined : branchOf.get(event.parent_id)
    if (branch === undefined) {
      parents.push(event.parent_id)
      branch = parents.length + 1
    }
    branchOf.set(event.id, branch)
    branchAt.set(place, branch)
  }
  return { branchAt, parents }
}

/** Of two events with the same id the later one counts; the beginning where there is none. */
function placeOf(id: string | null, events: Iterable<IonEvent>): number {
  let found = 0
  let place = 0
  for (const event of events) {
    if (event.id === id) found = place
    place++
  }
  return found
}

function noSuchBranch(wanted: string, others: number): IonError {
  const hint = others === 0 ? 'this session has only one' : `give a number from 1 to ${others + 1}, or all`
  return new IonError('usage', `there is no branch ${wanted}`, { hint })
}
