import type { Command } from '../../command.ts'

export const command: Command = {
  name: 'doctor',
  group: 'this machine',
  summary: 'what is wrong on this machine, and how to mend it',
  details:
    'Looks only; mends nothing by itself. Parse coverage reads the newest sessions of each agent; --full reads all.',
  options: [
    { flags: '--full', summary: 'read every session for the parse coverage, not only the newest' },
    { flags: '--json', summary: 'one object per check' },
  ],
  examples: [
    ['ion doctor', 'the newest sessions of each agent'],
    [`ion doctor --json | jq 'select(.verdict != "ok")'`, 'only what is not fine, for a program'],
  ],
  load: () => import('./run.ts'),
}
