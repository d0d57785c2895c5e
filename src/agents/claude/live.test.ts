import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { deadPid, liveChild } from '../../../test/support/live-child.ts'
import { scratchIo } from '../../../test/support/scratch.ts'
import type { Io } from '../../platform/io.ts'
import { livingProcess } from '../../platform/process.ts'
import agent from './index.ts'

const ids = ['one', 'two']

function withMark(pid: number, sessionId: string, procStart: unknown, io: Io = scratchIo()): Io {
  const folder = join(io.home, '.claude/sessions')
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, `${pid}.json`), JSON.stringify({ pid, sessionId, procStart, status: 'busy' }))
  return io
}

const reported = (io: Io): unknown => Object.fromEntries(agent.live!(io, ids))

test('a session with a live process is open, others are not', async () => {
  const pid = await liveChild()
  const io = withMark(pid, 'one', livingProcess(pid)!.startTicks)
  writeFileSync(join(io.home, '.claude/sessions', `${pid}.abcd.key`), 'a token that is never opened')
  expect(reported(io)).toEqual({ one: pid, two: false })
})

test('a stale mark does not count, even if its pid was reused', async () => {
  const pid = await liveChild()
  const io = withMark(await deadPid(), 'one', '1')
  expect(reported(io)).toEqual({ one: false, two: false })
  withMark(pid, 'two', '1', io)
  expect(reported(io)).toEqual({ one: false, two: process.platform !== 'linux' && pid })
})

test('a mark without a start time counts while the process lives', async () => {
  const pid = await liveChild()
  expect(reported(withMark(pid, 'two', undefined))).toEqual({ one: false, two: pid })
})

test('a mark that is not JSON, and no marks at all', async () => {
  const pid = await liveChild()
  const io = withMark(pid, 'one', undefined)
  writeFileSync(join(io.home, '.claude/sessions', `${pid}.json`), '{"pid":')
  expect(reported(io)).toEqual({ one: false, two: false })
  expect(reported(scratchIo())).toEqual({})
})
