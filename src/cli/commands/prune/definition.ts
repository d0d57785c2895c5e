import type { Command } from '../../command.ts'

export const command: Command = {
  name: 'prune',
  group: 'copies',
  summary: "remove old sessions from the agents' stores (undo with --undo)",
  details:
    'Removes the oldest first. Each session is archived, the archive and the exact copy are read back and compared with ' +
    "the agent's data, and only then is it removed. A session is kept when it is open, was used within the last hour, is " +
    'pinned by a task, is needed by a fork, or cannot be copied completely. In a terminal Ion shows the list and asks; ' +
    'in a pipe it does nothing without --yes. docs/prune.md has the rules.',
  arguments: [{ name: 'id', summary: 'with --undo: only these sessions', many: true, completes: 'none' }],
  options: [
    { flags: '--older-than <time>', summary: 'last used before: 90d, 12w, or a date like 2026-01-31' },
    { flags: '--keep <n>', summary: 'keep the newest n of each agent; alone: remove all others' },
    { flags: '--max-size <size>', summary: 'remove the oldest until the rest is at most 500M, 5G' },
    { flags: '--agent <id>', summary: 'only this agent; may be repeated', many: true, completes: 'agent' },
    { flags: '--project <dir>', summary: 'only this project', completes: 'folder' },
    { flags: '--dry-run', summary: 'show what would be done' },
    { flags: '--yes', summary: 'do not ask; required in a pipe' },
    { flags: '--undo', summary: 'restore the sessions of the last prune, or those given' },
    {
      flags: '--empty-trash',
      summary: 'delete the exact copies of pruned sessions; they stay readable but cannot be restored',
    },
    { flags: '--json', summary: 'one object per session' },
  ],
  examples: [
    ['ion prune --older-than 90d --keep 20 --dry-run', 'unused for 90 days, except the newest 20 of each agent'],
    ['ion prune --max-size 5G --agent codex', 'the oldest of one agent, until the rest fits'],
    ['ion prune --undo', 'restore what the last prune removed'],
    ['ion prune --empty-trash', 'free the disk space for good'],
  ],
  load: () => import('./run.ts'),
}
