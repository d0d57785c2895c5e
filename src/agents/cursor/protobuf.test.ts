import fc from 'fast-check'
import { expect, test } from 'vitest'
import { numberOf, rawFields, readMessage, textOf } from './protobuf.ts'
import { message } from './write-message.ts'

test('reads numbers, texts, messages and fixed sizes', () => {
  const fixed = Buffer.from([0x21, 1, 2, 3, 4, 5, 6, 7, 8, 0x2d, 1, 2, 3, 4])
  const bytes = Buffer.concat([message([1, 300], [2, 'žluť'], [3, message([1, 1794800000000])]), fixed])
  expect(readMessage(bytes)).toEqual([
    { number: 1, value: 300n },
    { number: 2, value: Buffer.from('žluť') },
    { number: 3, value: message([1, 1794800000000]) },
    { number: 4, value: Buffer.from([1, 2, 3, 4, 5, 6, 7, 8]) },
    { number: 5, value: Buffer.from([1, 2, 3, 4]) },
  ])
})

test('a missing field, or one of another type, is undefined', () => {
  const fields = readMessage(message([1, 7], [2, 'x']))
  expect([textOf(fields, 1), textOf(fields, 3), numberOf(fields, 2), numberOf(fields, 3)]).toEqual([
    undefined,
    undefined,
    undefined,
    undefined,
  ])
})

test.each([
  ['cut in a number', [0x08, 0x80], 'a number is cut off'],
  ['cut in a text', [0x12, 0x05, 0x41], 'a field is cut off'],
  ['a length beyond everything', [0x12, 0xff, 0xff, 0xff, 0xff, 0x7f], 'a field is cut off'],
  ['a number without an end', [0x08, ...Array.from({ length: 11 }, () => 0xff)], 'a number is too long'],
  ['field 0', [0x00, 0x01], 'a field has no number'],
  ['a group', [0x0b], 'a field has the unknown wire type 3'],
])('%s is reported', (_what, bytes, problem) => {
  expect(() => readMessage(Buffer.from(bytes))).toThrow(problem)
})

test('unknown messages are converted by field number, and nothing is dropped', () => {
  const inner = message([1, 'a text that is longer than thirty-two letters'])
  const bytes = message([1, 'one'], [1, 'two'], [2, inner], [3, Buffer.from([0xff])], [4, 2 ** 60], [5, '\ntext'])
  expect(rawFields(readMessage(bytes))).toEqual({
    1: ['one', 'two'],
    2: { 1: 'a text that is longer than thirty-two letters' },
    3: { base64: '/w==' },
    4: '1152921504606846976',
    5: '\ntext',
  })
})

test('any bytes are decoded or rejected, and the result survives JSON', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
      let fields: ReturnType<typeof readMessage>
      try {
        fields = readMessage(bytes)
      } catch (error) {
        expect((error as Error).message).toMatch(/^a (number|field) /)
        return
      }
      const raw = rawFields(fields)
      expect(JSON.parse(JSON.stringify(raw))).toEqual(raw)
    }),
  )
})
