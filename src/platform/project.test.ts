import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { scratchFolder } from '../../test/support/scratch.ts'
import { currentFolder } from './project.ts'

test('a folder recorded before a move is where the project is now', () => {
  const root = scratchFolder()
  const [from, to] = [join(root, 'alpha'), join(root, 'beta')]
  mkdirSync(join(to, 'src'), { recursive: true })
  const now = (path: string): string => currentFolder(path, [{ from, to }])
  expect([from, join(from, 'src'), join(from, 'gone'), join(root, 'alphabet'), to].map(now)).toEqual([
    to,
    join(to, 'src'),
    join(to, 'gone'),
    join(root, 'alphabet'),
    to,
  ])
  // A new project at the old path is not meant.
  mkdirSync(join(from, 'src'), { recursive: true })
  expect(now(join(from, 'src'))).toBe(join(to, 'src'))
})
