import { expect, test } from 'vitest'
import { deadPid, liveChild, zombiePid } from '../../test/support/live-child.ts'
import { couldHaveWritten, isZombie, livingProcess } from './process.ts'

const onLinux = process.platform === 'linux'

test('a living process', async () => {
  expect(livingProcess(await liveChild())).toBeDefined()
})

test.skipIf(!onLinux)('the start of a living process', async () => {
  const begun = Date.now()
  const living = livingProcess(await liveChild())
  expect(living).toEqual({ startTicks: expect.stringMatching(/^\d+$/), startedAt: expect.any(Number) })
  // btime has whole seconds.
  expect(living!.startedAt).toBeGreaterThan(begun - 2000)
  expect(living!.startedAt).toBeLessThan(Date.now() + 2000)
})

test('a dead process and an invalid pid are not alive', async () => {
  expect(livingProcess(await deadPid())).toBeUndefined()
  expect([0, -1, 1.5, Number.NaN, 2 ** 53].map(livingProcess)).toEqual(Array(5).fill(undefined))
})

test.skipIf(!onLinux)('a zombie is not alive, although its pid exists', async () => {
  const zombie = await zombiePid()
  expect(livingProcess(zombie)).toBeUndefined()
  expect(() => process.kill(zombie, 0)).not.toThrow()
  expect(isZombie(zombie)).toBe(true)
  expect([await deadPid(), await liveChild(), process.pid].map(isZombie)).toEqual([false, false, false])
})

test('a file that is older than the process was written by another one', async () => {
  const pid = await liveChild()
  expect(couldHaveWritten(pid, Date.now())).toBe(true)
  expect(couldHaveWritten(pid, Date.now() - 3_600_000)).toBe(!onLinux)
  expect(couldHaveWritten(await deadPid(), Date.now())).toBe(false)
})
