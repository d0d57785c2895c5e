// Written by scripts/registry.mjs from the folders beside it. Do not edit: npm run generate
import type { Agent } from './agent.ts'
import amazonQ from './amazon-q/index.ts'
import claude from './claude/index.ts'
import copilot from './copilot/index.ts'
import gemini from './gemini/index.ts'
import goose from './goose/index.ts'
import opencode from './opencode/index.ts'

export const agents: readonly Agent[] = [amazonQ, claude, copilot, gemini, goose, opencode]
