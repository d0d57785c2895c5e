import type { Command } from '../../command.ts'

export const command: Command = {
  name: 'sessions',
  group: 'sessions',
  summary: 'list the sessions of all agents; in a terminal, pick one',
  details:
    'In a terminal a picker: type to filter, Enter reads the session (it never starts an agent), ? shows the keys. ' +
    'In a pipe a table, newest first. Begins with the project you are in when that has sessions, else with all.',
  options: [
    { flags: '-a, --all', summary: 'all projects' },
    { flags: '--project <dir>', summary: 'this project only', completes: 'folder' },
    { flags: '--agent <id>', summary: 'of this agent; may be given several times', many: true, completes: 'agent' },
    { flags: '--since <time>', summary: 'used since then: 2h, 7d, 3w, 2026-11-01' },
    { flags: '--limit <n>', summary: 'at most so many, 0 for all (default 50)' },
    { flags: '--hidden', summary: 'also those put away in the agent itself' },
    { flags: '--sub-agents', summary: 'also what sub-agents did' },
    { flags: '--remote', summary: 'also ask agents that keep sessions elsewhere' },
    { flags: '--plain', summary: 'the table, also in a terminal' },
    { flags: '--json', summary: 'one object per line' },
  ],
  examples: [
    ['ion sessions', 'pick one of this project; tab switches to all'],
    ['ion sessions --all --since 7d --plain', 'a table of the last week'],
    ['ion sessions --all --limit 0 --json', 'everything, for a program'],
  ],
  load: () => import('./run.ts'),
}
