import type { Command } from '../../command.ts'

export const command: Command = {
  name: 'import',
  summary: 'take canonical logs into the archive, such as ion export --format jsonl writes',
  details:
    'Every line is checked first (docs/format.md); a file with a bad line is refused whole, and the line is named. Taking ' +
    'in the same file twice adds nothing.',
  arguments: [{ name: 'file', summary: 'a log, .jsonl', many: true, required: true, completes: 'file' }],
  options: [{ flags: '--json', summary: 'one object per file' }],
  examples: [['ion import backup/*.jsonl', 'a folder of exported sessions']],
  load: () => import('./run.ts'),
}
