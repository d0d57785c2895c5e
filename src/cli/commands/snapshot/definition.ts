import type { Command } from '../../command.ts'

/** What it does with a snapshot. */
const verbs = ['create', 'list', 'verify', 'restore']

export const command: Command = {
  name: 'snapshot',
  group: 'copies',
  summary: 'all sessions in one file, and back, also on another machine',
  details:
    '"create" writes every session as its agent has it into one .tar.gz, while the agents go on writing, with checksums and ' +
    'without credentials. "list" and "verify" read such a file to its end. "restore" puts sessions back where the agents ' +
    'look: what is there and the same is left alone, something else is never overwritten (exit 4, and the others are ' +
    'restored). Where the home is another one than it was, paths in it move along. docs/snapshots.md has the format.',
  arguments: [
    { name: 'subcommand', summary: verbs.join(', '), required: true, choices: verbs },
    { name: 'file', summary: 'the snapshot', required: true, completes: 'file' },
    { name: 'id', summary: 'restore: only these sessions (id, prefix or native id)', many: true, completes: 'none' },
  ],
  options: [
    { flags: '--agent <id>', summary: 'of this agent; may be given several times', many: true, completes: 'agent' },
    { flags: '--force', summary: 'create: replace the file when it is there' },
    { flags: '--to <folder>', summary: 'restore: as if this folder were the home', completes: 'folder' },
    { flags: '--dry-run', summary: 'restore: say what would be done, and do nothing' },
    { flags: '--json', summary: 'one object per line' },
  ],
  examples: [
    ['ion snapshot create sessions.tar.gz', 'everything'],
    ['ion snapshot create codex.tar.gz --agent codex --force', 'one agent, again'],
    ['ion snapshot list sessions.tar.gz', 'what is in it'],
    ['ion snapshot restore sessions.tar.gz --dry-run', 'what would be put back here'],
  ],
  load: () => import('./run.ts'),
}
