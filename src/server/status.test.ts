import { expect, test } from 'vitest'
import { type Look, statusOf } from './status.ts'

const idle: Look = {
  host: { state: 'waiting', drawn: true, printed: true, dialog: null, screen: 'hello\n> ' },
  stillMs: 5000,
  turn: 'over',
  turnMs: 5000,
  isBetween: false,
  isPromptDue: false,
  isReady: true,
  isSending: false,
}

function status(changed: Partial<Look>): string {
  const { status: word, waiting_for } = statusOf({ ...idle, ...changed })
  return waiting_for === null ? word : `${word}: ${waiting_for}`
}

const drawing = { ...idle.host!, state: 'working' as const, drawn: false }
const drawn = { ...drawing, drawn: true }

test('stable when the agent waits for input, running else', () => {
  expect(status({})).toBe('stable')
  expect(status({ host: undefined })).toBe('stable')
  expect(status({ host: drawing, turn: 'open' })).toBe('running')
  expect(status({ host: drawn, turn: 'open' })).toBe('running')
  // The answer is in the transcript, and the screen stands still for a moment.
  expect(status({ host: drawn, turnMs: 10 })).toBe('stable')
  expect(status({ host: drawing, turnMs: 10 })).toBe('running')
  // Its screen never stands still.
  expect(status({ host: drawing })).toBe('stable')
  // A question within a turn that no pattern knows: nothing moves any more.
  expect(status({ turn: 'open' })).toBe('running')
  expect(status({ turn: 'open', stillMs: 60_000 })).toBe('stable')
})

test('an agent that is only loading is not ready, whatever its transcript says', () => {
  expect(status({ host: { ...idle.host!, screen: ' \n ' } })).toBe('running')
  // What stands there is of the program before it.
  expect(status({ host: { ...idle.host!, printed: false } })).toBe('running')
  expect(status({ host: drawn, isReady: false })).toBe('running')
  expect(status({ isPromptDue: true })).toBe('running')
  expect(status({ isPromptDue: true, stillMs: 60_000 })).toBe('stable')
  expect(status({ isSending: true })).toBe('running')
  expect(status({ isBetween: true })).toBe('running')
  expect(status({ host: undefined, isBetween: true })).toBe('running')
})

test('a dialog waits for the user', () => {
  const dialog = { id: 'trust', asks: 'asks whether you trust this folder' }
  expect(status({ host: { ...idle.host!, dialog }, isPromptDue: true })).toBe('stable: trust dialog')
})
