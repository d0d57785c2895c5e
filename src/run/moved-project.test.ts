import { describe, expect, test } from 'vitest'
import type { GitIdentity, ProjectIdentity } from '../platform/project-identity.ts'
import { isMovedHere, isOtherProject, type MoveCandidate } from './moved-project.ts'

const folder = { dev: '1', ino: '10', born: '100' }
const other = { dev: '1', ino: '11', born: '110' }
const git: GitIdentity = { roots: ['a'], remote: 'r' }

describe('whether a folder is a project that was moved', () => {
  const moved = (
    recorded: ProjectIdentity | undefined,
    now: ProjectIdentity,
    rest: Partial<MoveCandidate> & { readonly here?: string } = {},
  ): string | undefined =>
    isMovedHere(
      { project: '/alpha', identity: recorded, folderThere: undefined, hasSamePrompt: false, ...rest },
      { project: rest.here ?? '/beta', ...now },
    )

  test.each([
    ['the same folder', { folder }, { folder }, {}, 'sure'],
    ['the same folder, with a new one at the old path', { folder }, { folder }, { folderThere: other }, 'sure'],
    ['a second mount of the same folder', { folder }, { folder }, { folderThere: folder }, undefined],
    ['the same folder, on a device with another number', { folder }, { folder: { ...folder, dev: '2' } }, {}, 'sure'],
    ['a reused inode', { folder }, { folder: { ...folder, born: '120' } }, {}, undefined],
    ['the same first commit, old path gone', { folder, git }, { folder: other, git }, {}, 'sure'],
    ['the same first commit among several', { folder, git }, { folder: other, git: { roots: ['b', 'a'] } }, {}, 'sure'],
    ['a clone, old path there', { folder, git }, { folder: other, git }, { folderThere: folder }, undefined],
    [
      'another worktree, old one gone',
      { folder, git: { ...git, worktree: true } },
      { folder: other, git },
      {},
      undefined,
    ],
    ['a fork of it', { folder, git }, { folder: other, git: { ...git, remote: 'f' } }, {}, undefined],
    [
      'another first commit',
      { folder, git },
      { folder: other, git: { roots: ['b'] } },
      { hasSamePrompt: true },
      undefined,
    ],
    [
      'shallow clones of one remote',
      { folder, git: { remote: 'r' } },
      { folder: other, git: { remote: 'r' } },
      {},
      'doubtful',
    ],
    ['nothing in common', { folder }, { folder: other }, {}, undefined],
    ['the same prompt', { folder }, { folder: other }, { hasSamePrompt: true }, undefined],
    ['the same prompt and name', { folder }, { folder: other }, { hasSamePrompt: true, here: '/x/alpha' }, 'doubtful'],
    ['the same prompt, nothing recorded', undefined, { folder: other }, { hasSamePrompt: true }, 'doubtful'],
    ['nothing recorded', undefined, { folder: other, git }, {}, undefined],
  ] as const)('%s', (_what, recorded, now, rest, expected) => {
    expect(moved(recorded, now, rest)).toBe(expected)
  })
})

test.each([
  ['the same folder with a new history', { folder, git }, { folder, git: { roots: ['b'] } }, false],
  ['another folder with the same history', { folder, git }, { folder: other, git }, false],
  ['another folder with another history', { folder, git }, { folder: other, git: { roots: ['b'] } }, true],
  ['another folder that is not a repository any more', { folder, git }, { folder: other }, false],
  ['a shallow clone', { folder, git }, { folder: other, git: { remote: 'x' } }, false],
  ['a history that took too long to find', { folder, git: { roots: [] } }, { folder: other, git }, false],
  ['nothing recorded', undefined, { folder: other, git }, false],
] as const)('another project at the same path: %s', (_what, recorded, now, expected) => {
  expect(isOtherProject(recorded, now)).toBe(expected)
})
