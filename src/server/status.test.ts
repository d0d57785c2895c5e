import { expect, test } from 'vitest'
import { LOADED_MS, type Look, OVER_MS, statusOf } from './status.ts'

const waiting = { state: 'waiting', drawn: true, dialog: null, screen: '> ' } as const
const working = { ...waiting, state: 'working', drawn: false } as const
const look: Look = { host: waiting, turn: 'over', turnMs: 0, isPromptDue: false, isReady: true, isSending: false }

test.each<[string, Partial<Look>, 'stable' | 'running', string?]>([
  ['no agent runs', { host: undefined, turn: 'open' }, 'stable'],
  ['it waits for input', {}, 'stable'],
  [
    'a dialog asks the user, whatever else is',
    { host: { ...working, dialog: { id: 'trust', asks: '?' } } },
    'stable',
    'trust dialog',
  ],
  ['a message is on its way', { isSending: true }, 'running'],
  ['it works', { host: working, turn: 'open' }, 'running'],
  ['the answer is there, and the screen is drawn', { host: { ...working, drawn: true } }, 'stable'],
  ['the answer is there, and the screen never rests', { host: working, turnMs: OVER_MS }, 'stable'],
  ['it is still being loaded: its screen is empty', { host: { ...waiting, screen: ' \n' }, isReady: false }, 'running'],
  ['it has not taken its prompt yet', { isPromptDue: true, turn: 'none', isReady: false }, 'running'],
  ['it never takes its prompt', { isPromptDue: true, turn: 'none', isReady: false, turnMs: LOADED_MS }, 'stable'],
  ['a resumed session was opened', { isReady: false }, 'stable'],
])('%s', (_name, known, status, waitingFor) => {
  expect(statusOf({ ...look, ...known })).toEqual({ status, waiting_for: waitingFor ?? null })
})
