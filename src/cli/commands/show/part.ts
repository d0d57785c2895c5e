import type { IonEvent } from '../../../events/schema.ts'
import { IonError } from '../../../platform/error.ts'

/** Which events of a session are shown. */
export type Part =
  | { readonly kind: 'all' }
  | { readonly kind: 'last'; readonly messages: number }
  /** Counted from 1, as prompts; from the end if negative. */
  | { readonly kind: 'turns'; readonly from: number; readonly to: number }

const DEFAULT_LAST = 20

/** Of `--last [n]` and `--turn n[..m]`. */
export function parsePart(last: string | true | undefined, turn: string | undefined): Part {
  if (last !== undefined && turn !== undefined) {
    throw new IonError('usage', '--last and --turn cannot be combined', { hint: 'use one of them' })
  }
  if (last !== undefined) return { kind: 'last', messages: last === true ? DEFAULT_LAST : wholeNumber('--last', last) }
  if (turn === undefined) return { kind: 'all' }
  const [, from, range, to] = /^(-?\d{1,9})(\.\.)?(-?\d{1,9})?$/.exec(turn) ?? []
  if (from === undefined || (to !== undefined && range === undefined) || Number(from) === 0) {
    throw new IonError('usage', `invalid --turn "${turn}"`, { hint: 'write 3, 3..5, 3.. or -1 for the last one' })
  }
  const end = range === undefined ? Number(from) : to === undefined ? -1 : Number(to)
  if (Math.sign(end) === Math.sign(Number(from)) && end < Number(from)) {
    throw new IonError('usage', `invalid --turn "${turn}"`, { hint: `write ${end}..${from}` })
  }
  return { kind: 'turns', from: Number(from), to: end }
}

function wholeNumber(option: string, value: string): number {
  if (/^[1-9]\d{0,8}$/.test(value)) return Number(value)
  throw new IonError('usage', `invalid ${option} "${value}"`, { hint: 'use a whole number, 1 or more' })
}

/** `events` is called twice if turns are counted from the end. */
export function* partOf(events: () => Iterable<IonEvent>, part: Part): Generator<IonEvent> {
  if (part.kind === 'all') yield* events()
  else if (part.kind === 'last') yield* lastOf(events(), part.messages)
  else yield* turnsOf(events, part)
}

/** From the message on that is so many from the end. Holds what it may have to give. */
function lastOf(events: Iterable<IonEvent>, messages: number): IonEvent[] {
  let held: IonEvent[] = []
  const starts: number[] = []
  for (const event of events) {
    if (event.type === 'user' || event.type === 'assistant') starts.push(held.length)
    held.push(event)
    if (starts.length <= messages || starts[starts.length - messages]! < HELD) continue
    const cut = starts[starts.length - messages]!
    held = held.slice(cut)
    starts.splice(0, starts.length - messages)
    for (const [index, start] of starts.entries()) starts[index] = start - cut
  }
  return held.slice(starts.at(-messages) ?? 0)
}

/** So many events are dropped at once. */
const HELD = 4096

type Turns = Extract<Part, { kind: 'turns' }>

/** Counted from the beginning, of so many. */
function turnNumbers(count: number, { from, to }: Turns): { first: number; last: number } {
  const number = (turn: number): number => (turn < 0 ? count + 1 + turn : turn)
  return { first: number(from), last: number(to) }
}

/** The same, if there are that many. Throws `not-found` otherwise. */
export function existingTurns(count: number, part: Turns): { first: number; last: number } {
  const turns = turnNumbers(count, part)
  if (turns.first > count || turns.first < 1) throw tooFewTurns(count)
  return turns
}

function tooFewTurns(count: number): IonError {
  return new IonError('not-found', `the session has ${count === 1 ? 'one turn' : `${count} turns`}`, {
    hint: 'ion show <id> --turn -1 shows the last one',
  })
}

function* turnsOf(events: () => Iterable<IonEvent>, part: Turns): Generator<IonEvent> {
  let count = 0
  if (part.from < 0 || part.to < 0) for (const event of events()) if (event.type === 'user') count++
  const { first, last } = turnNumbers(count, part)
  let turn = 0
  for (const event of events()) {
    if (event.type === 'user') turn++
    if (turn > last) break
    if (turn >= first) yield event
  }
  if (turn < first) throw tooFewTurns(turn)
}

/** The turn, from prompt to prompt, that has the event. */
export function turnWith(events: Iterable<IonEvent>, isWanted: (event: IonEvent) => boolean): IonEvent[] {
  let turn: IonEvent[] = []
  let isFound = false
  for (const event of events) {
    if (event.type === 'user') {
      if (isFound) break
      turn = []
    }
    turn.push(event)
    isFound ||= isWanted(event)
  }
  return isFound ? turn : []
}
