import { expect, test } from 'vitest'
import { type Draft, Sequencer } from './sequencer.ts'

const userDraft = (content: string, rest: Partial<Draft> = {}): Draft => ({ type: 'user', content, ...rest }) as Draft

test('completes order, ids, parents and times', () => {
  const sequencer = new Sequencer('2026-01-01T00:00:00.000Z')
  const events = [
    sequencer.complete(userDraft('a', { parent_id: null, time: 1767225601 }), 'k1', 0),
    sequencer.complete(userDraft('b', { time: 'no time' }), 'k1', 1),
    sequencer.complete(userDraft('c', { id: 'own', parent_id: 'k1', time: '2026-01-01 00:00:03' }), 'k2', 0),
    sequencer.complete(userDraft('d', { id: '' }), 'k3', 0),
    sequencer.complete(userDraft('e', { time: '2026-01-01T00:00:04Z', guessed: true }), 'k4', 0),
    sequencer.complete(userDraft('f', { time: '2026-01-01T00:00:05Z', guessed: false }), 'k5', 0),
  ]
  expect(events).toEqual([
    { type: 'user', seq: 0, id: 'k1', parent_id: null, timestamp: '2026-01-01T00:00:01.000Z', content: 'a' },
    {
      type: 'user',
      seq: 1,
      id: 'k1.1',
      parent_id: 'k1',
      timestamp: '2026-01-01T00:00:01.000Z',
      timestamp_guessed: true,
      content: 'b',
    },
    { type: 'user', seq: 2, id: 'own', parent_id: 'k1', timestamp: '2026-01-01T00:00:03.000Z', content: 'c' },
    {
      type: 'user',
      seq: 3,
      id: 'k3',
      parent_id: 'own',
      timestamp: '2026-01-01T00:00:03.000Z',
      timestamp_guessed: true,
      content: 'd',
    },
    {
      type: 'user',
      seq: 4,
      id: 'k4',
      parent_id: 'k3',
      timestamp: '2026-01-01T00:00:04.000Z',
      timestamp_guessed: true,
      content: 'e',
    },
    { type: 'user', seq: 5, id: 'k5', parent_id: 'k4', timestamp: '2026-01-01T00:00:05.000Z', content: 'f' },
  ])
})

test('a repeated id gets a suffix, also if the suffix is taken', () => {
  const sequencer = new Sequencer(null)
  const ids = ['a', 'a~3', 'a', 'a', 'a', 'a~3'].map((id) => sequencer.complete(userDraft('', { id }), 'k', 0).id)
  expect(ids).toEqual(['a', 'a~3', 'a~2', 'a~4', 'a~5', 'a~3~2'])
})

test('equal ids take linear time', () => {
  const sequencer = new Sequencer(null)
  let last = ''
  // With a search from ~2 each time this would be twenty thousand million steps.
  for (let n = 0; n < 200_000; n++) last = sequencer.complete(userDraft('', { id: 'same' }), 'k', 0).id
  expect(last).toBe('same~200000')
})

test('without any time the start is guessed', () => {
  const event = new Sequencer(null).complete(userDraft('x'), 'k', 0)
  expect(event).toMatchObject({ timestamp: '1970-01-01T00:00:00.000Z', timestamp_guessed: true })
})

test('a forgotten id is free again, also one with a suffix', () => {
  const sequencer = new Sequencer(null)
  const next = (id: string): string => sequencer.complete(userDraft('', { id }), '', 0).id
  expect(['a', 'b'].map(next)).toEqual(['a', 'b'])
  expect(sequencer.hasRepeats).toBe(false)
  expect(['a', 'a', 'a', 'c~1'].map(next)).toEqual(['a~2', 'a~3', 'a~4', 'c~1'])
  expect(sequencer.hasRepeats).toBe(true)
  sequencer.forget(['a~4', 'a~2', 'b', 'c~1'])
  expect(['b', 'c~1', 'a', 'a'].map(next)).toEqual(['b', 'c~1', 'a~2', 'a~4'])
  expect(sequencer.state).toEqual({ previous: 'a~4', time: '1970-01-01T00:00:00.000Z' })
  sequencer.resumeAt({ previous: 'b', time: '2026-01-01T00:00:00.000Z' })
  expect(sequencer.complete(userDraft('later', { id: 'd' }), '', 0)).toEqual({
    type: 'user',
    seq: 10,
    id: 'd',
    parent_id: 'b',
    timestamp: '2026-01-01T00:00:00.000Z',
    timestamp_guessed: true,
    content: 'later',
  })
})
