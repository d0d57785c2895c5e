import { expect, test } from 'vitest'
import { scratchIo } from '../../test/support/scratch.ts'
import { until } from '../../test/support/wait-until.ts'
import type { FileStamp } from '../native/walk.ts'
import { SeenFiles } from './seen-files.ts'

const NOW = Date.parse('2026-11-16T00:00:00Z')
const file = (mtimeMs: number, size = 1): FileStamp[] => [{ path: '/made', dev: 1, ino: 1, size, mtimeMs }]

test('a file that was written long before it was noted is the same until its stamp changes', () => {
  const seen = new SeenFiles(scratchIo())
  expect(seen.compare(file(NOW - 1000))).toBe('changed')
  seen.note(file(NOW - 1000))
  expect([seen.compare(file(NOW - 1000)), seen.compare(file(NOW - 1000, 2))]).toEqual(['same', 'changed'])
  seen.forget()
  expect(seen.compare(file(NOW - 1000))).toBe('changed')
})

test('one that was written just before is read once more, and no more than once', async () => {
  const seen = new SeenFiles(scratchIo())
  seen.note(file(NOW))
  expect(seen.compare(file(NOW))).toBe('unsure')
  await until(() => expect(seen.compare(file(NOW))).toBe('changed'))
  seen.note(file(NOW))
  expect(seen.compare(file(NOW))).toBe('same')
})
