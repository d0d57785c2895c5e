import fc from 'fast-check'
import width from 'fast-string-width'
import { expect, test } from 'vitest'
import { palette } from './colour.ts'
import { type Column, table } from './table.ts'

const colours = palette({ write: () => {}, isTTY: false, columns: 80, rows: 24, colour: false })

interface Row {
  readonly name: string
  readonly size: string
  readonly path: string
}

const columns: readonly Column<Row>[] = [
  { title: 'name', value: (row) => row.name, shrinkTo: 5 },
  { title: 'size', value: (row) => row.size, align: 'right' },
  { title: 'path', value: (row) => row.path, shrinkTo: 6, dropOrder: 1 },
]

const rows: readonly Row[] = [
  { name: 'short', size: '1', path: '~/a' },
  { name: '日本語のタイトルです', size: '200', path: '~/a/long/path/to/it' },
]

test('columns are as wide as their content', () => {
  expect(table(columns, rows, 80, colours)).toEqual([
    'name                  size  path',
    'short                    1  ~/a',
    '日本語のタイトルです   200  ~/a/long/path/to/it',
  ])
})

test('with less space the widest column is cut first', () => {
  expect(table(columns, rows, 34, colours)).toEqual([
    'name           size  path',
    'short             1  ~/a',
    '日本語のタイ…   200  ~/a/long/pat…',
  ])
})

test('with too little space a column is dropped', () => {
  expect(table(columns, rows, 14, colours)).toEqual(['name      size', 'short        1', '日本語…    200'])
})

test('empty columns and empty tables are not printed', () => {
  expect(table(columns, [], 80, colours)).toEqual([])
  expect(table(columns, [{ name: 'a', size: '', path: 'b' }], 80, colours)).toEqual(['name  path', 'a     b'])
})

test('no line is wider than asked', () => {
  const row = fc.record({ name: fc.stringMatching(/^[a-z日é ]{0,40}$/), size: fc.constant('12'), path: fc.string() })
  fc.assert(
    fc.property(
      fc.array(row.map((one) => ({ ...one, path: 'p'.repeat(one.path.length) }))),
      fc.integer({ min: 20, max: 90 }),
      (many, room) => {
        for (const line of table(columns, many, room, colours)) expect(width(line)).toBeLessThanOrEqual(room)
      },
    ),
  )
})
