import { mkdirSync, utimesSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { expect, test } from 'vitest'
import { deadPid, liveChild, zombiePid } from '../../../test/support/live-child.ts'
import { scratchIo } from '../../../test/support/scratch.ts'
import type { Io } from '../../platform/io.ts'
import agent from './index.ts'
import { locksToRemove } from './live.ts'

function withLock(io: Io, session: string, pid: number): string {
  const folder = join(io.home, '.copilot/session-state', session)
  mkdirSync(folder, { recursive: true })
  const lock = join(folder, `inuse.${pid}.lock`)
  writeFileSync(lock, String(pid))
  return lock
}

test('a session is open while the process of its lock lives', async () => {
  const io = scratchIo()
  const pid = await liveChild()
  withLock(io, 'open', pid)
  withLock(io, 'left', await deadPid())
  mkdirSync(join(io.home, '.copilot/session-state/closed'))
  const asked = ['open', 'left', 'closed', 'not-there', '../session-state/open']
  expect(Object.fromEntries(agent.live!(io, asked))).toEqual({ open: pid, left: false, closed: false })
})

test('a lock that is older than the process with its pid belongs to another process', async () => {
  const io = scratchIo()
  const pid = await liveChild()
  const lock = withLock(io, 'reused', pid)
  const yesterday = new Date(Date.now() - 86_400_000)
  utimesSync(lock, yesterday, yesterday)
  expect(agent.live!(io, ['reused']).get('reused')).toBe(process.platform !== 'linux' && pid)
})

test.skipIf(process.platform !== 'linux')(
  'only the lock of a process that was killed and not reaped is removed',
  async () => {
    const io = scratchIo()
    const [zombie, living, dead] = [await zombiePid(), await liveChild(), await deadPid()]
    for (const pid of [zombie, living, dead]) withLock(io, 'session', pid)
    const lock = join(io.home, `.copilot/session-state/session/inuse.${zombie}.lock`)
    const copies = (kind: 'cold' | 'warm', session: string) => [...locksToRemove(kind, { session, io })]
    expect(copies('warm', 'session')).toEqual([{ name: basename(lock), path: lock, move: true }])
    expect([copies('cold', 'session'), copies('warm', 'not-there')]).toEqual([[], []])
  },
)
