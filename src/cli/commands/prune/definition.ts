import type { Command } from '../../command.ts'

export const command: Command = {
  name: 'prune',
  group: 'copies',
  summary: "take old sessions out of the agents' stores, with a way back",
  details:
    'The oldest go first. Each is archived, the archive and the exact copy are read back and compared with what the agent ' +
    'has, and only then it is removed there. Never a session that is open, was used within the last hour, is pinned by a ' +
    'task, is needed by a fork, or whose copy is not all of it. In a terminal the list is shown and you are asked; in a ' +
    'pipe nothing is done unless you say --yes. docs/prune.md has the rules.',
  arguments: [{ name: 'id', summary: 'with --undo: only these sessions', many: true, completes: 'none' }],
  options: [
    { flags: '--older-than <time>', summary: 'not used for so long: 90d, 12w, or before a date like 2026-01-31' },
    { flags: '--keep <n>', summary: 'the newest n of each agent stay; alone: all others go' },
    { flags: '--max-size <size>', summary: 'the oldest, until the others take no more than 500M, 5G' },
    { flags: '--agent <id>', summary: 'of this agent; may be given several times', many: true, completes: 'agent' },
    { flags: '--project <dir>', summary: 'of this project', completes: 'folder' },
    { flags: '--dry-run', summary: 'say what would be done, and do nothing' },
    { flags: '--yes', summary: 'do it without asking, also in a pipe' },
    { flags: '--undo', summary: 'put back what the last prune took, or the sessions that are named' },
    {
      flags: '--empty-trash',
      summary: 'drop the exact copies of what was pruned; it can be read still, but not put back',
    },
    { flags: '--json', summary: 'one object per session' },
  ],
  examples: [
    ['ion prune --older-than 90d --keep 20 --dry-run', 'what is older than that, but for the newest 20 of each agent'],
    ['ion prune --max-size 5G --agent codex', 'the oldest of one agent, until the rest fits'],
    ['ion prune --undo', 'what the last prune took, back where it was'],
    ['ion prune --empty-trash', 'room for good'],
  ],
  load: () => import('./run.ts'),
}
