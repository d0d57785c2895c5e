import type { IonEvent } from '../../../events/schema.ts'
import { type Branches, BranchFinder } from '../../../export/branch.ts'
import { IonError } from '../../../platform/error.ts'

export interface Selection {
  /** Whether the event at this position of the log is shown. */
  readonly includes: (position: number) => boolean
  /** Number of branches besides the main one. */
  readonly others: number
}

/** Which events to show. `wanted`: undefined for the main branch, `all`, or a number; 1 is the main branch. */
export function selectBranch(events: () => Iterable<IonEvent>, wanted: string | undefined): Selection {
  const survey = new BranchFinder()
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
  const fork = positionOf(parent, events())
  // The main branch up to the fork, then the branch.
  return {
    includes: (position) => branchAt.get(position) === number || (position <= fork && main.isMain(position)),
    others,
  }
}

interface Numbered {
  /** Branch numbers from 2, for the positions that are not on the main branch. */
  readonly branchAt: ReadonlyMap<number, number>
  /** The event that each branch continues; null for one that starts from the beginning. */
  readonly parents: readonly (string | null)[]
}

/** Numbers the abandoned branches in the order in which they began. A fork of such a branch belongs to it. */
function numberBranches(events: Iterable<IonEvent>, main: Branches): Numbered {
  const branchAt = new Map<number, number>()
  const branchOf = new Map<string, number>()
  const parents: (string | null)[] = []
  let position = -1
  for (const event of events) {
    position++
    if (main.isMain(position)) continue
    let branch = event.parent_id === null ? undefined : branchOf.get(event.parent_id)
    if (branch === undefined) {
      parents.push(event.parent_id)
      branch = parents.length + 1
    }
    branchOf.set(event.id, branch)
    branchAt.set(position, branch)
  }
  return { branchAt, parents }
}

/** The last event with this id; 0 if there is none. */
function positionOf(id: string | null, events: Iterable<IonEvent>): number {
  let found = 0
  let position = 0
  for (const event of events) {
    if (event.id === id) found = position
    position++
  }
  return found
}

function noSuchBranch(wanted: string, others: number): IonError {
  const hint = others === 0 ? 'it has only one branch; omit --branch' : `use a number from 1 to ${others + 1}, or all`
  return new IonError('usage', `this session has no branch ${wanted}`, { hint })
}
