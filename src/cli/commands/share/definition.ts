import type { Command } from '../../command.ts'

export const command: Command = {
  name: 'share',
  group: 'sessions',
  summary: 'a session for others: secrets, home paths and e-mails masked',
  details:
    'Writes Markdown (or HTML) with secrets masked by the rules of secretlint and by the known forms of keys, home folders ' +
    'as ~ and e-mail addresses as placeholders, and says on stderr what was masked. It masks what has a form that can be ' +
    'recognised; names and confidential matters have none, so read it before you send it. Nothing is uploaded.',
  arguments: [{ name: 'id', summary: 'id, prefix, native id or title', required: true, completes: 'session' }],
  options: [
    { flags: '--html', summary: 'one self-contained HTML file instead of Markdown' },
    { flags: '-o, --output <file>', summary: 'file to write; stdout without it', completes: 'file' },
    { flags: '--full', summary: 'tool calls and results whole, however long' },
    { flags: '--thinking', summary: 'also what the model thought' },
    { flags: '--remote', summary: 'also one that its agent keeps elsewhere; asks its program' },
    { flags: '--force', summary: 'overwrite a file that is there already' },
  ],
  examples: [
    ['ion share 3f2a > session.md', 'for a pull request or an issue'],
    ['ion share 3f2a --html -o session.html', 'a page that opens anywhere'],
  ],
  load: () => import('./run.ts'),
}
