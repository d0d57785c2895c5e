import { expect, test } from 'vitest'
import type { RecordedAnswer } from './answers.ts'
import { type PlacedEvent, placeAnswers } from './place-answers.ts'

const at = (seconds: number): string => new Date(Date.UTC(2026, 2, 12, 14, 0, 0, seconds * 1000)).toISOString()

/** `P` is a prompt; the number is the time in seconds, none if the agent has stored no time. */
const events = (...all: readonly (readonly [id: string, seconds?: number])[]): PlacedEvent[] =>
  all.map(([id, seconds]) => ({
    id,
    time: seconds === undefined ? undefined : at(seconds),
    isPrompt: id.startsWith('P'),
  }))

const answer = (seconds: number, after: string | null): RecordedAnswer => ({
  at: at(seconds),
  after,
  session: 'n1',
  earlier: 0,
  question: 'Run it?',
  details: '',
  choice: 'Yes',
  by: 'page',
})

/** The id of the event that follows the answer; `end` if no event follows, undefined if the answer has no place. */
function next(one: RecordedAnswer, current: readonly PlacedEvent[], others: readonly string[] = []) {
  const [index] = placeAnswers([one], current, (id) => others.includes(id)).keys()
  return index === undefined ? undefined : (current[index]?.id ?? 'end')
}

const turn = events(['P1', 1.1], ['call', 2.2], ['result', 6.6], ['text', 7.7], ['P2', 9.9], ['text2', 11.1])

test('after the call that was open, and before its result', () => {
  expect(next(answer(5, 'call'), turn)).toBe('result')
  expect(next(answer(5, 'call'), turn.slice(0, 2))).toBe('end')
})

test('what was written since with an earlier time comes first: the transcript was behind, or is written turn by turn', () => {
  expect(next(answer(5, 'P1'), turn)).toBe('result')
  expect(next(answer(5, null), turn)).toBe('result')
  expect(next(answer(10.5, 'text'), turn)).toBe('text2')
})

test('before the first prompt, and between two turns', () => {
  expect(next(answer(0.5, null), turn)).toBe('P1')
  expect(next(answer(8, 'text'), turn)).toBe('P2')
})

test('without times it stays after the event that was the last one', () => {
  const untimed = turn.map((event) => ({ ...event, time: undefined }))
  expect(next(answer(5, 'call'), untimed)).toBe('result')
  expect(next(answer(5, 'text'), untimed)).toBe('P2')
  expect(next(answer(5, null), untimed)).toBe('P1')
})

test('an event without a time is passed only together with a later one that has one', () => {
  const some = events(['P1', 1.1], ['call'], ['note'], ['thinking', 3.3], ['result'], ['text', 7.7])
  expect(next(answer(5, 'P1'), some)).toBe('result')
  expect(next(answer(2, 'P1'), some)).toBe('call')
})

test('whole seconds: before what the agent did in that second, but not before its prompt', () => {
  const coarse = events(['P1', 1], ['text', 3], ['P2', 6], ['call', 6], ['result', 6], ['text2', 7])
  expect(next(answer(6.5, 'text'), coarse)).toBe('call')
  expect(next(answer(6.5, 'call'), coarse)).toBe('result')
  expect(next(answer(7.999, 'text'), coarse)).toBe('end')
})

test('an answer in a turn that was rewound has no place; one whose event is missing is placed by its time', () => {
  expect(next(answer(8, 'old'), turn, ['old'])).toBeUndefined()
  expect(next(answer(20, 'old'), turn, ['old'])).toBeUndefined()
  expect(next(answer(8, 'old'), turn)).toBe('P2')
  // The agent continued, so the turn was not rewound.
  expect(next(answer(5, 'old'), turn, ['old'])).toBe('result')
})

test('several answers at one place keep their order', () => {
  const [first, second] = [answer(4, 'call'), answer(5, 'call')]
  expect([...placeAnswers([first, second, answer(8, 'call')], turn, () => false)]).toEqual([
    [2, [first, second]],
    [4, [answer(8, 'call')]],
  ])
})
