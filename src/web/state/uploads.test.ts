import { expect, test } from 'vitest'
import { insertedAt } from './uploads.ts'

test.each([
  ['', 0, 0, ['/home/dev/a.png'], '/home/dev/a.png '],
  ['Look at', 7, 7, ['/up/a.png'], 'Look at /up/a.png '],
  ['Look at this now', 8, 12, ['/up/a.png', '/up/my b.png'], 'Look at /up/a.png "/up/my b.png" now'],
])('%j at %i to %i', (text, start, end, paths, expected) => {
  expect(insertedAt(text, { start, end }, paths)).toBe(expected)
})
