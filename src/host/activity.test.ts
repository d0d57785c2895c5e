import { expect, test } from 'vitest'
import { activityOf } from './activity.ts'

const trust = { id: 'trust', asks: 'asks whether you trust this folder' }
const look = {
  quietMs: 500,
  text: 'Do you trust it?',
  screens: [{ ...trust, pattern: /Do you trust/ }],
  expected: [],
}

test('a dialog is reported once the screen is drawn', () => {
  expect(activityOf(look)).toEqual({ state: 'waiting', dialog: trust })
  expect(activityOf({ ...look, quietMs: 100 })).toEqual({ state: 'working', dialog: null })
})

test('without a dialog, silence is waiting', () => {
  expect(activityOf({ ...look, text: 'thinking' })).toEqual({ state: 'working', dialog: null })
  expect(activityOf({ ...look, text: 'thinking', quietMs: 5000 })).toEqual({ state: 'waiting', dialog: null })
})

test('an expected dialog is reported when the agent is silent and the prompt has not arrived', () => {
  const expected = [{ id: 'onboarding', asks: 'shows its first-run pages', certain: true }]
  const silent = { ...look, text: 'Pick a colour', quietMs: 5000 }
  expect(activityOf({ ...silent, expected })).toEqual({
    state: 'waiting',
    dialog: { id: 'onboarding', asks: 'shows its first-run pages' },
  })
  expect(activityOf({ ...silent, expected, quietMs: 500 })).toEqual({ state: 'working', dialog: null })
})
