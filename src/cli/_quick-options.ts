// Written by npm run generate from the definitions of these commands.
import type { OptionDefinition } from './command.ts'

type QuickOption = Omit<OptionDefinition, 'summary' | 'completes'>

export const quickOptions: Readonly<Record<'sessions' | 'status', readonly QuickOption[]>> = {
  sessions: [
    { flags: '-a, --all' },
    { flags: '--project <dir>' },
    { flags: '--agent <id>', many: true },
    { flags: '--since <time>' },
    { flags: '--tag <tag>', many: true },
    { flags: '--pinned' },
    { flags: '--limit <n>' },
    { flags: '--hidden' },
    { flags: '--sub-agents' },
    { flags: '--remote' },
    { flags: '--plain' },
    { flags: '--json' },
  ],
  status: [{ flags: '--json' }],
}
