import fc from 'fast-check'
import { expect, test } from 'vitest'
import { openDatabase, type Value } from '../platform/sqlite.ts'
import { decode, encode, rowLines } from './rows.ts'

const values: fc.Arbitrary<Value> = fc.oneof(
  fc.constant(null),
  fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
  fc.double({ noNaN: true }),
  fc.string({ unit: 'grapheme' }).filter((text) => !text.includes('\0')),
  fc.uint8Array(),
)

test('any SQLite value is restored exactly, with its type', () => {
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

test.each([[undefined], [true], [{ x: 1 }], [[1]]])('%j is not an encoded value', (value) => {
  expect(() => decode(value)).toThrow('not an encoded value')
})

test('a row that is too large to copy is an error that says so, before it is read', () => {
  const database = openDatabase(':memory:')
  try {
    database.exec(`CREATE TABLE part (session TEXT, data TEXT); INSERT INTO part VALUES ('a', hex(zeroblob(34000000)))`)
    const part = { kind: 'rows', root: 'r', path: 'p', bookkeeping: [] } as const
    const lines = rowLines(database, { ...part, tables: [{ table: 'part', where: { session: 'a' } }] })
    expect(() => [...lines]).toThrow('a row of the table "part" has 68 MB, which is too much to copy')
  } finally {
    database.close()
  }
})
