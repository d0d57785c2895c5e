import fc from 'fast-check'
import { expect, test } from 'vitest'
import { eventReader } from './event-stream.ts'

test('events, comments, several lines of data, and ids that stay until the next one', () => {
  const read = eventReader()
  expect(
    read(': hello\n\nid: 7\nevent: status_change\ndata: {"a":1}\n\ndata: one\ndata:two\n\nevent: empty\n\ndata: la'),
  ).toEqual([
    { name: 'status_change', data: '{"a":1}', id: '7' },
    { name: 'message', data: 'one\ntwo', id: '7' },
  ])
  expect(read('st\r\n\r\n')).toEqual([{ name: 'message', data: 'last', id: '7' }])
})

test('wherever the stream is split, the events are the same', () => {
  const stream =
    'id: 1\r\nevent: screen\r\ndata: {"screen":"a: b"}\r\n\r\n: beat\n\nid: 2\ndata: x\n\ndata: y\r\rdata: z\n\n'
  const whole = eventReader()(stream)
  expect(whole.map(({ data }) => data)).toEqual(['{"screen":"a: b"}', 'x', 'y', 'z'])
  fc.assert(
    fc.property(fc.uniqueArray(fc.nat(stream.length)), (places) => {
      const cuts = [0, ...places.sort((a, b) => a - b), stream.length]
      const read = eventReader()
      const events = cuts.slice(1).flatMap((end, index) => read(stream.slice(cuts[index], end)))
      expect(events).toEqual(whole)
    }),
  )
})
