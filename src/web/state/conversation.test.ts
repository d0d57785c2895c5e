import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Message } from '../api/contract.ts'
import { merged, stillPresent } from './conversation.ts'

const message = (id: number, content = ''): Message => ({ id, role: 'agent', content, time: '', parts: [], done: true })

test('updates replace, new messages are appended, older pages are prepended', () => {
  const known = [message(3), message(4, 'half')]
  expect(merged(known, [message(4, 'whole'), message(5)])).toEqual([message(3), message(4, 'whole'), message(5)])
  expect(merged(known, [message(1), message(2)])).toEqual([message(1), message(2), ...known])
  expect(merged([], [])).toEqual([])
})

test('messages that the server no longer has are removed, within the range that it returned', () => {
  const known = [1, 2, 3, 4].map((id) => message(id))
  expect(stillPresent(known, [message(3), message(7)], 3)).toEqual([message(1), message(2), message(3)])
  expect(stillPresent(known, [message(3)], 0)).toEqual([message(3)])
  expect(stillPresent(known, [], 0)).toEqual([])
})

test('in whatever order updates arrive, each id appears once, with its last content, sorted', () => {
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
