import { expect, test } from 'vitest'
import { fakeTerminal } from '../../test/support/fake-terminal.ts'
import { bytes } from '../platform/format-count.ts'
import { barTable, glyphsFor } from './bars.ts'
import { palette } from './colour.ts'
import type { Column } from './table.ts'
import { width } from './text.ts'

interface Row {
  readonly name: string
  readonly total: number
  readonly solid: number
}

const rows: Row[] = [
  { name: 'all of it', total: 4000, solid: 4000 },
  { name: 'half', total: 2000, solid: 1000 },
  { name: 'a trace', total: 1, solid: 0 },
  { name: 'nothing', total: 0, solid: 0 },
]
const columns: Column<Row>[] = [
  { title: 'name', value: (row) => row.name },
  { title: 'dropped first', value: (row) => `${row.solid} of ${row.total}`, dropOrder: 1 },
  { title: 'size', value: (row) => bytes(row.total), align: 'right' },
]

test('the largest fills the room, the others are to scale, and what is there leaves a trace', () => {
  const out = fakeTerminal({ isTTY: true })
  expect(barTable(columns, rows, (row) => row, 36, glyphsFor(out), palette(out))).toEqual([
    'name       size',
    'all of it  4 kB  ███████████████████',
    'half       2 kB  █████░░░░░',
    'a trace     1 B  ▏',
    'nothing     0 B',
  ])
})

test('no blocks in a pipe, and a wide line leaves some room free', () => {
  const out = fakeTerminal()
  expect(barTable(columns, rows, (row) => row, 100, glyphsFor(out), palette(out))).toEqual([
    'name       dropped first  size',
    `all of it  4000 of 4000   4 kB  ${'#'.repeat(48)}`,
    `half       1000 of 2000   2 kB  ${'#'.repeat(12)}${'-'.repeat(12)}`,
    'a trace    0 of 1          1 B  |',
    'nothing    0 of 0          0 B',
  ])
})

test('colours take no room', () => {
  const out = fakeTerminal({ isTTY: true, colour: true })
  const lines = barTable(columns, rows, (row) => row, 60, glyphsFor(out), palette(out))
  expect(lines[2]).toContain('\x1b[36m█')
  expect(Math.max(...lines.map(width))).toBe(60)
})

test('a part that is larger than all is not drawn beyond the end', () => {
  const out = fakeTerminal()
  const odd = [...rows, { name: 'odd', total: 1000, solid: 3000 }]
  const lines = barTable(columns, odd, (row) => row, 100, glyphsFor(out), palette(out))
  expect(lines.at(-1)).toBe(`odd        3000 of 1000   1 kB  ${'#'.repeat(12)}`)
})
