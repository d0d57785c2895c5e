import { expect, test } from 'vitest'
import { START_MS, type StartObservation, startStage } from './start-report.ts'

const drawn: StartObservation = {
  sinceLaunchMs: 2500,
  sinceOutputMs: 2000,
  quietMs: 600,
  dialog: undefined,
  prompt: 'due',
}

test('with a prompt: ready when it is in the session or a dialog waits for the user, whatever the screen shows', () => {
  expect(startStage(drawn)).toBe('starting')
  expect(startStage({ ...drawn, prompt: 'arrived', sinceOutputMs: undefined })).toBe('ready')
  expect(startStage({ ...drawn, dialog: { asks: 'asks', isAnnounced: true } })).toBe('ready')
  expect(startStage({ ...drawn, sinceLaunchMs: START_MS })).toBe('late')
})

test('an expected dialog of an agent that has printed nothing yet is not a start', () => {
  const silent = { ...drawn, dialog: { asks: 'asks', isAnnounced: true }, sinceOutputMs: undefined }
  expect(startStage(silent)).toBe('starting')
  expect(startStage({ ...silent, sinceLaunchMs: START_MS })).toBe('late')
})

test('without a prompt: ready when the screen is drawn, and has been for a while', () => {
  const open = { ...drawn, prompt: 'none' } as const
  expect(startStage(open)).toBe('ready')
  expect(startStage({ ...open, sinceOutputMs: 100 })).toBe('starting')
  expect(startStage({ ...open, quietMs: 10 })).toBe('starting')
  expect(startStage({ ...open, quietMs: 10, sinceLaunchMs: START_MS })).toBe('ready')
  expect(startStage({ ...open, sinceOutputMs: undefined, sinceLaunchMs: START_MS })).toBe('late')
})
