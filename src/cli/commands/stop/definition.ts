import type { Command } from '../../command.ts'

export const command: Command = {
  name: 'stop',
  group: 'agents at work',
  summary: 'end running agents; their sessions stay and can be resumed',
  details:
    'The agent gets SIGTERM, time to finish (--grace), then SIGKILL. It always returns, and exit code 0 means that ' +
    'nothing runs any more, also when nothing was running: right for the stop script of a workspace.',
  arguments: [
    {
      name: 'task',
      summary: 'agent, task, <agent>-<task> or session id; without it the only one here',
      many: true,
      completes: 'agent',
    },
  ],
  options: [
    { flags: '--all', summary: 'all of them, in every project' },
    { flags: '--grace <seconds>', summary: 'how long they may take (default: 10)' },
  ],
  examples: [['ion stop --all --grace 20', 'before a workspace is shut down']],
  load: () => import('./run.ts'),
}
