import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { cacheFolder, goEnv, installerEnv } from './cache-folder.ts'
import { withFolderLock } from './folder-lock.ts'
import { installAgent } from './install.ts'
import type { Pin } from './pins.ts'
import { withoutAddresses } from './run-tool.ts'

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'prove-'))
})
afterEach(() => rm(folder, { recursive: true, force: true }))

describe('the cache folder', () => {
  const temporary = '/scratch'
  const own = join(temporary, `ion-prove-${process.getuid?.() ?? 'user'}`)

  test.each([
    ['is what the user says', { ION_PROVE_CACHE: '/big/disk', XDG_CACHE_HOME: '/cache' }, '/big/disk'],
    ['else is in the cache folder', { XDG_CACHE_HOME: '/cache', HOME: '/home/dev' }, '/cache/ion-prove'],
    ['but not in a dot folder of the home', { XDG_CACHE_HOME: '/home/dev/.cache', HOME: '/home/dev' }, own],
    ['else is a temporary one', { HOME: '/home/dev' }, own],
  ])('%s', (_, env, expected) => {
    expect(cacheFolder(env, temporary)).toBe(expected)
  })

  test('gets everything that the installers write', () => {
    const env = { HOME: '/home/dev', PIP_INDEX_URL: 'kept', GOFLAGS: '-mod=mod' }
    const { HOME, PIP_INDEX_URL, GOFLAGS, GOENV, ...rest } = goEnv('/cache', env)
    expect({ HOME, PIP_INDEX_URL, GOFLAGS, GOENV }).toEqual({
      HOME: '/home/dev',
      PIP_INDEX_URL: 'kept',
      GOFLAGS: '-mod=mod -modcacherw',
      GOENV: '/home/dev/.config/go/env',
    })
    const paths = Object.values(rest).filter((value) => value?.startsWith('/'))
    expect(paths.filter((path) => !path?.startsWith('/cache/'))).toEqual([])
    expect(installerEnv('/cache', env).XDG_CONFIG_HOME).toBeUndefined()
  })
})

describe('an install', () => {
  test('that is complete is used as it is', async () => {
    const installed = { program: '/cache/robot-1.2.3/bin/robot', version: '1.2.3', bytes: 1 }
    const pin: Pin = { from: 'npm', package: 'robot', program: 'robot', versions: ['1.2.3'] }
    await mkdir(join(folder, 'robot-1.2.3'))
    await writeFile(join(folder, 'robot-1.2.3', 'installed.json'), JSON.stringify(installed))
    expect(await installAgent({ name: 'robot', agent: 'robot', pin }, { cache: folder })).toEqual(installed)
  })

  test('that is not available says why', async () => {
    const pin = { unavailable: 'in no registry' }
    expect(await installAgent({ name: 'robot', agent: 'robot', pin }, { cache: folder })).toEqual(pin)
  })

  test('names no registry in its reasons', () => {
    expect(withoutAddresses('E404 GET https://npm.example.com/x; see log')).toBe('E404 GET <registry>; see log')
  })
})

describe('the lock of a folder', () => {
  test('lets one in at a time and leaves nothing', async () => {
    let inside = 0
    let most = 0
    const work = async () => {
      most = Math.max(most, ++inside)
      await readdir(folder)
      inside--
    }
    const lock = join(folder, 'lock')
    await Promise.all(Array.from({ length: 4 }, () => withFolderLock(lock, work)))
    expect({ most, left: await readdir(folder) }).toEqual({ most: 1, left: [] })
  })

  test('of a dead process is taken over', async () => {
    const lock = join(folder, 'lock')
    await mkdir(lock)
    await writeFile(join(lock, 'owner'), '999999999')
    expect(await withFolderLock(lock, async () => 'done')).toBe('done')
  })

  test('of a living process is waited for until the deadline', async () => {
    const lock = join(folder, 'lock')
    await mkdir(lock)
    await writeFile(join(lock, 'owner'), String(process.pid))
    const attempt = withFolderLock(lock, async () => 'done', { deadlineMs: 0 })
    await expect(attempt).rejects.toThrow(`still locked by process ${process.pid}`)
    expect(await readdir(folder)).toEqual(['lock'])
  })

  test('is released when the work fails', async () => {
    const failing = withFolderLock(join(folder, 'lock'), async () => {
      throw new Error('disk full')
    })
    await expect(failing).rejects.toThrow('disk full')
    expect(await readdir(folder)).toEqual([])
  })
})
