import fc from 'fast-check'
import { expect, test } from 'vitest'
import { bytesFrame, type Frame, FrameReader, messageFrame } from './wire.ts'

test('frames come out as they went in, in whatever pieces the stream arrives', () => {
  const one = fc.oneof(
    fc.uint8Array({ maxLength: 300 }).map((bytes): Frame => ({ kind: 'bytes', bytes: Buffer.from(bytes) })),
    fc
      .dictionary(fc.string(), fc.string())
      .map((message): Frame => ({ kind: 'message', message: JSON.parse(JSON.stringify(message)) })),
  )
  fc.assert(
    fc.property(fc.array(one, { maxLength: 8 }), fc.integer({ min: 1, max: 50 }), (frames, step) => {
      const stream = Buffer.concat(
        frames.map((frame) => (frame.kind === 'bytes' ? bytesFrame(frame.bytes) : messageFrame(frame.message))),
      )
      const reader = new FrameReader()
      const read: Frame[] = []
      for (let at = 0; at < stream.length; at += step) read.push(...reader.push(stream.subarray(at, at + step)))
      expect(read).toEqual(frames)
    }),
  )
})

test('anything that is not a frame is refused', () => {
  expect(() => new FrameReader().push(Buffer.from('GET / HTTP/1.1\r\n'))).toThrow('invalid frame')
  expect(() => new FrameReader().push(Buffer.from([9, 0, 0, 0, 1, 65]))).toThrow('invalid frame')
  expect(() => new FrameReader().push(Buffer.from([2, 0, 0, 0, 1, 49]))).toThrow('invalid frame')
})
