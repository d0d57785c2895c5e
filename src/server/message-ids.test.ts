import fc from 'fast-check'
import { expect, test } from 'vitest'
import { MessageIds } from './message-ids.ts'

const keys = fc.uniqueArray(fc.constantFrom(...'abcdefghij'), { maxLength: 10 })

test('ids increase along every reading, and an id belongs to one message forever, across restarts', () => {
  fc.assert(
    fc.property(fc.array(fc.record({ shown: keys, restart: fc.boolean() }), { maxLength: 20 }), (readings) => {
      let ids = new MessageIds()
      const owner = new Map<number, string>()
      for (const { shown, restart } of readings) {
        if (restart) ids = new MessageIds(JSON.parse(JSON.stringify(ids.assigned())))
        const given = ids.assign(shown)
        expect(given).toEqual(given.toSorted((a, b) => a - b))
        expect(new Set(given).size).toBe(given.length)
        given.forEach((id, at) => {
          expect(owner.get(id) ?? shown[at]).toBe(shown[at])
          owner.set(id, shown[at]!)
        })
      }
    }),
  )
})

test('appending keeps all ids, also when the last messages disappear for a while', () => {
  const ids = new MessageIds()
  expect(ids.assign(['a', 'b', 'c'])).toEqual([0, 1, 2])
  expect(ids.assign(['a', 'b', 'c', 'd'])).toEqual([0, 1, 2, 3])
  expect(ids.assign(['a'])).toEqual([0])
  expect(ids.assign(['a', 'x'])).toEqual([0, 4])
  expect(ids.assign(['a', 'b', 'c', 'd'])).toEqual([0, 1, 2, 3])
})

test('inserting a message gives those after it new ids, and old ids are not reused', () => {
  const ids = new MessageIds()
  ids.assign(['a', 'b'])
  expect(ids.assign(['a', 'new', 'b'])).toEqual([0, 2, 3])
  expect(ids.assign(['a', 'b'])).toEqual([0, 3])
})

test('a message that gets another key keeps its id, unless that key has one', () => {
  const ids = new MessageIds()
  ids.assign(['a', 'b'])
  ids.rename('b', 'c')
  expect(ids.assign(['a', 'c'])).toEqual([0, 1])
  ids.rename('c', 'a')
  ids.rename('unknown', 'd')
  expect(ids.assigned()).toEqual({ next: 2, ids: { a: 0, c: 1 } })
})

test('the history of a state file comes first', () => {
  const ids = new MessageIds({ next: 0, ids: {} }, 5)
  expect(ids.assign(['a', 'b'], 4)).toEqual([5, 6])
})
