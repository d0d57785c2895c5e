import type { Command } from '../../command.ts'

export const command: Command = {
  name: 'logs',
  group: 'agents at work',
  summary: 'what an agent in the background has printed',
  details:
    'The text that went over its terminal, as lines; what was drawn again and again is shown once. What the host itself ' +
    'had to say goes to stderr. For the conversation itself see "ion show".',
  arguments: [
    {
      name: 'task',
      summary: 'agent, task, <agent>-<task> or session id; without it the only one here',
      completes: 'agent',
    },
  ],
  options: [
    { flags: '-f, --follow', summary: 'go on until the agent ends' },
    { flags: '--raw', summary: 'every byte, with the control sequences of the terminal' },
  ],
  examples: [['ion logs goose --follow', 'watch without attaching']],
  load: () => import('./run.ts'),
}
