// Written by scripts/registry.mjs from the folders beside it. Do not edit: npm run generate
import type { Agent } from './agent.ts'

/** Each agent by itself, by its id. */
export const loaders: ReadonlyMap<string, () => Promise<{ readonly default: Agent }>> = new Map([
  ['aider', () => import('./aider/index.ts')],
  ['amazon-q', () => import('./amazon-q/index.ts')],
  ['amp', () => import('./amp/index.ts')],
  ['auggie', () => import('./auggie/index.ts')],
  ['claude', () => import('./claude/index.ts')],
  ['codex', () => import('./codex/index.ts')],
  ['copilot', () => import('./copilot/index.ts')],
  ['cursor', () => import('./cursor/index.ts')],
  ['gemini', () => import('./gemini/index.ts')],
  ['goose', () => import('./goose/index.ts')],
  ['ion', () => import('./ion/index.ts')],
  ['kiro', () => import('./kiro/index.ts')],
  ['opencode', () => import('./opencode/index.ts')],
])
