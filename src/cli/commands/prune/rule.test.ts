import { expect, test } from 'vitest'
import { scratchIo } from '../../../../test/support/scratch.ts'
import { parseSize, ruleOf } from './rule.ts'

test.each([
  ['0', 0],
  ['120', 120],
  ['500M', 500e6],
  ['5G', 5e9],
  ['1.5gb', 1.5e9],
  ['2 kB', 2000],
  ['1T', 1e12],
])('%s', (text, size) => {
  expect(parseSize(text)).toBe(size)
})

test.each(['', 'G', '-1G', '5X', '1,5G', '1e9'])('"%s" is no size', (text) => {
  expect(() => parseSize(text)).toThrow('is not a size')
})

test('the rule as it was typed; none is refused', () => {
  const io = scratchIo()
  expect(ruleOf({ olderThan: '90d', keep: '20', maxSize: '5G' }, io)).toEqual({
    before: new Date('2026-08-18T00:00:00Z'),
    keep: 20,
    maxSize: 5e9,
  })
  expect(() => ruleOf({}, io)).toThrow('which sessions?')
  expect(() => ruleOf({ keep: '-1' }, io)).toThrow('is not a number of sessions')
  expect(() => ruleOf({ olderThan: 'soon' }, io)).toThrow('is not a time')
})
