import { readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { liveChild } from '../../test/support/live-child.ts'
import { scratchFolder } from '../../test/support/scratch.ts'
import { isHolder, type Lease } from '../platform/lease.ts'
import { bootId, identityOf } from '../platform/process.ts'
import { takeTask, taskHolder } from './lease.ts'

const now = new Date('2026-11-16T00:00:00Z')
const since = now.toISOString()

function held(folder: string, holder: object, number = 1): void {
  writeFileSync(join(folder, `lease.${number}`), JSON.stringify({ way: 'detached', since, ...holder }))
}

test('is taken once, names its holder, and can be taken again after its release', () => {
  const folder = scratchFolder()
  const lease = takeTask(folder, 'headless', now) as Lease
  expect(takeTask(folder, 'terminal', now)).toEqual({ ...identityOf(process.pid), way: 'headless', since })
  expect(taskHolder(folder)?.pid).toBe(process.pid)
  lease.release()
  expect(taskHolder(folder)).toBeUndefined()
  expect(isHolder(takeTask(folder, 'terminal', now))).toBe(false)
  expect(readdirSync(folder)).toEqual(['lease.2'])
})

test('of a living process it is refused', async () => {
  const folder = scratchFolder()
  const pid = await liveChild()
  held(folder, identityOf(pid))
  expect(takeTask(folder, 'headless', now)).toMatchObject({ pid, way: 'detached' })
})

test.each([
  ['a process that has ended', { pid: 2 ** 22 - 1, start: '1', boot: bootId() }],
  ['a pid that another process has now', { pid: process.pid, start: '1', boot: bootId() }],
  ['another boot', { ...identityOf(process.pid), boot: 'another' }],
])('the lease of %s is taken over', (_name, holder) => {
  const folder = scratchFolder()
  held(folder, holder, 7)
  expect(taskHolder(folder)).toBeUndefined()
  expect(isHolder(takeTask(folder, 'headless', now))).toBe(false)
  expect(readdirSync(folder)).toEqual(['lease.8'])
})

test.each(['', '{', '[]', '{"released":true}'])('a lease that holds %j is nobody’s', (content) => {
  const folder = scratchFolder()
  writeFileSync(join(folder, 'lease.1'), content)
  expect(isHolder(takeTask(folder, 'headless', now))).toBe(false)
})
