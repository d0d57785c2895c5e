import { expect, test } from 'vitest'
import { maskedLines, ordinaryLines, projectLines } from '../../../test/support/ordinary-lines.ts'

test('hashes, ids, integrity values, logs of git, code and prose stay', () => {
  expect(maskedLines(ordinaryLines(200))).toEqual([])
})

test('this project: at most one line in a thousand', () => {
  const files = projectLines()
  const lines = files.reduce((sum, file) => sum + file.length, 0)
  const found = files.flatMap(maskedLines)
  expect(lines).toBeGreaterThan(50_000)
  expect(found.length, found.map((line) => line.slice(0, 200)).join('\n')).toBeLessThan(lines / 1000)
})
