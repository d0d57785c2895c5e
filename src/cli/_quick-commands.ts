// Written by npm run generate from the definitions of these commands.
import type { OptionDefinition } from './command.ts'

interface QuickCommand {
  /** How many, each of them required. */
  readonly arguments: number
  readonly options: readonly Omit<OptionDefinition, 'summary' | 'completes'>[]
}

export const quickCommands: Readonly<Record<'changes' | 'sessions' | 'show' | 'status', QuickCommand>> = {
  changes: {
    arguments: 1,
    options: [{ flags: '--turn <n>' }, { flags: '--stat' }, { flags: '--no-pager' }, { flags: '--json' }],
  },
  sessions: {
    arguments: 0,
    options: [
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
  },
  show: {
    arguments: 1,
    options: [
      { flags: '--last [n]' },
      { flags: '--turn <n>' },
      { flags: '--at <event>' },
      { flags: '--mark <query>' },
      { flags: '--follow' },
      { flags: '--copy' },
      { flags: '--full' },
      { flags: '--thinking' },
      { flags: '--system' },
      { flags: '--branch <n>' },
      { flags: '--archived' },
      { flags: '--remote' },
      { flags: '--no-pager' },
      { flags: '--json' },
    ],
  },
  status: { arguments: 0, options: [{ flags: '--json' }] },
}
