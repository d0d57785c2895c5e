import type { Command } from '../../command.ts'

export const command: Command = {
  name: 'status',
  summary: 'what is on this machine, and what to type next (also plain "ion")',
  options: [{ flags: '--json', summary: 'one object per agent' }],
  load: () => import('./run.ts'),
}
