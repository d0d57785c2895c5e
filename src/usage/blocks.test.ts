import { expect, test } from 'vitest'
import type { CallGroup } from '../catalog/calls/call-groups.ts'
import { blockOf, blocksOf } from './blocks.ts'
import { sumsOf } from './sums.ts'

function group(first: string, more: Partial<CallGroup> = {}): CallGroup {
  const time = Date.parse(first)
  return {
    ...{
      agent: 'one',
      model: 'm',
      slot: null,
      session: null,
      project: null,
      first: time,
      last: time,
      calls: 1,
      sums: 0,
    },
    ...{ input: 60, output: 40, cache_read: 0, cache_write: 0, cache_write_1h: 0, reasoning: 0, cost: 1000 },
    ...{
      unpriced_calls: 0,
      unpriced_tokens: 0,
      cost_given: null,
      given_to_compare: null,
      cost_to_compare: null,
      ...more,
    },
  }
}

const startsOf = (groups: readonly CallGroup[]): string[] =>
  blocksOf(groups).map(
    ({ agent, start, groups: inside }) => `${agent} ${new Date(start).toISOString()} ${inside.length}`,
  )

test('a block begins with the hour of its first call and lasts five hours', () => {
  const calls = ['2026-11-18T09:40:00Z', '2026-11-18T13:59:59Z', '2026-11-18T14:00:00Z'].map((time) => group(time))
  expect(startsOf(calls.toReversed())).toEqual(['one 2026-11-18T09:00:00.000Z 2', 'one 2026-11-18T14:00:00.000Z 1'])
})

test('after five hours without a call a new block begins, and each agent has its own', () => {
  const calls = [
    group('2026-11-18T01:10:00Z'),
    group('2026-11-18T08:20:00Z'),
    group('2026-11-18T02:00:00Z', { agent: 'two' }),
  ]
  expect(startsOf(calls)).toEqual([
    'one 2026-11-18T01:00:00.000Z 1',
    'two 2026-11-18T02:00:00.000Z 1',
    'one 2026-11-18T08:00:00.000Z 1',
  ])
})

test('the block of now has a projection, as fast as since its first call', () => {
  const [block] = blocksOf([group('2026-11-18T09:00:00Z')])
  const sums = sumsOf(block!.groups)
  expect(blockOf(block!, sums, new Date('2026-11-18T10:00:00Z'))).toEqual({
    ...{ ends: '2026-11-18T14:00:00.000Z', is_active: true, projected_tokens: 500, projected_cost: 5000 },
  })
  expect(blockOf(block!, { ...sums, cost: null }, new Date('2026-11-18T10:00:00Z')).projected_cost).toBeNull()
  expect(blockOf(block!, sums, new Date('2026-11-18T14:00:00Z'))).toEqual({
    ...{ ends: '2026-11-18T14:00:00.000Z', is_active: false, projected_tokens: null, projected_cost: null },
  })
})

test('a block whose calls are dated in the future is not the block of now', () => {
  const [block] = blocksOf([group('2099-01-01T09:00:00Z')])
  expect(blockOf(block!, sumsOf(block!.groups), new Date('2026-11-18T10:00:00Z'))).toMatchObject({
    is_active: false,
    projected_cost: null,
  })
})
