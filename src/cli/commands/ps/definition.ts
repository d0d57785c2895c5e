import type { Command } from '../../command.ts'

export const command: Command = {
  name: 'ps',
  group: 'agents at work',
  summary: 'what is running: in terminals, headless, in the background',
  details:
    'One line for each task that an agent works on. "waiting for you" means that the agent shows a dialog that only you ' +
    'can answer; "waiting" that it has printed nothing for a few seconds. --json gives one object per line: agent, task, ' +
    'project, way, state, waiting_for, asks, session_id, native_id, pid, agent_pid, clients, since, exit, url (of "ion serve").',
  options: [
    { flags: '--all', summary: 'also tasks that are not running, with how they ended' },
    { flags: '--json', summary: 'one object per line' },
  ],
  examples: [['ion ps --json', 'for a program']],
  load: () => import('./run.ts'),
}
