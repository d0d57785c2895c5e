import type { Command } from '../../command.ts'

export const command: Command = {
  name: 'resume',
  group: 'agents at work',
  summary: 'reopen a session in its agent (ion -r, ion -c)',
  details:
    'Opens exactly that session in its own agent and folder, and sends nothing. Without an id it shows the picker. The ' +
    'session becomes a task of Ion, so that "ion run" goes on with it, too.',
  arguments: [{ name: 'id', summary: 'id, prefix, native id or title', completes: 'session' }],
  options: [
    { flags: '--newest', summary: 'the newest session of this project (ion --continue)' },
    { flags: '--headless', summary: 'without a terminal: prints the last answer' },
    { flags: '--detach', summary: 'in the background, in a terminal that Ion keeps' },
    { flags: '--send <prompt>', summary: 'send one more prompt there' },
    { flags: '--nudge', summary: 'send a short neutral prompt, to have it go on' },
    { flags: '--steal', summary: 'end what Ion runs on it, and take over; open it although it is open elsewhere' },
    { flags: '--dry-run', summary: 'say what would be done, and do nothing' },
    { flags: '--json', summary: 'with --dry-run: the whole plan as one object' },
  ],
  rest: { name: 'agent arguments', summary: 'for the agent itself, such as its model or permissions' },
  examples: [
    ['ion --continue', 'the newest session of this project'],
    ['ion --resume 3f2a', 'that one'],
  ],
  load: () => import('./run.ts'),
}
