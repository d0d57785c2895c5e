import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Message } from '../api/contract.ts'
import { merged, stillThere } from './merge.ts'

const message = (id: number, content = ''): Message => ({ id, role: 'agent', content, time: '', parts: [], done: true })

test('an update replaces, a new one is appended, an older page goes before', () => {
  const known = [message(3), message(4, 'half')]
  expect(merged(known, [message(4, 'whole'), message(5)])).toEqual([message(3), message(4, 'whole'), message(5)])
  expect(merged(known, [message(1), message(2)])).toEqual([message(1), message(2), ...known])
  expect(merged([], [])).toEqual([])
})

test('messages that the server no longer has are removed, as far as it has reported', () => {
  const known = [1, 2, 3, 4].map((id) => message(id))
  expect(stillThere(known, [message(3), message(7)], 3)).toEqual([message(1), message(2), message(3)])
  expect(stillThere(known, [message(3)], 0)).toEqual([message(3)])
  expect(stillThere(known, [], 0)).toEqual([])
})

test('whatever comes in whatever order, there is each id once, the last word of it, in order', () => {
  const update = fc.array(fc.tuple(fc.nat(30), fc.string()))
  fc.assert(
    fc.property(fc.array(update), (updates) => {
      const all = updates.map((list) => list.map(([id, text]) => message(id, text)))
      const result = all.reduce<readonly Message[]>(merged, [])
      const expected = new Map(all.flat().map((one) => [one.id, one]))
      expect(result).toEqual([...expected.values()].sort((a, b) => a.id - b.id))
    }),
  )
})
