import type { Command } from '../../command.ts'

export const command: Command = {
  name: 'status',
  group: 'this machine',
  summary: 'what is on this machine, and what to type next (plain "ion")',
  options: [{ flags: '--json', summary: 'one object per agent' }],
  examples: [
    ['ion', 'the picture'],
    ['ion status --json', 'for a program'],
  ],
  load: () => import('./run.ts'),
}
