import { expect, test } from 'vitest'
import type { ToolResult, ToolUse } from '../api/contract.ts'
import { durationLabel, durationOf, resultSummary, secondsLabel } from './step-outcome.ts'

const result = (content: string, more: Partial<ToolResult> = {}): ToolResult => ({
  type: 'tool_result',
  tool_use_id: 'c',
  content,
  is_error: false,
  ...more,
})
const call = (time?: string): ToolUse => ({ type: 'tool_use', id: 'c', name: 'Read', input: {}, ...(time && { time }) })

test('a result in a few words: its only line, else how many; of an error the last line', () => {
  expect(resultSummary(result('42 passed\n'), undefined)).toBe('42 passed')
  expect(resultSummary(result('wrote /home/dev/shop/a.ts'), '/home/dev/shop')).toBe('wrote a.ts')
  expect(resultSummary(result('a\n\nb\nc\n'), undefined)).toBe('3 lines')
  expect(resultSummary(result('a\nb', { truncated: true }), undefined)).toBe('2+ lines')
  expect(resultSummary(result('FAIL\n  expected 1, got 2\n', { is_error: true }), undefined)).toBe('expected 1, got 2')
  expect(resultSummary(result(' \n'), undefined)).toBe('')
  expect(resultSummary(result('\x1b[31mred\x1b[0m'), undefined)).toBe('red')
  expect(resultSummary(result('x'.repeat(500)), undefined)).toHaveLength(80)
})

test('the duration is the difference of stored times, and unknown without them or if both are the same', () => {
  const [early, late] = ['2026-03-12T09:00:00.000Z', '2026-03-12T09:00:03.200Z']
  expect(durationOf(call(early), result('', { time: late }))).toBe(3_200)
  expect(durationOf(call(early), result('', { time: early }))).toBeUndefined()
  expect(durationOf(call(late), result('', { time: early }))).toBeUndefined()
  expect(durationOf(call(), result('', { time: late }))).toBeUndefined()
  expect(durationOf(call(early), undefined)).toBeUndefined()
})

test('durations are short', () => {
  expect([12, 380, 3_240, 9_960, 59_400, 125_000, 3_780_000].map(durationLabel)).toEqual([
    ...['0.1 s', '0.4 s', '3.2 s', '10 s', '59 s', '2 min 5 s', '1 h 3 min'],
  ])
  expect([0, 59, 61].map(secondsLabel)).toEqual(['0 s', '59 s', '1 min 1 s'])
})
