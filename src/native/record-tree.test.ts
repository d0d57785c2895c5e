import { expect, test } from 'vitest'
import { RecordTree } from './record-tree.ts'

const said = (content: string, id?: string) => ({ type: 'user', content, id }) as const

test('the first event of a record follows the last event of its parent', () => {
  const tree = new RecordTree()
  expect(tree.attach('a', null, [said('1')])).toEqual([{ ...said('1'), parent_id: null }])
  expect(tree.attach('b', 'a', [said('2'), said('3')])).toEqual([{ ...said('2'), parent_id: 'a' }, said('3')])
  expect(tree.attach('c', 'a', [said('4', 'own')])).toEqual([{ ...said('4', 'own'), parent_id: 'a' }])
  expect(tree.attach('d', 'b', [said('5')])).toEqual([{ ...said('5'), parent_id: 'b.1' }])
  expect(tree.attach('e', 'c', [said('6')])).toEqual([{ ...said('6'), parent_id: 'own' }])
})

test('a record without events passes its children on, and an unknown parent leaves the event before', () => {
  const tree = new RecordTree()
  tree.attach('a', null, [said('1')])
  expect(tree.attach('silent', 'a', [])).toEqual([])
  expect(tree.attach('b', 'silent', [said('2')])).toEqual([{ ...said('2'), parent_id: 'a' }])
  expect(tree.attach('root', null, [])).toEqual([])
  expect(tree.attach('c', 'root', [said('3')])).toEqual([{ ...said('3'), parent_id: null }])
  expect(tree.attach('d', 'nobody', [said('4')])).toEqual([said('4')])
  expect([tree.eventOf('silent'), tree.eventOf('root'), tree.eventOf('nobody')]).toEqual(['a', null, undefined])
})
