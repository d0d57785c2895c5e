import { expect, test } from 'vitest'
import { nearest } from './nearest.ts'

const names = ['sessions', 'show', 'search', 'share', 'snapshot', 'storage', 'status', 'stop', 'ps', 'prune']

test.each([
  ['session', 'sessions'],
  ['sesions', 'sessions'],
  ['Sessions', 'sessions'],
  ['sess', 'sessions'],
  ['shwo', 'show'],
  ['serach', 'search'],
  ['snapshots', 'snapshot'],
  ['pruen', 'prune'],
  ['stpo', 'stop'],
  ['s', undefined],
  ['frobnicate', undefined],
  ['xyz', undefined],
  ['', undefined],
])('%j means %j', (typed, name) => {
  expect(nearest(typed, names)).toBe(name)
})
