import type { RecordedAnswer } from './answers.ts'

/** An event of the transcript. */
export interface PlacedEvent {
  readonly id: string
  /** Undefined if the agent has stored none. */
  readonly time: string | undefined
  readonly isPrompt: boolean
}

/**
 * The answers before each event of the current branch, by its index; those after the last one have its length. Each is after
 * the event that was the last one when it was given, and after what was written since with an earlier time: some agents write
 * a turn only when it is over, and some store no times. An answer in a turn that was rewound has no place.
 */
export function placeAnswers(
  answers: readonly RecordedAnswer[],
  current: readonly PlacedEvent[],
  isOnOtherBranch: (id: string) => boolean,
): ReadonlyMap<number, readonly RecordedAnswer[]> {
  const places = new Map<number, RecordedAnswer[]>()
  if (answers.length === 0) return places
  const indexes = indexesOf(new Set(answers.map(({ after }) => after)), current)
  for (const answer of answers) {
    const { at, after } = answer
    const known = after === null ? undefined : indexes.get(after)
    const place = nextAfter(at, current, (known ?? -1) + 1)
    // After a rewind the user continues with a prompt. If the agent continued, only that event is missing.
    const isContinued = current[place]?.isPrompt === false
    if (after !== null && known === undefined && !isContinued && isOnOtherBranch(after)) continue
    places.set(place, [...(places.get(place) ?? []), answer])
  }
  return places
}

function indexesOf(ids: ReadonlySet<string | null>, events: readonly PlacedEvent[]): ReadonlyMap<string, number> {
  const indexes = new Map<string, number>()
  for (const [index, { id }] of events.entries()) if (ids.has(id)) indexes.set(id, index)
  return indexes
}

/** An event without a time is passed only together with one that is known to be earlier. */
function nextAfter(at: string, events: readonly PlacedEvent[], from: number): number {
  let place = from
  for (let index = from; index < events.length; index++) {
    const { time, isPrompt } = events[index]!
    if (time === undefined) continue
    // Of a time in whole seconds it is not known when in that second it was. An answer makes the agent continue at once, and
    // hardly ever precedes its prompt.
    const latest = isPrompt ? time : time.replace(/\.000Z$/, '.999Z')
    if (latest > at) break
    place = index + 1
  }
  return place
}
