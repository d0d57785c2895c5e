import type { Command } from '../../command.ts'

export const command: Command = {
  name: 'agents',
  group: 'this machine',
  summary: 'every agent Ion knows: installed, sessions, data, resume level',
  options: [{ flags: '--json', summary: 'one object per agent' }],
  examples: [
    ['ion agents', 'what is installed, where each keeps its sessions, whether resume works'],
    ["ion agents --json | jq -r 'select(.installed).id'", 'which are installed, for a script'],
  ],
  load: () => import('./run.ts'),
}
