import { expect, test } from 'vitest'
import { statusline } from './statusline.ts'

const input = {
  session_id: '3f2a0000-0000-4000-8000-000000000001',
  transcript_path: '/home/dev/.claude/projects/-shop/3f2a0000-0000-4000-8000-000000000001.jsonl',
  model: { id: 'claude-opus-4-8', display_name: 'Opus 4.8' },
  cost: { total_cost_usd: 0.1234567 },
  rate_limits: {
    five_hour: { used_percentage: 41.5, resets_at: 1_795_000_000 },
    seven_day: { used_percentage: 12, resets_at: '2026-11-25T00:00:00Z' },
    of_the_future: { used_percentage: 1 },
  },
}

test('session, model, cost and limits, with labels from the length of the window', () => {
  expect(statusline(input)).toEqual({
    nativeId: input.session_id,
    model: 'Opus 4.8',
    cost: 123_457,
    quotas: [
      { label: '5 hours', used_percent: 41.5, resets_at: new Date(1_795_000_000_000).toISOString() },
      { label: '7 days', used_percent: 12, resets_at: '2026-11-25T00:00:00.000Z' },
    ],
  })
})

test('an older version passes less', () => {
  expect(statusline({ ...input, cost: undefined, rate_limits: undefined })).toMatchObject({ cost: null, quotas: [] })
  const limits = { five_hour: { used_percentage: 1, resets_at: 'soon' }, seven_day: null }
  expect(statusline({ ...input, rate_limits: limits })?.quotas).toEqual([
    { label: '5 hours', used_percent: 1, resets_at: null },
  ])
})

test.each([[{}], [{ session_id: 'x' }], [{ ...input, model: 'Opus' }]])('not a statusline: %j', (other) => {
  expect(statusline(other)).toBeUndefined()
})
