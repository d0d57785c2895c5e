import type { Command } from '../../command.ts'

export const command: Command = {
  name: 'capture',
  group: 'copies',
  summary: "copy sessions into Ion's archive, where no agent deletes them",
  details:
    'Appends what is new to one log per session, and reads nothing that has not changed. What an agent later drops, ' +
    'rewrites or deletes stays in the archive. "ion run" does this by itself for its own sessions. With --all, logs of ' +
    'sessions that have not changed for 30 days are compressed (.jsonl.gz, which zcat reads), some at each call; Ion reads ' +
    'both alike.',
  arguments: [{ name: 'id', summary: 'id, prefix, native id or title', many: true, completes: 'session' }],
  options: [
    { flags: '--all', summary: 'every session on this machine' },
    { flags: '--watch', summary: 'everything that is new, and then what agents write, as they write it; until Ctrl-C' },
    {
      flags: '--agent <id>',
      summary: 'with --all or --watch: of this agent; may be given several times',
      many: true,
      completes: 'agent',
    },
    { flags: '--verify', summary: 'read all exact copies back, and name what is damaged' },
    { flags: '--json', summary: 'one object per session that was looked at' },
  ],
  examples: [
    ['ion capture --all', 'everything that is new since the last time'],
    ['ion capture 3f2a', 'one session'],
    ['ion capture --watch', 'stay, and archive whatever the agents write'],
  ],
  load: () => import('./run.ts'),
}
