import { expect, test } from 'vitest'
import { type Observation, statusOf } from './status.ts'

const idle: Observation = {
  host: { state: 'waiting', drawn: true, printed: true, dialog: null, question: null, screen: 'hello\n> ' },
  stillMs: 5000,
  turn: 'over',
  turnMs: 5000,
  isBetweenRuns: false,
  isPromptPending: false,
  isReady: true,
  isSending: false,
}

function statusWith(changed: Partial<Observation>): string {
  const { status, asked } = statusOf({ ...idle, ...changed })
  return asked === null ? status : `${status}: ${asked.text}`
}

const drawing = { ...idle.host!, state: 'working' as const, drawn: false }
const drawn = { ...drawing, drawn: true }

test('stable when the agent waits for input, running otherwise', () => {
  expect(statusWith({})).toBe('stable')
  expect(statusWith({ host: undefined })).toBe('stable')
  expect(statusWith({ host: drawing, turn: 'open' })).toBe('running')
  expect(statusWith({ host: drawn, turn: 'open' })).toBe('running')
  // The answer is in the transcript, and the screen has not changed for a moment.
  expect(statusWith({ host: drawn, turnMs: 10 })).toBe('stable')
  expect(statusWith({ host: drawing, turnMs: 10 })).toBe('running')
  // The input box is drawn later.
  expect(statusWith({ host: { ...drawn, input: null }, turnMs: 10 })).toBe('running')
  expect(statusWith({ host: { ...drawn, input: '' }, turnMs: 10 })).toBe('stable')
  // Its screen never stops changing.
  expect(statusWith({ host: drawing })).toBe('stable')
  // What it works on is stored later, and its screen says that it works.
  expect(statusWith({ host: { ...drawn, isWorking: true } })).toBe('running')
  // A question within a turn that no pattern matches: nothing changes any more.
  expect(statusWith({ turn: 'open' })).toBe('running')
  expect(statusWith({ turn: 'open', stillMs: 60_000 })).toBe('stable')
  // An interrupted turn of which nothing is stored, and the box that is hidden while it works.
  expect(statusWith({ turn: 'open', stillMs: 1500 })).toBe('running')
  expect(statusWith({ host: { ...idle.host!, isAtInput: true }, turn: 'open', stillMs: 1500 })).toBe('stable')
  expect(statusWith({ host: { ...idle.host!, isAtInput: true }, turn: 'open', stillMs: 500 })).toBe('running')
})

test('an agent that is still loading is not ready, whatever its transcript says', () => {
  expect(statusWith({ host: { ...idle.host!, screen: ' \n ' } })).toBe('running')
  // The screen still shows the previous program.
  expect(statusWith({ host: { ...idle.host!, printed: false } })).toBe('running')
  expect(statusWith({ host: drawn, isReady: false })).toBe('running')
  expect(statusWith({ isPromptPending: true })).toBe('running')
  expect(statusWith({ isPromptPending: true, stillMs: 60_000 })).toBe('stable')
  expect(statusWith({ isSending: true })).toBe('running')
  expect(statusWith({ isBetweenRuns: true })).toBe('running')
  expect(statusWith({ host: undefined, isBetweenRuns: true })).toBe('running')
})

test('a dialog waits for the user', () => {
  const dialog = { id: 'trust', asks: 'asks whether you trust this folder' }
  expect(statusWith({ host: { ...idle.host!, dialog }, isPromptPending: true })).toBe(
    'stable: asks whether you trust this folder',
  )
})
