import fc from 'fast-check'
import { expect, test } from 'vitest'
import { openDatabase, type Value } from '../platform/sqlite.ts'
import { decode, encode } from './rows.ts'

const values: fc.Arbitrary<Value> = fc.oneof(
  fc.constant(null),
  fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
  fc.double({ noNaN: true }),
  fc.string({ unit: 'grapheme' }).filter((text) => !text.includes('\0')),
  fc.uint8Array(),
)

test('any value of SQLite comes back as it was, with its type', () => {
  const database = openDatabase(':memory:')
  database.exec('CREATE TABLE t (v)')
  const read = database.prepare('SELECT v, typeof(v) AS type FROM t')
  read.setReadBigInts(true)
  fc.assert(
    fc.property(values, (value) => {
      database.exec('DELETE FROM t')
      database.prepare('INSERT INTO t VALUES (?)').run(value)
      const before = read.get() as { v: Value; type: string }
      const kept = JSON.parse(JSON.stringify(encode(before.v))) as unknown
      database.exec('DELETE FROM t')
      database.prepare('INSERT INTO t VALUES (?)').run(decode(kept))
      expect(read.get()).toEqual(before)
    }),
  )
  database.close()
})

test.each([[undefined], [true], [{ x: 1 }], [[1]]])('%j is no value of a row', (value) => {
  expect(() => decode(value)).toThrow('not an encoded value')
})
