import fs, { readdirSync, writeFileSync } from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { join } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { liveChild } from '../../test/support/live-child.ts'
import { scratchFolder } from '../../test/support/scratch.ts'
import { IonError } from './error.ts'
import { isHolder, type Lease, leaseHolder, takeLease } from './lease.ts'
import { identityOf, machineName } from './process.ts'

const about = { since: '2026-11-16T09:00:00.000Z' }

function held(folder: string, holder: object): void {
  writeFileSync(join(folder, 'lease.3'), JSON.stringify({ ...identityOf(process.pid), ...about, ...holder }))
}

function errorOf(act: () => unknown): IonError {
  try {
    act()
  } catch (error) {
    if (error instanceof IonError) return error
    throw error
  }
  throw new Error('no error')
}

test.each([
  ['another machine', { machine: 'desk', boot: 'another' }],
  ['another container of this machine', { machine: '3f2a9c1d', pidns: 'pid:[1]' }],
  ['another machine, where that pid is dead here', { machine: 'desk', boot: 'another', pid: 2 ** 22 - 1 }],
])('a lease of %s is refused, however it looks from here', (_name, holder) => {
  const folder = scratchFolder()
  held(folder, holder)
  const error = errorOf(() => takeLease(folder, about))
  expect([error.kind, error.message]).toEqual([
    'refused',
    expect.stringMatching(`^${holder.machine} is working on this`),
  ])
  expect(error.message).toContain('since 2026-11-16')
  expect(error.hint).toBe(
    `wait for it, or stop it there; if ${holder.machine} no longer exists: rm ${join(folder, 'lease.3')}`,
  )
  expect(readdirSync(folder)).toEqual(['lease.3'])
  // Nobody here may signal it or wait for it.
  expect(leaseHolder(folder)).toBeUndefined()
})

test('it can be stolen, or taken after its file was removed', () => {
  const folder = scratchFolder()
  held(folder, { machine: 'desk', boot: 'another' })
  const lease = takeLease(folder, about, { steal: true }) as Lease
  expect(readdirSync(folder)).toEqual(['lease.4'])
  lease.release()
  fs.rmSync(join(folder, 'lease.4'))
  expect(isHolder(takeLease(folder, about))).toBe(false)
})

test('a lease of this machine before its last boot, or before it was renamed', () => {
  const folder = scratchFolder()
  held(folder, { boot: 'another' })
  ;(takeLease(folder, about) as Lease).release()
  const renamed = scratchFolder()
  held(renamed, { machine: 'old-name' })
  expect(takeLease(renamed, about)).toMatchObject({ pid: process.pid, machine: 'old-name' })
})

test('a lease of an older Ion, which recorded no machine, is judged by boot and pid', async () => {
  const folder = scratchFolder()
  const { pid, start, boot } = identityOf(await liveChild())
  writeFileSync(join(folder, 'lease.1'), JSON.stringify({ pid, start, boot }))
  expect(takeLease(folder, about)).toEqual({ pid, start, boot })
  writeFileSync(join(folder, 'lease.1'), JSON.stringify({ pid, start, boot: 'another' }))
  expect(isHolder(takeLease(folder, about))).toBe(false)
})

test('the name of a machine: its own, a stable one for a container, or the workspace', () => {
  onTestFinished(() => void vi.unstubAllEnvs())
  expect(machineName()).not.toContain('.')
  vi.stubEnv('CODER_WORKSPACE_OWNER_NAME', 'dev')
  vi.stubEnv('CODER_WORKSPACE_NAME', 'shop')
  vi.stubEnv('CODER_WORKSPACE_AGENT_NAME', 'main')
  expect(machineName()).toBe('dev/shop/main')
  vi.stubEnv('ION_MACHINE', 'shop-pod')
  expect(machineName()).toBe('shop-pod')
  const folder = scratchFolder()
  held(folder, { boot: 'another' })
  expect(isHolder(takeLease(folder, about))).toBe(false)
})

test('a file system without hard links is named', () => {
  const { linkSync } = fs
  onTestFinished(() => {
    fs.linkSync = linkSync
    syncBuiltinESMExports()
  })
  fs.linkSync = () => {
    throw Object.assign(new Error('EPERM: operation not permitted, link'), { code: 'EPERM', syscall: 'link' })
  }
  syncBuiltinESMExports()
  const folder = scratchFolder()
  const error = errorOf(() => takeLease(folder, about))
  expect(error.message).toBe(`the file system of ${folder} has no hard links, which Ion needs for its locks`)
  expect(error.hint).toBe('set ION_HOME to a folder on a local disk')
})
