// Written by npm run generate from the agents' own index.ts.
import type { AgentProgram } from './agent.ts'

export const agentPrograms: readonly AgentProgram[] = [
  { id: 'aider', title: 'Aider', binaries: ['aider'], isArchive: false },
  { id: 'amazon-q', title: 'Amazon Q', binaries: ['q'], isArchive: false },
  { id: 'amp', title: 'Amp', binaries: ['amp'], isArchive: false },
  { id: 'auggie', title: 'Auggie', binaries: ['auggie'], isArchive: false },
  { id: 'claude', title: 'Claude Code', binaries: ['claude'], isArchive: false },
  { id: 'codex', title: 'Codex', binaries: ['codex'], isArchive: false },
  { id: 'copilot', title: 'GitHub Copilot CLI', binaries: ['copilot'], isArchive: false },
  { id: 'cursor', title: 'Cursor CLI', binaries: ['cursor-agent', 'agent'], isArchive: false },
  { id: 'gemini', title: 'Gemini', binaries: ['gemini'], isArchive: false },
  { id: 'goose', title: 'Goose', binaries: ['goose'], isArchive: false },
  { id: 'ion', title: 'Ion archive', binaries: ['ion'], isArchive: true },
  { id: 'kiro', title: 'Kiro', binaries: ['kiro-cli'], isArchive: false },
  { id: 'opencode', title: 'OpenCode', binaries: ['opencode'], isArchive: false },
  { id: 'pi', title: 'Pi', binaries: ['pi'], isArchive: false },
]
