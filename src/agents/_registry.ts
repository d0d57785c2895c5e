// Written by scripts/registry.mjs from the folders beside it. Do not edit: npm run generate
import type { Agent } from './agent.ts'
import claude from './claude/index.ts'
import goose from './goose/index.ts'

export const agents: readonly Agent[] = [claude, goose]
