import { expect, test } from 'vitest'
import { priceBook, priceOf, similarModels } from './price-book.ts'
import { type PriceRow, parseBands } from './price-row.ts'

const at = new Date('2026-11-18T12:00:00Z')

function row(model: string, bands = '1/2', from?: string): PriceRow {
  return { model, ...(from === undefined ? {} : { from }), bands: parseBands(bands)! }
}

const table = {
  source: 'a test',
  date: '2026-11-18',
  rows: [
    row('claude-opus-4-5'),
    row('claude-opus-4-5-20251101'),
    row('claude-opus-5-5'),
    row('anthropic.claude-opus-4-1-20250805-v1:0'),
    row('anthropic.claude-3-5-sonnet-20240620-v1:0'),
    row('anthropic.claude-3-5-sonnet-20241022-v2:0'),
    row('us.anthropic.claude-opus-4-5-20251101-v1:0'),
    row('github_copilot/claude-opus-5.5'),
    row('gemini/gemini-2.5-pro'),
    row('gpt-5.5'),
    row('gpt-5'),
    row('xai/grok-4.5'),
    row('zai/glm-5.1'),
    row('dashscope/glm-5.1'),
    row('dated', '1/2'),
    row('dated', '3/4', '2026-06-01'),
    row('dated', '5/6', '2026-09-01'),
    row('late', '3/4', '2026-06-01'),
  ],
}

/** The row, and why; undefined for no price. */
test.each<[name: string, row?: string, rules?: string]>([
  ['claude-opus-4-5', 'claude-opus-4-5', 'exact'],
  ['CLAUDE-OPUS-4-5', 'claude-opus-4-5', 'exact'],
  ['claude-opus-4.5', 'claude-opus-4-5', 'spelling'],
  ['anthropic/claude-opus-4.5-20251101', 'claude-opus-4-5-20251101', 'spelling'],
  ['claude-opus-4-5-20260101', 'claude-opus-4-5', 'spelling without-date'],
  ['openrouter/anthropic/claude-opus-4.5', 'claude-opus-4-5', 'maker'],
  ['copilot/claude-opus-5-5', 'github_copilot/claude-opus-5.5', 'spelling'],
  ['copilot/claude-opus-4.5', 'claude-opus-4-5', 'maker'],
  ['claude-opus-5.5', 'claude-opus-5-5', 'spelling'],
  ['claude-opus-4-1-20250805', 'anthropic.claude-opus-4-1-20250805-v1:0', 'other-provider'],
  ['claude-opus-4-1', 'anthropic.claude-opus-4-1-20250805-v1:0', 'other-provider only-date'],
  ['bedrock/us.anthropic.claude-opus-4-5-20251101-v1:0', 'us.anthropic.claude-opus-4-5-20251101-v1:0', 'spelling'],
  ['models/gemini-2.5-pro', 'gemini/gemini-2.5-pro', 'spelling'],
  ['grok-4.5', 'xai/grok-4.5', 'spelling'],
  ['glm-5.1', 'zai/glm-5.1', 'spelling'],
  ['qwen/glm-5.1', 'dashscope/glm-5.1', 'spelling'],
  // Never that of another model or version.
  ['claude-3-5-sonnet'],
  ['claude-opus-4'],
  ['claude-opus-5'],
  ['claude-opus-4-5-thinking'],
  ['gpt-5.5-codex'],
  ['gpt-5.50'],
  ['gpt-55'],
  ['gpt'],
  ['grok-4'],
  [''],
  ['<synthetic>'],
  ['constructor'],
])('%s', (name, model, rules) => {
  const price = priceOf(priceBook(table, []), name, at)
  expect([price?.row.model, price?.rules.join(' ')]).toEqual([model, rules])
})

test('old usage keeps its price', () => {
  const book = priceBook(table, [])
  const input = (model: string, time: string): number | undefined =>
    priceOf(book, model, new Date(time))?.row.bands[0]?.rates.input
  expect(
    ['2020-01-01', '2026-05-31T23:59:59Z', '2026-06-01', '2026-08-31', '2026-12-01'].map((time) =>
      input('dated', time),
    ),
  ).toEqual([1_000_000, 1_000_000, 3_000_000, 3_000_000, 5_000_000])
  expect([input('late', '2026-05-31'), input('late', '2026-06-01')]).toEqual([undefined, 3_000_000])
})

test('a price of the user goes before the table, for the providers and the time it was set for', () => {
  const book = priceBook(table, [
    row('claude-opus-4-5', '7/7'),
    row('openrouter/gpt-5.5', '8/8'),
    row('gpt-5', '9/9', '2026-11-01'),
    row('new-model', '4/4'),
  ])
  const price = (model: string, time = at): unknown[] => {
    const found = priceOf(book, model, time)
    return [found?.row.bands[0]?.rates.input, found?.isOverride]
  }
  expect(price('claude-opus-4-5')).toEqual([7_000_000, true])
  expect(price('claude-opus-4-5-20251101')).toEqual([7_000_000, true])
  expect(price('openrouter/anthropic/claude-opus-4.5')).toEqual([7_000_000, true])
  expect(price('openrouter/openai/gpt-5.5')).toEqual([8_000_000, true])
  expect(price('gpt-5.5')).toEqual([1_000_000, false])
  expect(price('gpt-5')).toEqual([9_000_000, true])
  expect(price('gpt-5', new Date('2026-10-31'))).toEqual([1_000_000, false])
  expect(price('openai/new-model')).toEqual([4_000_000, true])
})

test('similar names, the most similar first', () => {
  const book = priceBook(table, [])
  expect(similarModels(book, 'gpt-5.5-codex')).toEqual(['gpt-5.5'])
  expect(similarModels(book, 'claude-opus-4-9')[0]).toBe('claude-opus-4-5')
  expect(similarModels(book, 'opus-4-5')).toEqual(['claude-opus-4-5'])
  expect(similarModels(book, 'something else')).toEqual([])
})
