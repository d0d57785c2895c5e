import type { Command } from '../../command.ts'

export const command: Command = {
  name: 'search',
  group: 'sessions',
  summary: 'find what was said and done, in all sessions',
  details:
    'All words must stand in the same message. "a phrase" is searched as it is, -word leaves out, and agent:x, since:7d, ' +
    'in:path and role:user|assistant|tool|thinking|summary|title narrow it down. Newest first.',
  dashWords: true,
  arguments: [{ name: 'words', summary: 'what to look for', required: true, many: true, completes: 'none' }],
  options: [
    { flags: '--rank', summary: 'the best matches first instead of the newest' },
    { flags: '--deep', summary: 'also read what is too long for the index; slower' },
    { flags: '--agent <id>', summary: 'of this agent; may be given several times', many: true, completes: 'agent' },
    { flags: '--limit <n>', summary: 'at most so many sessions, 0 for all (default 20)' },
    { flags: '--json', summary: 'one object per line' },
  ],
  examples: [
    ['ion search login redirect', 'both words in one message'],
    ['ion search "exit code 137" since:2w -docker', 'a phrase, of the last two weeks, without a word'],
    ['ion search migration role:user in:~/src/shop', 'in what you typed, in one folder'],
  ],
  load: () => import('./run.ts'),
}
