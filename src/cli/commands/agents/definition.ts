import type { Command } from '../../command.ts'

export const command: Command = {
  name: 'agents',
  summary: 'every agent Ion knows: found here, sessions, data paths, storage, resume level',
  options: [{ flags: '--json', summary: 'one object per agent' }],
  load: () => import('./run.ts'),
}
