// Written by npm run generate from docs/proof.json.
import type { MeasuredLevel } from './level.ts'

export const levels: Readonly<Record<string, MeasuredLevel>> = {
  aider: { level: 'full', version: '0.86.2' },
  'amazon-q': { level: 'full', version: '1.19.7' },
  amp: { level: 'unproven', version: '0.0.1790142911-g7618fb' },
  auggie: { level: 'full', version: '0.36.0' },
  claude: { level: 'full', version: '2.1.325' },
  codex: { level: 'full', version: '0.166.0' },
  copilot: { level: 'full', version: '1.0.102' },
  gemini: { level: 'full', version: '0.61.0' },
  goose: { level: 'full', version: '1.52.0' },
  opencode: { level: 'full', version: '1.18.33' },
  pi: { level: 'full', version: '0.87.1' },
}
