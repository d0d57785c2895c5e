import type { Command } from '../../command.ts'

export const command: Command = {
  name: 'demo',
  group: 'this machine',
  summary: 'a tour in a minute on sample sessions; nothing else is touched',
  details:
    'Makes a scratch home with sample sessions of all agents, runs the real commands on it, and removes it again. In a ' +
    'terminal it waits for a key between the steps: any key goes on, q ends.',
  options: [
    { flags: '--keep', summary: 'leave the scratch home there, and say how to go on with it' },
    { flags: '--no-pause', summary: 'do not wait for a key' },
  ],
  examples: [
    ['ion demo', 'the tour'],
    ['ion demo --keep --no-pause', 'the samples stay, to try things on'],
  ],
  load: () => import('./run.ts'),
}
