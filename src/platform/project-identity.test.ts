import { execFileSync } from 'node:child_process'
import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { scratchFolder } from '../../test/support/scratch.ts'
import { gitIdentity } from './git-identity.ts'
import { folderIdentity, hasOtherHistory, hasSameHistory, isSameFolder } from './project-identity.ts'

const io = { env: { PATH: process.env.PATH } }

function world(): { root: string; git: (folder: string, ...args: string[]) => string } {
  const root = scratchFolder()
  const env = { PATH: process.env.PATH, HOME: root, GIT_CONFIG_NOSYSTEM: '1' }
  return {
    root,
    git: (folder, ...args) =>
      execFileSync('git', ['-C', folder, '-c', 'user.name=Dev', '-c', 'user.email=d@example.com', ...args], {
        env,
        encoding: 'utf8',
        stdio: 'pipe',
      }).trim(),
  }
}

test('a folder is the same after a rename, and another one when it was created again', () => {
  const { root } = world()
  const [alpha, beta] = [join(root, 'alpha'), join(root, 'beta')]
  expect(folderIdentity(alpha)).toBeUndefined()
  mkdirSync(alpha)
  const before = folderIdentity(alpha)
  renameSync(alpha, beta)
  expect(isSameFolder(before, folderIdentity(beta))).toBe(true)
  rmSync(beta, { recursive: true })
  mkdirSync(beta)
  expect(isSameFolder(before, folderIdentity(beta))).toBe(false)
  writeFileSync(alpha, '')
  expect(folderIdentity(alpha)).toBeUndefined()
})

test('a repository: its first commits, remote and worktrees', async () => {
  const { root, git } = world()
  const [one, two] = [join(root, 'one'), join(root, 'two')]
  mkdirSync(one)
  expect(await gitIdentity(one, io)).toBeUndefined()
  git(one, 'init', '-q')
  expect(await gitIdentity(one, io)).toEqual({})
  git(one, 'commit', '-q', '--allow-empty', '-m', 'first')
  const first = git(one, 'rev-parse', 'HEAD')
  git(one, 'commit', '-q', '--allow-empty', '-m', 'second')
  git(one, 'remote', 'add', 'origin', 'https://user:token@example.com/shop/Web.git')
  const identity = await gitIdentity(one, io)
  expect(identity).toEqual({ roots: [first], remote: expect.stringMatching(/^[0-9a-f]{16}$/) })
  git(one, 'remote', 'set-url', 'origin', 'git@example.com:shop/web')
  expect(await gitIdentity(one, io)).toEqual(identity)
  // Variables of another repository, as in a hook, make no difference.
  expect(await gitIdentity(one, { env: { ...io.env, GIT_DIR: root } })).toEqual(identity)
  git(one, 'worktree', 'add', '-q', join(root, 'tree'))
  expect(await gitIdentity(join(root, 'tree'), io)).toEqual({ ...identity, worktree: true })
  git(root, 'clone', '-q', '--depth', '1', `file://${one}`, two)
  const shallow = await gitIdentity(two, io)
  expect(shallow).toEqual({ remote: expect.any(String) })
  expect([hasSameHistory(identity, shallow), hasOtherHistory(identity, shallow)]).toEqual([false, false])
  // Without the program nothing is known, and nothing fails.
  expect(await gitIdentity(one, { env: { PATH: root } })).toEqual({ remote: identity?.remote })
})
