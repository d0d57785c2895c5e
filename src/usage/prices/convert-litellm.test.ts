import { expect, test } from 'vitest'
import { convertLiteLlm } from './convert-litellm.ts'
import { bandsText } from './price-row.ts'

/** As many models as make a file plausible. */
const filler = Object.fromEntries(
  Array.from({ length: 30 }, (_, at) => [
    `gpt-filler-${at}`,
    { litellm_provider: 'openai', mode: 'chat', input_cost_per_token: 1e-6, output_cost_per_token: 2e-6 },
  ]),
)

function converted(entries: Record<string, object>): Record<string, string> {
  const { rows } = convertLiteLlm(JSON.stringify({ ...filler, ...entries }), 'a file')
  const wanted = rows.filter(({ model }) => !model.startsWith('gpt-filler'))
  return Object.fromEntries(wanted.map(({ model, bands }) => [model, bandsText(bands)]))
}

const chat = { mode: 'chat', input_cost_per_token: 1e-6, output_cost_per_token: 2e-6 }

test('rates, long context, tiers and ranges', () => {
  expect(
    converted({
      'gpt-x': {
        litellm_provider: 'openai',
        mode: 'responses',
        input_cost_per_token: 0.0000025,
        output_cost_per_token: 0.000015,
        cache_read_input_token_cost: 2.5e-7,
        input_cost_per_token_above_272k_tokens: 0.000005,
        output_cost_per_token_above_272k_tokens: 0.0000225,
        input_cost_per_token_flex: 0.00000125,
        output_cost_per_token_flex: 0.0000075,
        input_cost_per_token_above_272k_tokens_priority: 0.00001,
        input_cost_per_token_batches: 1e-6,
        input_cost_per_token_ultrafast: 1e-5,
      },
      'claude-x': {
        ...chat,
        litellm_provider: 'anthropic',
        cache_creation_input_token_cost: 0.00000125,
        cache_creation_input_token_cost_above_1hr: 0.000002,
        cache_creation_input_token_cost_above_1hr_above_200k_tokens: 0.000004,
      },
      'dashscope/q': {
        litellm_provider: 'dashscope',
        mode: 'chat',
        tiered_pricing: [
          { input_cost_per_token: 1e-6, output_cost_per_token: 5e-6, range: [0, 32_000] },
          { input_cost_per_token: 1.8e-6, output_cost_per_token: 9e-6, range: [32_000, 128_000] },
        ],
      },
    }),
  ).toEqual({
    'gpt-x': '2.5/15/0.25 >272000 5/22.5 flex 1.25/7.5 priority>272000 10',
    'claude-x': '1/2/-/1.25/2 >200000 -/-/-/-/4',
    'dashscope/q': '1/5 >32000 1.8/9',
  })
})

test('only chat models of known providers, with the price of tokens', () => {
  expect(
    converted({
      kept: { ...chat, litellm_provider: 'openai' },
      embedding: { ...chat, litellm_provider: 'openai', mode: 'embedding' },
      elsewhere: { ...chat, litellm_provider: 'somebody' },
      constructor: { ...chat, litellm_provider: 'constructor' },
      'no price': { litellm_provider: 'openai', mode: 'chat' },
      'no-price': { litellm_provider: 'openai', mode: 'chat' },
      negative: { ...chat, litellm_provider: 'openai', input_cost_per_token: -1 },
      text: { ...chat, litellm_provider: 'openai', input_cost_per_token: '1e-6' },
      thinking: { ...chat, litellm_provider: 'openai', output_cost_per_reasoning_token: 1 },
      'gpt-audio': { ...chat, litellm_provider: 'openai' },
      nothing: null as unknown as object,
    }),
  ).toEqual({ kept: '1/2' })
})

test('a model that has two names has one row', () => {
  expect(
    converted({
      'gemini-y': { ...chat, litellm_provider: 'vertex_ai-language-models' },
      'gemini/gemini-y': { ...chat, litellm_provider: 'gemini', input_cost_per_token: 3e-6 },
    }),
  ).toEqual({ 'gemini/gemini-y': '3/2' })
})

test('a rate with more digits is rounded and reported', () => {
  const entry = { ...chat, litellm_provider: 'openai', input_cost_per_token: 1.2345678e-9 }
  const { rows, rounded } = convertLiteLlm(JSON.stringify({ ...filler, odd: entry }), 'a file')
  expect(rows.find(({ model }) => model === 'odd')?.bands[0]?.rates.input).toBe(1235)
  expect(rounded).toEqual(['odd input_cost_per_token'])
})

test.each(['', 'text', '[]', 'null', '{}', '{"a":1}', JSON.stringify({ ...chat })])('%s is refused', (text) => {
  expect(() => convertLiteLlm(text, 'a file')).toThrow("a file is not LiteLLM's table of prices")
})
