import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { fixtureHome, isLetIn, keptPaths } from '../../../test/support/backup-parts.ts'
import { backup } from './backup.ts'
import agent from './index.ts'

const native = 'aaaaaaaa-8888-4888-8888-888888888880'

describe('copilot: parts of a session', () => {
  test('everything in its folder except locks', () => {
    const io = fixtureHome(agent, '1.0.102')
    const folder = join(io.home, '.copilot', 'session-state', native)
    mkdirSync(join(folder, 'rewind-file-snapshots', 'backups'), { recursive: true })
    for (const name of ['plan.md', 'session.db', '.workspace-fork.lock', 'rewind-file-snapshots/backups/1'])
      writeFileSync(join(folder, name), '')
    expect(keptPaths(agent, native, io)).toEqual(
      ['events.jsonl', 'plan.md', 'rewind-file-snapshots/backups/1', 'session.db', 'workspace.yaml'].map(
        (name) => `session-state/${native}/${name}`,
      ),
    )
  })

  test('data from before 1.0 is restored to its folder, or to the one in use', () => {
    const io = fixtureHome(agent, '1.0.102')
    const old = { ...io, env: { ...io.env, XDG_STATE_HOME: '/state' } }
    expect([backup.roots(old), backup.roots(io)]).toEqual([
      { copilot: join(io.home, '.copilot'), state: '/state/.copilot', config: join(io.home, '.copilot') },
      { copilot: join(io.home, '.copilot'), state: join(io.home, '.copilot'), config: join(io.home, '.copilot') },
    ])
  })

  test('the folder in workspace.yaml moves, and nothing else', () => {
    const text = `id: ${native}\ncwd: /home/dev/shop\ngit_root: /home/dev/shop\nname: |-\n  cwd: /home/dev\n`
    const move = (path: string): string => path.replace('/home/dev', '/users/dev')
    expect(backup.rewrite?.text?.(`session-state/${native}/workspace.yaml`, text, move)).toBe(
      `id: ${native}\ncwd: /users/dev/shop\ngit_root: /users/dev/shop\nname: |-\n  cwd: /home/dev\n`,
    )
    expect(backup.rewrite?.text?.(`session-state/${native}/plan.md`, text, move)).toBe(text)
    const quoted = `cwd: "/home/dev/a: b"\ngit_root: '/home/dev/it''s'\n`
    expect(backup.rewrite?.text?.(`session-state/${native}/workspace.yaml`, quoted, move)).toBe(
      `cwd: "/users/dev/a: b"\ngit_root: "/users/dev/it's"\n`,
    )
  })

  test.each([
    'config.json',
    'settings.json',
    'session-store.db',
    `session-state/${native}/inuse.1.lock`,
    'mcp-config.json',
  ])('%s is not an allowed path', (path) => {
    expect(isLetIn(agent, path)).toBe(false)
  })
})
