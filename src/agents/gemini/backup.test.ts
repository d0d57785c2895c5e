import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { fixtureHome, isLetIn, keptPaths } from '../../../test/support/backup-parts.ts'
import { listAll } from '../../../test/support/read-all.ts'
import { scratchIo } from '../../../test/support/scratch.ts'
import type { Io } from '../../platform/io.ts'
import { backup } from './backup.ts'
import agent from './index.ts'

describe('gemini: the parts of a session', () => {
  test('the conversation without the empty file of a resume, and the file that names the project', () => {
    const io = fixtureHome(agent, '0.61.0')
    expect(keptPaths(agent, '23769744-ee59-4d37-b402-1dd607013075', io)).toEqual([
      'tmp/shop/chats/session-2026-11-15T18-42-23769744.jsonl',
      'tmp/shop/.project_root shared',
    ])
  })

  test('not a broken file of it', () => {
    const io = fixtureHome(agent, '0.33.0')
    const chats = 'tmp/shop/chats/session-2026-11-15T19-'
    const native = listAll(agent, io).heads[0]!.native_id
    writeFileSync(join(io.home, '.gemini', `${chats}20-163bc252.json`), `{"sessionId":"${native}",`)
    expect(keptPaths(agent, native, io)).toEqual([`${chats}13-163bc252.json`, 'tmp/shop/.project_root shared'])
  })

  test('its sub-agents, plans and tool outputs', () => {
    const io = fixtureHome(agent, 'handmade-branches')
    const native = 'be000001-0000-4000-8000-000000000001'
    const tmp = join(io.home, '.gemini', 'tmp', 'shop')
    for (const folder of [`${native}/plans`, `tool-outputs/session-${native}`, `${native}/logs`]) {
      mkdirSync(join(tmp, folder), { recursive: true })
      writeFileSync(join(tmp, folder, 'one.txt'), '')
    }
    expect(keptPaths(agent, native, io)).toEqual(
      [
        'chats/session-2026-11-01T09-00-be000001.jsonl',
        `chats/${native}/sub-agent-1.jsonl`,
        `${native}/plans/one.txt`,
        `tool-outputs/session-${native}/one.txt`,
        '.project_root shared',
      ].map((path) => `tmp/shop/${path}`),
    )
    expect(keptPaths(agent, `${native}/sub-agent-1`, io)).toEqual([
      `tmp/shop/chats/${native}/sub-agent-1.jsonl`,
      'tmp/shop/.project_root shared',
    ])
  })

  test.each([
    'settings.json',
    'oauth_creds.json',
    'projects.json',
    'tmp/shop/hooks/x.sh',
    'tmp/bin/rg',
    'extensions/a/plans/b',
  ])('%s is not let in', (path) => {
    expect(isLetIn(agent, path)).toBe(false)
  })
})

describe('gemini: the folder of a project', () => {
  const file = 'tmp/shop/chats/session-x.jsonl'
  const placed = (io: Io, cwd = '/home/dev/shop'): string => backup.place!(file, cwd, io)
  const write = (io: Io, path: string, text: string): void => {
    mkdirSync(join(io.home, '.gemini', path, '..'), { recursive: true })
    writeFileSync(join(io.home, '.gemini', path), text)
  }

  test('keeps its name in an empty home', () => {
    expect(placed(scratchIo())).toBe(file)
  })

  test('is the one that the project has on this machine', () => {
    const io = scratchIo()
    write(io, 'projects.json', JSON.stringify({ projects: { '/home/dev/shop': 'shop-7' } }))
    expect(placed(io)).toBe('tmp/shop-7/chats/session-x.jsonl')
  })

  test('gets a number when another project has the name, by any record of it', () => {
    const io = scratchIo()
    write(io, 'projects.json', JSON.stringify({ projects: { '/other/shop': 'shop' } }))
    write(io, 'tmp/shop-1/.project_root', '/third/shop')
    write(io, 'history/shop-2/.project_root', '/fourth/shop')
    expect([placed(io), placed(io, '/other/shop')]).toEqual(['tmp/shop-3/chats/session-x.jsonl', file])
  })

  test('named by a hash gets the hash of the present path', () => {
    const hash = 'a'.repeat(64)
    expect(backup.place!(`tmp/${hash}/chats/session-x.json`, '/home/dev3/projects/shop', scratchIo())).toMatch(
      /^tmp\/fee52a6a[0-9a-f]{56}\/chats\/session-x\.json$/,
    )
  })

  test('and its .project_root move with the home', () => {
    const move = (path: string): string => path.replace('/home/dev', '/users/dev')
    expect(backup.rewrite?.text?.('tmp/shop/.project_root', '/home/dev/shop', move)).toBe('/users/dev/shop')
  })
})
