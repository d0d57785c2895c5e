import type { Command } from '../../command.ts'

export const command: Command = {
  name: 'attach',
  group: 'agents at work',
  summary: 'show a background agent in this terminal, and type to it',
  details:
    'Several terminals may be attached at once; the agent gets the size of the smallest. Ctrl-] leaves, and the agent ' +
    'goes on. When the agent ends, its exit code is that of this command. With --chat it shows the messages of the session ' +
    'in plain lines instead of the screen, with a line to type, also in a pipe: /help, /share, /export, /quit.',
  arguments: [
    {
      name: 'task',
      summary: 'agent, task, <agent>-<task> or session id; without it the only one here',
      completes: 'agent',
    },
  ],
  options: [
    { flags: '--chat', summary: 'messages in plain lines instead of its screen, and a line to type' },
    { flags: '--detach-key <key>', summary: 'leave with another key, such as ctrl-a' },
  ],
  examples: [
    ['ion attach', 'the one that runs in this project'],
    ['ion attach codex-docs', 'that of Codex with the task "docs"'],
    ['ion attach --chat', 'talk to it as on the chat page of ion serve'],
  ],
  load: () => import('./run.ts'),
}
