import type { Command } from '../../command.ts'

export const command: Command = {
  name: 'export',
  group: 'sessions',
  summary: 'write sessions as Markdown, HTML, JSON or JSON Lines',
  details:
    'One session goes to stdout or to a file, several into a folder. md and html are documents to read: the conversation ' +
    'as it stands, tool calls folded. json and jsonl hold every event; jsonl is the canonical log and reads back equal ' +
    '(docs/format.md). A file that is there already is not touched unless --force is given.',
  arguments: [{ name: 'id', summary: 'id, prefix, native id or title', many: true, completes: 'session' }],
  options: [
    {
      flags: '-f, --format <format>',
      summary: 'md (default), html, json or jsonl',
      choices: ['md', 'html', 'json', 'jsonl'],
    },
    { flags: '-o, --output <path>', summary: 'file to write, or folder for several sessions', completes: 'file' },
    { flags: '--all', summary: 'every session on this machine' },
    { flags: '--redact', summary: 'mask secrets, home paths and e-mail addresses' },
    { flags: '--full', summary: 'tool calls and results whole, however long (md, html)' },
    { flags: '--thinking', summary: 'also what the model thought (md, html)' },
    { flags: '--system', summary: 'also what the agent added and nobody typed (md, html)' },
    {
      flags: '--branch <which>',
      summary: 'main: the conversation as it stands (default of md and html); all: also what was left behind',
      choices: ['main', 'all'],
    },
    { flags: '--remote', summary: 'also one that its agent keeps elsewhere; asks its program' },
    { flags: '--force', summary: 'overwrite files that are there already' },
  ],
  examples: [
    ['ion export 3f2a > session.md', 'a document of one session'],
    ['ion export 3f2a --format html -o session.html', 'one file that opens anywhere, offline'],
    ['ion export --all --format jsonl -o backup', 'every session as a canonical log'],
  ],
  load: () => import('./run.ts'),
}
