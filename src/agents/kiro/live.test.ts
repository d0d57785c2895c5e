import { mkdirSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { deadPid, liveChild } from '../../../test/support/live-child.ts'
import { scratchIo } from '../../../test/support/scratch.ts'
import type { Io } from '../../platform/io.ts'
import agent from './index.ts'

function withSession(io: Io, session: string, lock?: string): string {
  const folder = join(io.home, '.kiro/sessions/cli')
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, `${session}.json`), '{}')
  if (lock !== undefined) writeFileSync(join(folder, `${session}.lock`), lock)
  return join(folder, `${session}.lock`)
}

test('a session of engine v2 is open while the process of its lock lives; nothing is known about other engines', async () => {
  const io = scratchIo()
  const pid = await liveChild()
  withSession(io, 'open', JSON.stringify({ pid }))
  withSession(io, 'left', JSON.stringify({ pid: await deadPid() }))
  withSession(io, 'closed')
  withSession(io, 'odd', 'not JSON')
  const asked = ['open', 'left', 'closed', 'odd', 'of-engine-1', 'sess_1', '../cli/open']
  expect(Object.fromEntries(agent.live!(io, asked))).toEqual({ open: pid, left: false, closed: false })
})

test('a lock that is older than the process with its pid belongs to another process', async () => {
  const io = scratchIo()
  const pid = await liveChild()
  const lock = withSession(io, 'reused', JSON.stringify({ pid }))
  const yesterday = new Date(Date.now() - 86_400_000)
  utimesSync(lock, yesterday, yesterday)
  expect(agent.live!(io, ['reused']).get('reused')).toBe(process.platform !== 'linux' && pid)
})
