import { expect, test } from 'vitest'
import { type Cell, compareMatrix, failedResult, type Matrix, matrixText, mergeMatrix, resultOf } from './matrix.ts'

const share = (held: number, of: number) => ({ held, of })
const whole = resultOf({
  fidelity: { text: share(9, 9), calls: share(3, 3), results: share(3, 3), order: share(15, 15), ids: share(6, 6) },
  reasons: [],
})
const shortened = resultOf({
  fidelity: { text: share(2, 2), calls: share(2, 2), results: share(1, 2), order: share(6, 6), ids: share(0, 0) },
  reasons: ['1 × result changed: shortened to 12 KB of 102 KB'],
})

function cell(source: string, target: string, sessions: Cell['sessions']): Cell {
  return { source, form: 'native', target, version: '1.0.0', date: '2026-11-18', sessions }
}

function matrix(...cells: Cell[]): Matrix {
  return { isolated: true, cannot: { b: { image: 'its prompts have no images' } }, cells }
}

test('percentages are rounded down, and null where there is nothing', () => {
  expect(shortened).toEqual({
    text: 100,
    calls: 100,
    results: 50,
    order: 100,
    ids: null,
    reasons: ['1 × result changed: shortened to 12 KB of 102 KB'],
  })
  const almost = {
    text: share(2499, 2500),
    calls: share(0, 0),
    results: share(0, 0),
    order: share(1, 1),
    ids: share(0, 0),
  }
  expect(resultOf({ fidelity: almost, reasons: [] }).text).toBe(99.9)
})

test('a failure has no path of this machine', () => {
  expect(failedResult('no such file /tmp/ion-handover-aB3x/a/b\nat somewhere').failed).toBe('no such file …/a/b')
})

test('newer results replace older ones, session by session', () => {
  const old = matrix(cell('a', 't', { one: whole, two: shortened }), cell('b', 't', { one: whole }))
  const merged = mergeMatrix(old, matrix(cell('a', 't', { two: whole })))
  expect(merged.cells).toEqual([cell('a', 't', { one: whole, two: whole }), cell('b', 't', { one: whole })])
})

test('only what is worse than recorded is a difference; what is new must be complete', () => {
  const recorded = matrix(cell('a', 't', { one: whole, two: shortened }))
  expect(compareMatrix(recorded, matrix(cell('a', 't', { one: whole, two: shortened })))).toEqual([])
  expect(compareMatrix(recorded, matrix(cell('a', 't', { two: whole })))).toEqual([])
  expect(
    compareMatrix(recorded, matrix(cell('a', 't', { one: shortened }), cell('b', 't', { one: shortened }))),
  ).toEqual([
    'a -> t 1.0.0, one: results 50 % instead of 100 % (1 × result changed: shortened to 12 KB of 102 KB)',
    'b -> t 1.0.0, one: results 50 % instead of 100 % (1 × result changed: shortened to 12 KB of 102 KB)',
  ])
  expect(compareMatrix(recorded, matrix(cell('a', 't', { one: failedResult('exit code 1') })))).toEqual([
    'a -> t 1.0.0, one: exit code 1',
  ])
})

test('the table names what is below, why, and which source expresses what', () => {
  const text = matrixText(
    matrix(
      cell('a', 't', { one: whole, two: shortened }),
      cell('a', 'u', { one: whole, two: whole }),
      cell('b', 't', { one: failedResult('exit code 1'), two: shortened }),
    ),
  )
  expect(text).toContain('| a | 100 except two: results 50 | 100 |')
  expect(text).toContain('| b | one: **failed**; two: results 50 | - |')
  expect(text).toContain('- from a, b to t 1.0.0, two: 1 × result changed: shortened to 12 KB of 102 KB')
  expect(text).toContain('- from b to t 1.0.0, one: failed: exit code 1')
  expect(text).toContain('- its prompts have no images: b (image)')
})
