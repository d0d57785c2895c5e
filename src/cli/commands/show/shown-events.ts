import { sessionReader } from '../../../catalog/archived-history.ts'
import type { SessionLookup } from '../../../catalog/catalog.ts'
import { readTail, type Tail } from '../../../catalog/read-tail.ts'
import type { SessionRow } from '../../../catalog/session-row.ts'
import { isProblem, type SessionItem } from '../../../events/item.ts'
import type { IonEvent } from '../../../events/schema.ts'
import { IonError } from '../../../platform/error.ts'
import type { Context, OptionsOf } from '../../command.ts'
import type { show } from '../../definitions/sessions.ts'
import { ProblemSummary } from '../../problem-summary.ts'
import { type Selection, selectBranch } from './branches.ts'
import { type Part, partOf } from './part.ts'

export type ShowOptions = Pick<
  OptionsOf<typeof show>,
  'full' | 'thinking' | 'system' | 'branch' | 'archived' | 'mark' | 'at'
> & { readonly part: Part }

export interface ShownEvents {
  /** Reads the session again at each call, and adds what could not be read to `problems`. */
  readonly events: (problems?: ProblemSummary) => Iterable<IonEvent>
  /** The number of branches that are not shown. */
  readonly others: number
  /** The id of the event to open it at. */
  readonly at?: string
  /** The number of the turn that a prompt begins, as `--turn` takes it, once `events` has given it; from the end if only that is read. */
  readonly turnOf: (prompt: Pick<IonEvent, 'id'>) => number | undefined
}

/** The part of the branch that was asked for. */
export function shownEvents(
  catalog: SessionLookup,
  row: SessionRow,
  options: ShowOptions,
  { io }: Context,
): ShownEvents {
  const { part, at, branch, archived } = options
  const isTail = part.kind === 'last' && (branch ?? 'all') === 'all' && !archived && at === undefined
  const tail = isTail ? readTail(catalog.locate(row), part.messages, io) : undefined
  const read = tail ? () => tail.items : sessionReader(catalog, row, options, io)
  const all = (): Iterable<IonEvent> => eventsOf(read())
  const place = at === undefined ? undefined : placeOf(all(), at, row)
  const main = selectBranch(all, branchOf(options))
  // A hit may be in a branch that was left.
  const selection =
    place && !main.includes(place.position) && branch === undefined ? { ...main, includes: () => true } : main
  const turns = tail ? turnsOf(tail, selection) : new Map<string, number>()
  const events = (problems?: ProblemSummary): Iterable<IonEvent> => {
    // Turns are counted first, in a pass of its own.
    let uncounted = problems
    return partOf(() => {
      const summary = uncounted
      uncounted = undefined
      return tail
        ? selected(eventsOf(read(), summary), selection)
        : numbered(eventsOf(read(), summary), selection, turns)
    }, part)
  }
  const turnOf: ShownEvents['turnOf'] = ({ id }) => turns.get(id)
  return { events, others: selection.others, turnOf, ...(place ? { at: place.id } : {}) }
}

/** By id, or the beginning of one. */
export function placeOf(
  events: Iterable<IonEvent>,
  wanted: string,
  row: Pick<SessionRow, 'id'>,
): { id: string; position: number } {
  let begun: { id: string; position: number } | undefined
  let position = 0
  for (const { id } of events) {
    if (id === wanted) return { id, position }
    if (wanted.length >= MIN_PREFIX && id.startsWith(wanted)) begun ??= { id, position }
    position++
  }
  if (begun) return begun
  throw new IonError('not-found', `session ${row.id} has no event ${wanted}`, {
    hint: `ion search prints session#event; ion show ${row.id} --json lists all events`,
  })
}

const MIN_PREFIX = 4

/** What the archive has of a session is not one conversation with branches any more, so all of it is shown. */
export function branchOf({ branch, archived }: Pick<ShowOptions, 'branch' | 'archived'>): string | undefined {
  return branch ?? (archived ? 'all' : undefined)
}

function* eventsOf(items: Iterable<SessionItem>, problems = new ProblemSummary()): Generator<IonEvent> {
  for (const item of items) {
    if (isProblem(item)) problems.add(item)
    else yield item.event
  }
}

function turnsOf({ items, isWhole }: Tail, selection: Selection): Map<string, number> {
  const prompts = [...selected(eventsOf(items), selection)].filter(({ type }) => type === 'user')
  return new Map(prompts.map(({ id }, index) => [id, isWhole ? index + 1 : index - prompts.length]))
}

/** Notes the numbers of prompts on their way. */
function* numbered(events: Iterable<IonEvent>, selection: Selection, turns: Map<string, number>): Generator<IonEvent> {
  let turn = 0
  for (const event of selected(events, selection)) {
    if (event.type === 'user') turns.set(event.id, ++turn)
    yield event
  }
}

function* selected(events: Iterable<IonEvent>, { includes }: Selection): Generator<IonEvent> {
  let place = 0
  for (const event of events) if (includes(place++)) yield event
}
