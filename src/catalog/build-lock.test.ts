import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { deadPid, liveChild } from '../../test/support/live-child.ts'
import { scratchFolder } from '../../test/support/scratch.ts'
import { leaseHolder } from '../platform/lease.ts'
import { identityOf } from '../platform/process.ts'
import { withBuildLock } from './build-lock.ts'

function held(path: string, pid: number): void {
  mkdirSync(`${path}.lease`)
  writeFileSync(join(`${path}.lease`, 'lease.1'), JSON.stringify(identityOf(pid)))
}

test('the lock is held while the body runs, and released afterwards, also when it fails', () => {
  const path = join(scratchFolder(), 'catalog.db')
  const holder = (): number | undefined => leaseHolder(`${path}.lease`)?.pid
  expect(withBuildLock(path, holder)).toBe(process.pid)
  expect(holder()).toBeUndefined()
  expect(() => withBuildLock(path, () => JSON.parse('{'))).toThrow(SyntaxError)
  expect(holder()).toBeUndefined()
})

test('a lock of a dead process is taken over at once', async () => {
  const path = join(scratchFolder(), 'catalog.db')
  held(path, await deadPid())
  expect(withBuildLock(path, () => 'done')).toBe('done')
})

test('a lock of a living process is never removed: it is waited for, but not for ever', async () => {
  const path = join(scratchFolder(), 'catalog.db')
  const pid = await liveChild()
  held(path, pid)
  expect(() => withBuildLock(path, () => 'done', 50)).toThrow(`another process (pid ${pid}) is creating the index`)
  expect(leaseHolder(`${path}.lease`)?.pid).toBe(pid)
})

test('a folder that may not be written is an error, not an endless wait', () => {
  expect(() => withBuildLock('/dev/null/catalog.db', () => 'done')).toThrow('ENOTDIR')
})
