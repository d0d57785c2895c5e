import fc from 'fast-check'
import { expect, test } from 'vitest'
import { LineBuffer } from './line-buffer.ts'

test('it has the lines that were kept, whatever their length, and no others', () => {
  const words = fc.tuple(
    fc.string({ unit: 'binary', maxLength: 20 }),
    fc.constantFrom(1, 1, 1, 1, 20_000),
    fc.boolean(),
  )
  fc.assert(
    fc.property(fc.array(words, { maxLength: 12 }), (all) => {
      const batch = new LineBuffer()
      let expected = ''
      for (const [word, times, isKept] of all) {
        const text = word.repeat(times)
        expect(batch.put('{"n":1,', text).equals(Buffer.from(text))).toBe(true)
        if (!isKept) continue
        batch.keep()
        expected += `{"n":1,${text}\n`
      }
      expect(batch.lines.equals(Buffer.from(expected))).toBe(true)
      expect(batch.isFull).toBe(Buffer.byteLength(expected) > 256 * 1024)
      batch.clear()
      expect(batch.lines.length).toBe(0)
      batch.close()
    }),
    { numRuns: 20 },
  )
})
