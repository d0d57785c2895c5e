import type { Command } from '../../command.ts'

export const command: Command = {
  name: 'storage',
  group: 'this machine',
  summary: 'what sessions take on disk, what grows, what will be deleted',
  details:
    'Looks only; deletes nothing. Sizes are by agent, project and session; the folders of the agents are measured with ' +
    'all that is in them. docs/storage.md explains the figures and the JSON.',
  options: [
    { flags: '--agent <id>', summary: 'of this agent; may be given several times', many: true, completes: 'agent' },
    { flags: '--limit <n>', summary: 'at most so many projects, sessions and deletions, 0 for all (default 10)' },
    { flags: '--json', summary: 'one object per line, with its kind' },
  ],
  examples: [
    ['ion storage', 'the picture'],
    ['ion storage --agent claude --limit 0', 'everything of one agent'],
    [`ion storage --limit 0 --json | jq 'select(.kind == "deletion")'`, 'what will be deleted, for a program'],
  ],
  load: () => import('./run.ts'),
}
