import { expect, test } from 'vitest'
import { RecordTree } from './record-tree.ts'

const userDraft = (content: string, id?: string) => ({ type: 'user', content, id }) as const

test('the first event of a record follows the last event of its parent', () => {
  const tree = new RecordTree()
  expect(tree.attach('a', null, [userDraft('1')])).toEqual([{ ...userDraft('1'), parent_id: null }])
  expect(tree.attach('b', 'a', [userDraft('2'), userDraft('3')])).toEqual([
    { ...userDraft('2'), parent_id: 'a' },
    userDraft('3'),
  ])
  expect(tree.attach('c', 'a', [userDraft('4', 'own')])).toEqual([{ ...userDraft('4', 'own'), parent_id: 'a' }])
  expect(tree.attach('d', 'b', [userDraft('5')])).toEqual([{ ...userDraft('5'), parent_id: 'b.1' }])
  expect(tree.attach('e', 'c', [userDraft('6')])).toEqual([{ ...userDraft('6'), parent_id: 'own' }])
})

test('a record without events passes its children on, and an unknown parent leaves the event before', () => {
  const tree = new RecordTree()
  tree.attach('a', null, [userDraft('1')])
  expect(tree.attach('silent', 'a', [])).toEqual([])
  expect(tree.attach('b', 'silent', [userDraft('2')])).toEqual([{ ...userDraft('2'), parent_id: 'a' }])
  expect(tree.attach('root', null, [])).toEqual([])
  expect(tree.attach('c', 'root', [userDraft('3')])).toEqual([{ ...userDraft('3'), parent_id: null }])
  expect(tree.attach('d', 'nobody', [userDraft('4')])).toEqual([userDraft('4')])
  expect([tree.eventOf('silent'), tree.eventOf('root'), tree.eventOf('nobody')]).toEqual(['a', null, undefined])
})
