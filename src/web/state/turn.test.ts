import { expect, test } from 'vitest'
import type { Message } from '../api/contract.ts'
import { currentTurn } from './turn.ts'

const START = Date.UTC(2026, 2, 12, 9)
const message = (id: number, role: 'user' | 'agent', seconds: number, done = true): Message => ({
  ...{ id, role, content: '', parts: [], done },
  time: new Date(START + seconds * 1000).toISOString(),
})
const now = START + 100_000
const earlier = [message(0, 'user', 0), message(1, 'agent', 5)]

test('a turn began with its prompt, however much the agent has done since', () => {
  expect(currentTurn([...earlier, message(2, 'user', 60)], undefined, now)).toEqual({
    prompt: 2,
    since: START + 60_000,
  })
  const working = [...earlier, message(2, 'user', 60), message(3, 'agent', 61, false)]
  expect(currentTurn(working, undefined, now)).toEqual({ prompt: 2, since: START + 60_000 })
})

test('a text between two steps looks like the end of the turn, and does not restart the clock', () => {
  const known = { prompt: 2, since: START + 60_000 }
  expect(currentTurn([...earlier, message(2, 'user', 60), message(3, 'agent', 61)], known, now)).toBe(known)
})

test('a prompt that is not in the transcript yet: from now on, and from its own time when it arrives', () => {
  const turn = currentTurn(earlier, undefined, now)
  expect(turn).toEqual({ prompt: 0, since: now })
  expect(currentTurn(earlier, turn, now + 5_000)).toBe(turn)
  const written = [...earlier, message(2, 'user', 98)]
  expect(currentTurn(written, turn, now + 9_000)).toEqual({ prompt: 2, since: START + 98_000 })
})

test('a time in the future or none: from now on', () => {
  expect(currentTurn([message(0, 'user', 500)], undefined, now)).toEqual({ prompt: 0, since: now })
  expect(currentTurn([{ ...message(0, 'user', 0), time: '' }], undefined, now)).toEqual({ prompt: 0, since: now })
  expect(currentTurn([], undefined, now)).toEqual({ prompt: -1, since: now })
})
