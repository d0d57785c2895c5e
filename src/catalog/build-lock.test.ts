import { existsSync, readFileSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { deadPid, liveChild } from '../../test/support/live-child.ts'
import { scratchFolder } from '../../test/support/scratch.ts'
import { withBuildLock } from './build-lock.ts'

test('the lock is there while the body runs, and gone afterwards, also when it fails', () => {
  const path = join(scratchFolder(), 'catalog.db')
  const lock = `${path}.lock`
  expect(withBuildLock(path, () => readFileSync(lock, 'utf8'))).toBe(String(process.pid))
  expect(existsSync(lock)).toBe(false)
  expect(() => withBuildLock(path, () => JSON.parse('{'))).toThrow(SyntaxError)
  expect(existsSync(lock)).toBe(false)
})

test('a lock that was left behind is taken over at once', async () => {
  const path = join(scratchFolder(), 'catalog.db')
  writeFileSync(`${path}.lock`, String(await deadPid()))
  expect(withBuildLock(path, () => 'done')).toBe('done')
  writeFileSync(`${path}.lock`, String(await liveChild()))
  const longAgo = new Date(Date.now() - 60_000)
  utimesSync(`${path}.lock`, longAgo, longAgo)
  expect(withBuildLock(path, () => 'done')).toBe('done')
})

test('a folder that may not be written is an error, not an endless wait', () => {
  expect(() => withBuildLock('/dev/null/catalog.db', () => 'done')).toThrow('ENOTDIR')
})
