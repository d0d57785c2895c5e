// Written by scripts/registry.mjs from the folders beside it. Do not edit: npm run generate
import type { Agent } from './agent.ts'
import aider from './aider/index.ts'
import amazonQ from './amazon-q/index.ts'
import amp from './amp/index.ts'
import auggie from './auggie/index.ts'
import claude from './claude/index.ts'
import codex from './codex/index.ts'
import copilot from './copilot/index.ts'
import cursor from './cursor/index.ts'
import gemini from './gemini/index.ts'
import goose from './goose/index.ts'
import ion from './ion/index.ts'
import kiro from './kiro/index.ts'
import opencode from './opencode/index.ts'

export const agents: readonly Agent[] = [
  aider,
  amazonQ,
  amp,
  auggie,
  claude,
  codex,
  copilot,
  cursor,
  gemini,
  goose,
  ion,
  kiro,
  opencode,
]
