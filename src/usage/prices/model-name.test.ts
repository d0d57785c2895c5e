import { expect, test } from 'vitest'
import { modelName } from './model-name.ts'

test.each<[name: string, route: string[], body: string, date?: string]>([
  ['claude-opus-4-5-20251101', [], 'claude-opus-4-5', '20251101'],
  ['claude-opus-4-5', [], 'claude-opus-4-5'],
  ['claude-sonnet-4-5[1m]', [], 'claude-sonnet-4-5'],
  ['claude-4.5-sonnet', [], 'claude-sonnet-4-5'],
  ['claude-4-opus', [], 'claude-opus-4'],
  ['claude-3.5-sonnet', [], 'claude-3-5-sonnet'],
  ['claude-4.5-sonnet-thinking', [], 'claude-sonnet-4-5-thinking'],
  ['anthropic/claude-sonnet-4.5', ['anthropic'], 'claude-sonnet-4-5'],
  ['openrouter/anthropic/claude-sonnet-4.5', ['openrouter', 'anthropic'], 'claude-sonnet-4-5'],
  ['openrouter/x-ai/grok-4.5', ['openrouter', 'xai'], 'grok-4-5'],
  ['copilot/claude-opus-4.5', ['github_copilot'], 'claude-opus-4-5'],
  ['github-copilot/gpt-5.5', ['github_copilot'], 'gpt-5-5'],
  ['us.anthropic.claude-opus-4-5-20251101-v1:0', ['bedrock-us', 'bedrock'], 'claude-opus-4-5', '20251101'],
  ['bedrock/eu.anthropic.claude-opus-4-6-v1', ['bedrock-eu', 'bedrock'], 'claude-opus-4-6'],
  ['global.anthropic.claude-opus-4-6-v1', ['bedrock'], 'claude-opus-4-6'],
  [
    'arn:aws:bedrock:us-east-1:123456789012:inference-profile/us.anthropic.claude-sonnet-4-5-20250929-v1:0',
    ['bedrock-us', 'bedrock'],
    'claude-sonnet-4-5',
    '20250929',
  ],
  ['amazon.nova-pro-v1:0', ['bedrock'], 'nova-pro'],
  ['anthropic.claude-v1', ['bedrock'], 'claude-v1'],
  ['anthropic.claude-instant-v1', ['bedrock'], 'claude-instant-v1'],
  ['anthropic.claude-v2:1', ['bedrock'], 'claude-v2:1'],
  ['anthropic.claude-3-haiku-20240307-v1:0', ['bedrock'], 'claude-3-haiku', '20240307'],
  ['claude-haiku-4-5@20251001', [], 'claude-haiku-4-5', '20251001'],
  ['vertex_ai/claude-opus-4-6@default', ['vertex_ai'], 'claude-opus-4-6'],
  ['models/gemini-3-pro', [], 'gemini-3-pro'],
  ['projects/p/locations/global/publishers/google/models/gemini-3-pro', ['google'], 'gemini-3-pro'],
  ['gpt-5.5-codex', [], 'gpt-5-5-codex'],
  ['gpt-5-2025-08-07', [], 'gpt-5', '20250807'],
  ['gpt-4-0613', [], 'gpt-4-0613'],
  ['MiniMax-M2', [], 'minimax-m2'],
  // No date, no known provider, or not the same model: left as they are.
  ['gpt-5-2025-18-07', [], 'gpt-5-2025-18-07'],
  ['opencode/some-model', [], 'opencode/some-model'],
  ['openrouter/anthropic/claude-sonnet-4.5:free', ['openrouter', 'anthropic'], 'claude-sonnet-4-5:free'],
  ['constructor/x', [], 'constructor/x'],
])('%s', (name, route, body, date) => {
  expect(modelName(name)).toEqual({ route, body, date })
})
