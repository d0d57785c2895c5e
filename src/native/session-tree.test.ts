import { mkdirSync, utimesSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { scratchFolder } from '../../test/support/scratch.ts'
import { childrenIn, sessionTree } from './session-tree.ts'

test('a folder is read again only after it has changed', () => {
  const folder = join(scratchFolder(), 'sessions')
  mkdirSync(folder)
  let looked = 0
  const links = (): { child: string; parent: string }[] => {
    looked++
    return [
      { child: 'b', parent: 'a' },
      { child: 'c', parent: 'a' },
    ]
  }
  const expected = new Map([['a', ['b', 'c']]])
  expect([childrenIn(folder, links), childrenIn(folder, links), looked]).toEqual([expected, expected, 1])
  utimesSync(folder, 1000, 1000)
  expect([childrenIn(folder, links), looked]).toEqual([expected, 2])
})

test('a tree is the session and its descendants, also if they form a cycle', () => {
  const children = new Map([
    ['a', ['b', 'c']],
    ['c', ['d']],
    ['d', ['a']],
    ['x', ['y']],
  ])
  expect(sessionTree('a', children)).toEqual(['a', 'b', 'c', 'd'])
  expect(sessionTree('y', children)).toEqual(['y'])
})
