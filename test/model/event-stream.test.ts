import { crc32 } from 'node:zlib'
import { expect, test } from 'vitest'
import { eventMessage } from './event-stream.ts'
import { decodeEvents } from './testing.ts'

test('a message has its lengths, text headers, payload and two checksums', () => {
  const bytes = eventMessage('e', { a: 'é' })
  expect(bytes.readUInt32BE(0)).toBe(bytes.length)
  expect(bytes.readUInt32BE(8)).toBe(crc32(bytes.subarray(0, 8)))
  expect(bytes.readUInt32BE(bytes.length - 4)).toBe(crc32(bytes.subarray(0, -4)))
  const headers = bytes.subarray(12, 12 + bytes.readUInt32BE(4))
  expect(headers.toString('latin1')).toBe(
    '\x0d:message-type\x07\x00\x05event\x0b:event-type\x07\x00\x01e\x0d:content-type\x07\x00\x10application/json',
  )
  expect(bytes.subarray(12 + headers.length, -4).toString()).toBe('{"a":"é"}')
})

test('messages follow each other without separators', () => {
  const stream = Buffer.concat([eventMessage('one', { n: 1 }), eventMessage('two', {})])
  expect(decodeEvents(stream)).toEqual([
    ['one', { n: 1 }],
    ['two', {}],
  ])
})
